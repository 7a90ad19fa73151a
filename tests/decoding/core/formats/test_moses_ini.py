import pytest

from decoding.core.formats.moses_ini import read_moses_ini
from decoding.core.search.decoder import Decoder
from decoding.core.translation.moses import read_moses_system
from evaluation.core.errors import InputError
from tests.decoding.moses_toy import INI, OLD_INI, write_toy


def test_what_a_new_file_says(tmp_path):
    ini = read_moses_ini(write_toy(tmp_path))
    assert [f.name for f in ini.features] == [
        "UnknownWordPenalty0", "WordPenalty0", "PhrasePenalty0", "TranslationModel0",
        "LexicalReordering0", "Distortion0", "LM0",
    ]  # fmt: skip
    assert ini.weights["TranslationModel0"] == (0.2, 0.1, 0.2, 0.1)
    (table,) = ini.of_kind("PhraseDictionaryMemory")
    assert (table.path, table.count, table.table_limit) == (tmp_path / "table", 4, 20)
    assert ini.distortion_limit == 6
    assert not ini.early_distortion


def test_old_and_new_files_of_one_system_score_alike(tmp_path):
    old = Decoder(read_moses_system(write_toy(tmp_path, ini=OLD_INI)))
    without = INI.replace("PhrasePenalty\n", "").replace("PhrasePenalty0= 0.1\n", "")
    new = Decoder(read_moses_system(write_toy(tmp_path, ini=without)))
    one, other = (d.search(d.collect("klein ist das haus auto")).best() for d in (old, new))
    assert one.text == other.text
    assert one.score == pytest.approx(other.score)
    assert one.features == pytest.approx(other.features)


@pytest.mark.parametrize(
    ("found", "limit"), [("6", 6), ("0", 0), ("-1", None)], ids=["some", "none", "unlimited"]
)
def test_distortion_limit(tmp_path, found, limit):
    text = INI.replace("[distortion-limit]\n6", f"[distortion-limit]\n{found}")
    assert read_moses_ini(write_toy(tmp_path, ini=text)).distortion_limit == limit


def test_sections_about_moses_itself_are_kept_apart(tmp_path):
    text = INI + "\n[threads]\n4\n[stack]\n200\n[early-distortion-cost]\n1\n"
    ini = read_moses_ini(write_toy(tmp_path, ini=text))
    assert ini.settings == {"threads": "4", "stack": "200"}
    assert ini.early_distortion


def test_paths_start_from_a_given_folder(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "config").mkdir()
    write_toy(tmp_path / "models")
    ini = tmp_path / "config/moses.ini"
    ini.write_text(INI)
    assert len(read_moses_system(ini, base=tmp_path / "models").languages) == 1


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[mapping]", "[generation-file]\n0\n[mapping]", r"moses.ini:5: \[generation-file\] is not"),
        ("[mapping]", "[xml-input]\ninclusive\n[mapping]", r"\[xml-input\] is not supported"),
        ("0 T 0", "0 T 0\n1 T 1", r"\[mapping\] has more than one step"),
        ("[input-factors]\n0", "[input-factors]\n0\n1", "factored input"),
        ("order=2", "order=2 oov-feature=1", "moses.ini:18: KENLM with oov-feature="),
        ("order=2", "order=3", "is said to be of order 3, and is of 2"),
        ("order=2", "order=two", "order needs a whole number"),
        ("PhraseDictionaryMemory", "ProbingPT", "binary phrase table"),
        ("PhraseDictionaryMemory", "RuleTable", "the feature RuleTable is not supported"),
        ("wbe-msd", "hier-msd", "hier is not"),
        ("-allff", "-collapseff", "collapseff is not"),
        ("msd-bidirectional", "sdm-bidirectional", "unknown part, 'sdm'"),
        ("num-features=6 type=wbe-msd", "num-features=6 type=mslr", "has 8 values, not 6"),
        ("Distortion\n", "Distortion\nOpSequenceModel path=x\n", "OpSequenceModel is not supported"),
        ("path=table", "path=${MODELS}/table", "has a variable"),
        ("path=table", "path=nowhere", "nowhere: cannot be read"),
        ("LM0= 0.3", "LM0= nan", "not a finite number"),
        ("LM0= 0.3", "", "no weight for LM0"),
        ("LM0= 0.3", "LM1= 0.3", "'LM1', which is no feature"),
        ("0.2 0.1 0.2 0.1", "0.2 0.1 0.2", "has 4 values and 3 weights"),
        ("[weight]", "[weight]\nDistortion0= 1\n[weight]", r"\[weight\] is there twice"),
        ("WordPenalty\n", "WordPenalty\nWordPenalty\n", "WordPenalty is there twice"),
        ("[distortion-limit]\n6", "[distortion-limit]\nsix", "needs a whole number from -1 to 1,000, not 'six'"),
        ("[distortion-limit]\n6", "[distortion-limit]\n-2", "from -1 to 1,000, not '-2'"),
        ("[distortion-limit]\n6", "[distortion-limit]\n" + "9" * 5000, "from -1 to 1,000, not '999"),
        ("table-limit=20", "table-limit=-1", "ini:15: table-limit needs a whole number from 0 to 10,000"),
        ("table-limit=20", "table-limit=2000000000", "table-limit needs a whole number from 0 to 10,000"),
        ("num-features=6", "num-features=" + "1" * 5000, "num-features needs a whole number"),
        ("LM0= 0.3", "LM0= 1e7", "a weight is 1e\\+07, and 1,000,000 is the most"),
        ("path=table", "path=ta\0ble", "ini:15: there is a zero byte"),
        ("Distortion\n", "Distortion\n" * 95, "101 features, and 100 is the most"),
        ("# a comment", "#" * 1_000_000, "moses.ini: holds more than 1,000,000 bytes"),
        ("# a comment", "nonsense", "expected a section"),
        (INI, "", "the file is empty"),
        (INI, "[weight]\n", r"expected \[feature\], or \[ttable-file\]"),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_named(tmp_path, old, new, problem):
    assert old in INI
    with pytest.raises(InputError, match=problem):
        read_moses_system(write_toy(tmp_path, ini=INI.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("0 0 0 4 table", "6 0 0 4 table", "expected '0 0 0 scores path'"),
        ("0 0 0 4 table", "0 0 0 four table", "the number of scores needs a whole number"),
        ("[ttable-limit]\n20", "[ttable-limit]\n10001", r"\[ttable-limit\] needs a whole number from 0"),
        ("8 0 2 arpa", "8 0 two arpa", "the order needs a whole number"),
        ("0-0 wbe", "0-1 wbe", "expected '0-0 type scores path'"),
        ("8 0 2 arpa", "8 0 arpa", "expected 'implementation 0 order path'"),
        ("[weight-l]\n0.3", "[weight-l]\n0.3\n0.4", r"\[weight-l\] has 2 weights, and the models have 1"),
        ("[weight-w]\n-0.1", "", r"\[weight-w\] has 0 weights"),
    ],
)  # fmt: skip
def test_old_files_too(tmp_path, old, new, problem):
    assert old in OLD_INI
    with pytest.raises(InputError, match=problem):
        read_moses_system(write_toy(tmp_path, ini=OLD_INI.replace(old, new, 1)))
