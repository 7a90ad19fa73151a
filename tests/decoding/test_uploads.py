"""Bad uploads: each gets its sentence, nothing of it is kept, nothing crashes."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from itertools import count
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import StopFutureHandlers
from django.urls import reverse

from decoding.core.formats.nbest import NBestEntry
from decoding.models import Corpus, Job, Pool, System
from decoding.pools import write_pool
from decoding.uploads import LimitedUploadHandler, scratch, unpack_archive
from evaluation.core.errors import InputError
from tests.factories import make_corpus, make_system

pytestmark = pytest.mark.django_db

TWO_LINES = b"das haus\nein haus\n"
PACKED = gzip.compress(TWO_LINES * 1000, mtime=0)
SGM = (
    b'<srcset setid="t" srclang="de">\n<doc docid="a">\n<seg id="1">das haus</seg>\n</doc></srcset>'
)
XML_BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE dataset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<dataset><doc id="d"><src lang="de"><p><seg id="1">&b;</seg></p></src></doc></dataset>
"""


@pytest.fixture(autouse=True)
def small_limits(settings, monkeypatch):
    settings.UPLOAD_LIMIT_BYTES = 12_000_000
    monkeypatch.setattr("decoding.uploads._MOST_GROWTH", 2)


@pytest.fixture
def client(client, user):
    client.force_login(user)
    return client


@pytest.fixture
def nothing_kept(settings):
    """At the end there is no row and no file that was not there before."""

    def files():
        kept = settings.MEDIA_ROOT.rglob("*") if settings.MEDIA_ROOT.exists() else []
        return {path for path in [*kept, *scratch().rglob("*")] if path.is_file()}

    before = files()
    yield
    assert files() == before
    assert not Job.objects.exists()


def upload(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


CORPORA = [
    # (format, source, references, what the page says)
    ("text", ("a.txt", b""), [], "The submitted file is empty"),
    ("text", ("a.gz", gzip.compress(b"")), [], "a.gz: is empty"),
    ("text", ("a.txt", b"\n\n"), [], "a.txt:1: the source is empty"),
    ("text", ("a.txt", TWO_LINES), [("b.txt", b"the house\n")],
     "b.txt: ends after 1 lines, but a.txt goes on"),
    ("text", ("a.txt", b"das haus\n"), [("b.txt", b"the house\na house\n")],
     "a.txt: ends after 1 lines, but b.txt goes on"),
    ("text", ("a.txt", "das größte haus\n".encode("latin-1")), [],
     "a.txt:1: byte 7 of the line is not UTF-8"),
    ("text", ("a.txt", b"das haus\nein \xff haus\n"), [], "a.txt:2: byte 5 of the line"),
    ("text", ("a.txt", "das haus\n".encode("utf-16")), [],
     "a.txt: is in UTF-16. Save it in UTF-8."),
    ("text", ("a.txt", b"\xef\xbb\xbfdas haus\n"), [],
     "a.txt: begins with a byte order mark. Save it in UTF-8 without the mark"),
    ("text", ("a.txt", b"das haus\rein haus\r"), [],
     "a.txt:1: a carriage return stands within the line"),
    ("text", ("a.txt", b"das haus\nein\x00haus\n"), [], "a.txt:2: there is a zero byte"),
    ("text", ("a.txt", b"x" * 10_000_000), [], "a.txt:1: the line is longer than 1,000,000 bytes"),
    ("text", ("a.txt", b"wort " * 3000 + b"\n"), [], "a.txt:1: a text has 14,999 characters"),
    ("text", ("a.gz", PACKED[:-12]), [], "a.gz:1: the gzip data are damaged or cut off"),
    ("text", ("a.gz", PACKED[:20] + b"\xff\xff" + PACKED[22:]), [], "the gzip data are damaged"),
    ("text", ("a.gz", gzip.compress(b"wort wort\n" * 3_000_000, 1)), [],
     "a.gz: unpacks to more than 24 MB"),
    ("text", ("a.txt", b"x\n" * 6_000_001), [], "a.txt: is larger than 12 MB"),
    ("text", ("a.zip", b"PK\x03\x04" + bytes(100)), [], "a.zip: is a zip archive"),
    ("text", ("a.pdf", b"%PDF-1.7\n"), [], "a.pdf: is a PDF file"),
    ("text", ("a.bz2", b"BZh91AY&SY"), [],
     "a.bz2: is packed with bzip2. Unpack it"),
    ("text", ("a.txt", TWO_LINES), [("b.txt", TWO_LINES)] * 9, "8 files are the most"),
    ("tsv", ("a.tsv", b"das haus\tthe house\nein haus\n"), [],
     "a.tsv:2: expected 2 columns, as in line 1, found 1"),
    ("tsv", ("a.tsv", b"a\t" * 9 + b"b\n"), [], "a.tsv:1: 9 references, and 8 is the most"),
    ("tsv", ("a.tsv", b"source\treference\n"), [], "there is no segment"),
    ("tsv", ("a.tsv", b"das haus\tthe house\n"), [("b.txt", TWO_LINES)],
     "the references stand in the source file"),
    ("jsonl", ("a.jsonl", b'{"source": "das haus"\n'), [], "a.jsonl:1: not JSON"),
    ("jsonl", ("a.jsonl", b"[" * 100_000), [], "a.jsonl:1: not JSON"),
    ("jsonl", ("a.jsonl", b'["das haus"]\n'), [], "is not a string"),
    ("jsonl", ("a.jsonl", b'{"source": "das haus", "references": "the house"}\n'), [],
     "is not a list of strings"),
    ("jsonl", ("a.jsonl", b'{"source": "das \\ud800 haus"}\n'), [], "half a surrogate pair"),
    ("jsonl", ("a.jsonl", b'{"source": "das \\u0000 haus"}\n'), [], "has a zero byte in it"),
    ("jsonl", ("a.jsonl", b'{"source": "das haus", "document": "\\ud800"}\n'), [],
     "half a surrogate pair"),
    ("wmt", ("a.sgm", b"das haus\n"), [], "a.sgm: there is no &lt;seg&gt; in the file"),
    ("wmt", ("a.sgm", b'<srcset><doc docid="a"><seg id="1">das haus\n'), [],
     "a.sgm:1: the segment that begins here does not end"),
    ("wmt", ("a.sgm", SGM), [("b.sgm", SGM.replace(b'id="1"', b'id="2"'))],
     "b.sgm:3: expected segment 1 of a, found segment 2 of a"),
    ("wmt", ("a.xml", b"<dataset><doc id='d'><src><p><seg id='1'>das haus</p></dataset>"), [],
     "a.xml:1: not XML: mismatched tag"),
    ("wmt", ("a.xml", XML_BOMB), [], "a.xml:2: the file has a document type declaration"),
    ("text", ("a.gz", gzip.compress(b"\xef\xbb\xbfdas haus\n")), [],
     "a.gz: begins with a byte order mark"),
    ("text", ("a.txt", b"das \x1b[31mhaus\n"), [], "a.txt:1: a text has the control character U+001B"),
    ("text", ("a.txt", "das haus\n\u200b\n".encode()), [],
     "a.txt:2: a text has nothing in it that can be seen"),
    ("text", ("a.txt", b"." * 9000), [], "a.txt:1: a text has a word of 9,000 characters"),
    ("jsonl", ("a.jsonl", b'{"source": "a", "document": "x\\u0000y"}\n'), [],
     "a.jsonl:1: the document&#x27;s name has a zero byte in it"),
    ("wmt", ("a.sgm", SGM.replace(b"</doc>", b'<seg id="1">x</seg></doc>')), [],
     "a.sgm:4: segment 1 of a is there twice"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "source", "references", "says"), CORPORA)
def test_a_bad_corpus(client, nothing_kept, kind, source, references, says):
    answer = client.post(
        reverse("decoding:add-corpus"),
        {
            "name": "bad",
            "source_language": "de",
            "target_language": "en",
            "format": kind,
            "source": upload(*source),
            "references": [upload(*reference) for reference in references],
        },
    )
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not Corpus.objects.exists()


POOLS = [
    ("nbest", [b"0 ||| a house ||| ||| -1\n"], "ends with segment 1, and the corpus has 2"),
    ("nbest", [b"0 ||| a ||| ||| -1\n2 ||| b ||| ||| -1\n"], "segment 2 has no translation"),
    ("nbest", [b"1 ||| a house ||| ||| -1\n"], "segment 1 has no translation"),
    ("nbest", [b"".join(b"%d ||| a\n" % n for n in range(3))],
     "there are translations of segment 3, and the corpus has 2"),
    ("nbest", [b"0 ||| a\n1 ||| b\n0 ||| c\n"], "0.txt:3: sentence 0 comes after sentence 1"),
    ("nbest", [b"0 ||| a ||| ||| nan\n1 ||| b ||| ||| -1\n"], "0.txt:1: the score is &#x27;nan&#x27;"),
    ("nbest", [b"0 ||| a ||| lm= inf ||| -1\n1 ||| b ||| ||| -1\n"], "0.txt:1: a feature is &#x27;inf"),
    ("nbest", [b"0 ||| a ||| ||| -1\n1 ||| b\n"], "1 translations have a score and 1 have none"),
    ("nbest", [b"a house\n"], "0.txt:1: expected fields separated by |||"),
    ("nbest", [b"first ||| a house\n"], "is &#x27;first&#x27;, not a number"),
    ("nbest", [b"9" * 5000 + b" ||| a house\n"], "99&#x27;, not a number"),
    ("nbest", [b'{"sentence": 0, "text": "a", "score": NaN}\n'], "which is no finite number"),
    ("nbest", [b'{"sentence": -1, "text": "a"}\n'], "not a number from 0"),
    ("nbest", [b'{"sentence": 0, "text": "\\ud800"}\n'], "half a surrogate pair"),
    ("nbest", [b'{"sentence": 0}\n'], "not a string"),
    ("nbest", [b"0 ||| a\n1 ||| b\n"] * 2, "An n-best list is one file"),
    ("plain", [b"a house\n"], "ends with segment 1, and the corpus has 2"),
    ("plain", [b"a house\nthe house\n", b"one house\n"], "1.txt: ends after 1 lines, but 0.txt"),
    ("plain", [b"a house\n\n"], "segment 2 has no translation"),
    ("plain", [b"a house\n" * 3], "there are translations of segment 3"),
    ("nbest", [b'{"sentence": 0, "text": "a", "score": ' + b"1" * 400 + b"}\n"],
     "0.txt:1: the score is 1111"),
    ("nbest", [b"1" * 5000 + b" ||| a\n"], "0.txt:1: the sentence is &#x27;1111"),
    ("nbest", [b'{"sentence": 0, "text": "a", "features": {"x\\u0000": 1}}\n'], "has a zero byte"),
]  # fmt: skip


def test_a_list_without_end_is_refused_while_it_is_read(tmp_path):
    endless = (NBestEntry(0, "a house") for _ in count())
    with pytest.raises(InputError, match="segment 1 has more than 10,000 translations"):
        write_pool([endless], tmp_path, segments=1, name="a.txt")


@pytest.mark.parametrize(("kind", "files", "says"), POOLS)
def test_bad_translations(client, user, nothing_kept, kind, files, says):
    corpus, system = make_corpus(user), make_system(user)
    answer = client.post(
        reverse("decoding:upload", args=[system.pk]),
        {
            "corpus": corpus.pk,
            "format": kind,
            "files": [upload(f"{number}.txt", file) for number, file in enumerate(files)],
        },
    )
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not Pool.objects.exists()


INI = """[feature]
UnknownWordPenalty
WordPenalty
PhraseDictionaryMemory name=TranslationModel0 num-features=1 path={table}
KENLM name=LM0 path=lm.arpa order=1
[weight]
WordPenalty0= -1
TranslationModel0= 1
LM0= 1
"""


def zipped(_method: int = zipfile.ZIP_DEFLATED, **files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", _method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def tarred(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def packed_tar(pack, *members: tarfile.TarInfo, format: int = tarfile.GNU_FORMAT) -> bytes:  # noqa: A002
    """Without contents, packed as wanted."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=format) as archive:
        for member in members:
            archive.addfile(member)
    return pack(plain.getvalue())


def named(name: str, kind: bytes = tarfile.REGTYPE, **pax: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.pax_headers = kind, pax
    return member


def large_directory() -> bytes:
    """A zip whose end says that its directory is longer than what a thousand files need."""
    packed = zipped(**{"moses.ini": b"x"})
    directory, end = packed.rindex(b"PK\x01\x02"), packed.rindex(b"PK\x05\x06")
    longer = packed[:end] + bytes(2_000_000)
    size = (len(longer) - directory).to_bytes(4, "little")
    return longer + packed[end : end + 12] + size + packed[end + 16 :]


def link(kind: bytes, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo("model/table")
    member.type, member.linkname = kind, target
    return member


def lying_zip() -> bytes:
    """A zip whose directory says that a file of 1 MB has 10 bytes."""
    packed = bytearray(zipped(**{"moses.ini": b"x" * 1_000_000}))
    directory = packed.rindex(b"PK\x01\x02")
    packed[directory + 24 : directory + 28] = (10).to_bytes(4, "little")
    return bytes(packed)


def system_of(ini: str, **files: bytes) -> bytes:
    return zipped(**{"moses.ini": ini.encode(), "lm.arpa": b"x", "table": b"x"} | files)


ARCHIVES = {
    "no archive": (b"moses", "is damaged, cut off or of an unknown kind"),
    "cut off": (zipped(a=b"x" * 5000)[:-30], "is damaged, cut off or of an unknown kind"),
    "a lying header": (lying_zip(), "is damaged, cut off or of an unknown kind"),
    "zip slip": (zipped(**{"../evil.ini": b"x"}), "../evil.ini leads out of the archive"),
    "zip slip, Windows": (zipped(**{"..\\evil.ini": b"x"}), "leads out of the archive"),
    "absolute": (zipped(**{"/tmp/evil.ini": b"x"}), "/tmp/evil.ini leads out of the archive"),
    "a drive": (zipped(**{"C:/evil.ini": b"x"}), "C:/evil.ini leads out of the archive"),
    "tar slip": (tarred((tarfile.TarInfo("a/../../x"), b"x")), "a/../../x leads out"),
    "a symbolic link": (tarred((link(tarfile.SYMTYPE, "/etc/passwd"), b"")), "is a link or a device"),
    "a hard link": (tarred((link(tarfile.LNKTYPE, "/etc/passwd"), b"")), "is a link or a device"),
    "a device": (tarred((link(tarfile.CHRTYPE, ""), b"")), "is a link or a device"),
    "twice": (tarred(*[(tarfile.TarInfo("a"), b"x")] * 2), "a is in the archive twice"),
    "a file as a folder": (tarred((tarfile.TarInfo("a"), b"x"), (tarfile.TarInfo("a/b"), b"x")),
                           "a/b is in the archive twice"),
    "a bomb": (zipped(bomb=bytes(25_000_000)), "the archive unpacks to more than 24 MB"),
    "a zip by bzip2": (zipped(zipfile.ZIP_BZIP2, **{"moses.ini": b"x"}), "is packed by an unusual method"),
    "a zip by LZMA": (zipped(zipfile.ZIP_LZMA, **{"moses.ini": b"x"}), "is packed by an unusual method"),
    "many files": (zipped(**{str(n): b"" for n in range(1001)}), "more than 1000 files"),
    "many folders": (packed_tar(gzip.compress, *(named(f"a{n}", tarfile.DIRTYPE) for n in range(1001))),
                     "more than 1000 files and folders"),
    "many folders in a zip": (zipped(**{f"{n}/": b"" for n in range(1001)}),
                              "more than 1000 files and folders"),
    "a long directory": (large_directory(), "more than 1000 files and folders"),
    "a long name": (packed_tar(gzip.compress, named("n" * 300)), "the name nnnn"),
    "a long name in a zip": (zipped(**{"n" * 300: b"x"}), "n… is too long"),
    "many short names": (zipped(**{"n/" * 1000 + "n": b"x"}), "n/… is too long"),
    "a huge name": (packed_tar(gzip.compress, named("n/" * 1_000_000)), "more than 65 KB stand before a file"),
    "a huge header": (packed_tar(gzip.compress, named("n", comment="x" * 1_000_000), format=tarfile.PAX_FORMAT),
                      "more than 65 KB stand before a file"),
    "a name in Latin-1": (packed_tar(gzip.compress, named("gr\udcf6\udcdfe")),
                          "the name gr??e is not in UTF-8"),
    "a name in no code": (zipped(é=b"x").replace("é".encode(), b"\xff\xff"),
                          "is damaged, cut off or of an unknown kind"),
    "a bad bzip2": (b"BZh91AY&SY" + bytes(100), "is damaged, cut off or of an unknown kind"),
    "a bad xz": (b"\xfd7zXZ\0" + bytes(100), "is damaged, cut off or of an unknown kind"),
    "a cut tar.gz": (packed_tar(gzip.compress, named("a" * 90))[:-20], "is damaged, cut off"),
    "no moses.ini": (zipped(table=b"x"), "there is no moses.ini in the archive"),
    "two": (zipped(**{"a/moses.ini": b"x", "b/moses.ini": b"x"}), "there are 2 files moses.ini"),
    "an empty one": (zipped(**{"moses.ini": b""}), "moses.ini: the file is empty"),
    "another's file": (system_of(INI.format(table="/etc/passwd")), "/etc/passwd, which leads out"),
    "up the tree": (system_of(INI.format(table="../../../etc/passwd")), "which leads out"),
    "a variable": (system_of(INI.format(table="${HOME}/table")), "has a variable in it"),
    "no table": (system_of(INI.format(table="phrases.gz")), "the archive has no such file"),
    "an unknown feature": (system_of(INI.replace("WordPenalty\n", "NeuralModel\n")), "NeuralModel"),
    "no weight": (system_of(INI.replace("LM0= 1", "").format(table="table")), "no weight for LM0"),
    "a weight nan": (system_of(INI.replace("LM0= 1", "LM0= nan").format(table="table")),
                     "a weight is not a finite number"),
    "through its folder": (system_of(INI.format(table="../system/table")), "goes up in it"),
    "through nowhere": (system_of(INI.format(table="nowhere/../table")), "goes up in it"),
    "no path": (system_of(INI.format(table="")),
                "moses.ini: TranslationModel0 has the path ., and the archive has no such file"),
    "a long path": (system_of(INI.format(table="x" * 300)), "and the archive has no such file"),
    "a zero byte": (system_of(INI.format(table="a\0b")), "moses.ini:4: there is a zero byte"),
    "a packed bomb": (system_of("", **{"moses.ini": gzip.compress(b"#" * 2_000_000)}),
                      "moses.ini: holds more than 1,000,000 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("which", ARCHIVES)
def test_a_bad_archive(client, nothing_kept, which):
    content, says = ARCHIVES[which]
    answer = client.post(
        reverse("decoding:add-moses"),
        {
            "name": "bad",
            "source_language": "de",
            "target_language": "en",
            "archive": upload("system.zip", content),
        },
    )
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not System.objects.exists()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_good_tar(tmp_path, pack):
    members = [named("./", tarfile.DIRTYPE), named("./model", tarfile.DIRTYPE)]
    long = "model/" + "n" * 200 + "/" + "o" * 200
    content = bytes(range(256)) * 1000
    table = named(long)
    table.size = len(content)
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for member in members:
            archive.addfile(member)
        archive.addfile(table, io.BytesIO(content))
    unpack_archive(io.BytesIO(pack(plain.getvalue())), "a.tar", tmp_path)
    assert (tmp_path / long).read_bytes() == content


def test_uploads_arrive_on_the_disk_of_the_data(settings, rf, user):
    request = rf.post("/")
    request.user = user
    handler = LimitedUploadHandler(request)
    with pytest.raises(StopFutureHandlers):
        handler.new_file("file", "a.txt", "text/plain", None)
    arriving = Path(handler.file.temporary_file_path())
    handler.file.close()
    assert arriving.parent == scratch()
    assert scratch().is_relative_to(settings.DATA_DIR)


def test_who_is_not_signed_in_uploads_nothing(settings, monkeypatch):
    from django.test import Client

    opened = []
    monkeypatch.setattr(
        "django.core.files.uploadhandler.TemporaryUploadedFile", lambda *args: opened.append(args)
    )
    for enforced in (False, True):  # whose check reads the form before any view
        visitor = Client(enforce_csrf_checks=enforced)
        answer = visitor.post(reverse("login"), {"username": "x", "file": upload("a", TWO_LINES)})
        assert answer.status_code in (200, 403, 422)
    assert not opened


@pytest.mark.parametrize("name", ["é" * 255, "a." + "x" * 250, "a" * 250 + ".gz"])
def test_a_file_may_have_a_long_name(client, name):
    answer = client.post(
        reverse("decoding:add-corpus"),
        {
            "name": "good", "source_language": "de", "target_language": "en", "format": "text",
            "source": upload(name, TWO_LINES),
        },
    )  # fmt: skip
    assert answer.status_code == 302


def test_paths_of_the_server_are_for_administrators(client):
    answer = client.post(
        reverse("decoding:add-moses"),
        {"name": "x", "source_language": "de", "target_language": "en", "path": "/etc/moses.ini"},
    )
    assert answer.status_code == 422
    assert "path" not in answer.context["form"].fields


GOOD = {
    "text": ("text", ("a.txt", TWO_LINES), [("b.txt", b"the house\na house\n")]),
    "packed, with carriage returns": (
        "text", ("a.gz", gzip.compress(b"das haus\r\nein haus\r\n")),
        [("b", b"the house\r\na house\r\n")],
    ),
    "tsv with a title": (
        "tsv", ("a.tsv", b"Source\tref\ndas haus\tthe house\nein haus\ta house\n"), [],
    ),
    "json lines": (
        "jsonl",
        ("a.jsonl", b"".join(
            json.dumps({"source": s, "references": [r]}).encode() + b"\n"
            for s, r in (("das haus", "the house"), ("ein haus", "a house"))
        )), [],
    ),
    "sgml": (
        "wmt",
        ("a.sgm", SGM.replace(b"</doc>", b'<seg id="2"> ein\nhaus </seg></doc>')),
        [("b.sgm", b'<refset><doc docid="a"><seg id=1>the house</seg><seg id=2>a house</seg>')],
    ),
    "xml": (
        "wmt",
        ("a.xml", b"""<?xml version='1.0' encoding='utf-8'?>
<dataset id="t"><doc id="a"><src lang="de"><p><seg id="1">das haus</seg>
<seg id="2">ein haus</seg></p></src><ref lang="en" translator="A"><p><seg id="1">the house</seg>
<seg id="2">a house</seg></p></ref><hyp system="X"><p><seg id="1">it</seg></p></hyp></doc></dataset>
"""), [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("which", GOOD)
def test_a_good_corpus(client, which):
    kind, source, references = GOOD[which]
    answer = client.post(
        reverse("decoding:add-corpus"),
        {
            "name": "good",
            "source_language": "de",
            "target_language": "ar",
            "format": kind,
            "source": upload(*source),
            "references": [upload(*reference) for reference in references],
            "licence": "CC BY 4.0",
        },
    )
    corpus = Corpus.objects.get()
    assert answer.status_code == 302
    assert answer["Location"] == corpus.get_absolute_url()
    assert [
        (segment.number, segment.source, segment.length, segment.references.get().text)
        for segment in corpus.segments.all()
    ] == [(1, "das haus", 2, "the house"), (2, "ein haus", 2, "a house")]
    assert (corpus.segment_count, corpus.most_references) == (2, 1)
    assert (corpus.source_direction, corpus.target_direction) == ("ltr", "rtl")
    assert corpus.licence == "CC BY 4.0"
    page = client.get(corpus.get_absolute_url()).content.decode()
    assert 'lang="de">das haus</div>' in page
    again = client.post(reverse("decoding:add-corpus"), {"name": "good", "source_language": "de",
        "target_language": "ar", "format": "text", "source": upload("a", TWO_LINES)})  # fmt: skip
    assert "you have a corpus named good already" in again.content.decode()
