from __future__ import annotations

import re
import stat

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment
from config.environment import embedded_socket, read_environment

PRODUCTION = {
    "REDIS_URL": "redis://broker:6379/0",
    "DATABASE_URL": "postgres://variorum:secret@database/variorum",
    "SECRET_KEY": "s" * 60,
    "ALLOWED_HOSTS": "study.example.org, www.example.org",
}


@pytest.fixture
def data(tmp_path):
    return {"VARIORUM_DATA": str(tmp_path / "data")}


def test_without_any_setting_everything_is_embedded(data, tmp_path):
    read = read_environment(data)
    assert read.embedded
    assert read.database_url == f"sqlite:///{tmp_path}/data/variorum.sqlite3"
    assert read.redis_url == f"redis+socket://{tmp_path}/data/valkey.sock"
    assert "localhost" in read.allowed_hosts
    assert not read.https


def test_the_embedded_secret_is_made_once_and_for_its_owner_alone(data, tmp_path):
    first = read_environment(data).secret_key
    assert len(first) >= 50
    assert read_environment(data).secret_key == first
    assert stat.S_IMODE((tmp_path / "data/secret_key").stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    assert environment.made(tmp_path / "data/scratch").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(ImproperlyConfigured, match=r"Cannot write to the data folder .*/file"):
        environment.made(tmp_path / "file/scratch")


def test_production_by_environment_alone(data):
    read = read_environment(PRODUCTION | data)
    assert not read.embedded
    assert read.https
    assert read.allowed_hosts == ["study.example.org", "www.example.org"]
    assert read.secret_key == "s" * 60


def test_a_secret_can_come_from_a_file(data, tmp_path):
    (tmp_path / "key").write_text("from a file\n")
    given = PRODUCTION | data | {"SECRET_KEY": "", "SECRET_KEY_FILE": str(tmp_path / "key")}
    assert read_environment(given).secret_key == "from a file"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY is not set"),
        ({"SECRET_KEY_FILE": "/nowhere"}, "not both"),
        ({"SECRET_KEY": "", "SECRET_KEY_FILE": "/nowhere"}, "cannot read /nowhere"),
        ({"ALLOWED_HOSTS": ""}, "Name the hosts"),
        ({"DATABASE_URL": "mysql://x"}, "must start with one of"),
        ({"REDIS_URL": "localhost:6379"}, "must start with one of"),
        ({"VARIORUM_HTTPS": "perhaps"}, "Set it to true or false"),
        ({"VARIORUM_WORKER_THREADS": "0"}, "whole number above 0"),
        ({"VARIORUM_LOG_LEVEL": "loud"}, "one of"),
        ({"VARIORUM_WORKER_THREDS": "4"}, "Unknown setting VARIORUM_WORKER_THREDS. There are:"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(data, wrong, sentence):
    with pytest.raises(ImproperlyConfigured, match=sentence):
        read_environment(PRODUCTION | data | wrong)


def test_a_data_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ImproperlyConfigured, match="set VARIORUM_DATA to another folder"):
        read_environment({"VARIORUM_DATA": str(tmp_path / "file" / "data")})


def test_a_sockets_path_stays_short_however_deep_the_folder(tmp_path):
    deep = tmp_path / ("d" * 100)
    assert len(str(embedded_socket(deep))) <= 107
    assert embedded_socket(deep) == embedded_socket(deep)
    assert embedded_socket(deep) != embedded_socket(tmp_path / ("e" * 100))


def test_a_changed_decoder_has_another_version(tmp_path, monkeypatch):
    def lay(folder, source="def f(): return 1\n"):
        for path in ("decoding/core/search/beam.py", "evaluation/core/metrics/bleu.py"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(source)
        monkeypatch.setattr(environment, "ROOT", folder)
        return environment.decoder_version("0.1.0")

    before = lay(tmp_path / "here")
    assert re.fullmatch(r"0\.1\.0\+[0-9a-f]{12}", before)
    assert lay(tmp_path / "elsewhere") == before
    (tmp_path / "elsewhere/decoding/pages.py").write_text("def g(): return 1\n")
    assert environment.decoder_version("0.1.0") == before
    for path in ("decoding/core/search/beam.py", "evaluation/core/metrics/bleu.py"):
        lay(tmp_path / "elsewhere")
        (tmp_path / "elsewhere" / path).write_text("def f(): return 2\n")
        assert environment.decoder_version("0.1.0") != before


def test_a_changed_kernel_is_compiled_anew_wherever_it_is_called(tmp_path, monkeypatch):
    kernel = tmp_path / "decoding/core/search/beam.py"
    kernel.parent.mkdir(parents=True)
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    kernel.write_text("@njit\ndef f(): return 1\n")
    before = environment.kernel_cache(tmp_path)
    assert environment.kernel_cache(tmp_path) == before
    (kernel.parent / "plain.py").write_text("def g(): return 1\n")
    assert environment.kernel_cache(tmp_path) == before
    kernel.write_text("@njit\ndef f(): return 2\n")
    assert environment.kernel_cache(tmp_path) != before
