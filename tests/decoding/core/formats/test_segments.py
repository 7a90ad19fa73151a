"""Corpora as files: what is read, what is refused, and that no line takes the square of its length."""

from __future__ import annotations

import time

import pytest

from decoding.core.formats import segments
from decoding.core.formats.segments import SegmentText, read_segments, text_problem
from evaluation.core.errors import InputError

XML = (
    "<dataset><doc id='d'>\n<src><p><seg id='1'>das haus</seg>\n<seg id='2'>ein haus</seg></p></src>\n"
    "<ref translator='A'><p><seg id='1'>the house</seg></p></ref>\n</doc></dataset>\n"
)
SGML = (
    '<srcset><doc docid="a 1">\n<seg id="1">das haus</seg>\n<seg id="2">ein\nhaus</seg>\n</doc>\n'
)


@pytest.fixture
def read(tmp_path):
    def read(kind, source, *references):
        paths = [tmp_path / name for name in "abc"]
        for path, content in zip(paths, (source, *references), strict=False):
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return list(read_segments(kind, paths[0], paths[1 : 1 + len(references)]))

    return read


def test_test_sets_of_wmt(read):
    assert read("wmt", SGML, SGML.replace("srcset", "refset").replace("haus", "house")) == [
        SegmentText("das haus", ("das house",), "a 1"),
        SegmentText("ein haus", ("ein house",), "a 1"),
    ]
    assert read("wmt", XML) == [
        SegmentText("das haus", ("the house",), "d"),
        SegmentText("ein haus", ("",), "d"),
    ]


@pytest.mark.parametrize("declared", ["utf-8", "UTF-8", "us-ascii"])
def test_an_xml_file_may_say_that_it_is_utf8(read, declared):
    text = f"<?xml version='1.0' encoding='{declared}'?>\n" + XML.replace("das", "größtes")
    assert read("wmt", text)[0].source == "größtes haus"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("<seg id='1'>the", "<seg id='3'>the",
         "a:4: <ref> has segment 3 of d, and <src> has not"),
        ("das haus", "das <seg id='3'>haus</seg>", "a:2: <seg> within <seg>"),
        ("<seg id='2'>", "<seg id='1'>", "a:3: segment 1 of d is there twice"),
        ("<dataset>", "<?xml version='1.0' encoding='latin-1'?><dataset>",
         "a:1: the file says that it is in latin-1. Save it as UTF-8"),
        ("<dataset>", "<?xml version='1.0' encoding='foo'?><dataset>", "a:1: the file says"),
        ("das haus", "das\x07haus", "a:2: not XML"),
        ("das haus", "das haus " * 1200, "a:2: the segment that begins here has more than 10,000"),
        ("das haus", "wort\n" * 2500, "a:2: the segment that begins here has more than 10,000"),
        ("<src>", "<b>" * 200 + "<src>", "a:2: there are too many tags"),
        ("<src>", "".join(f"<b{n}/>" for n in range(2000)) + "<src>", "a:2: there are too many"),
        ("<src>", "".join(f"<ref translator='{n}'/>" for n in range(9)), "a:2: 9 references"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_xml(read, old, new, problem):
    assert old in XML
    with pytest.raises(InputError) as caught:
        read("wmt", XML.replace(old, new, 1))
    assert problem in str(caught.value)


@pytest.mark.parametrize("begin", ["<!--", "<seg id='", "<?x "])
def test_of_what_does_not_end_in_xml_little_is_read(read, begin):
    """What is cut in two is read again from its beginning with each block."""
    never_read = b"\xff"
    bad = ("<dataset>\n" + begin + "wort\n" * 100_000).encode() + never_read
    with pytest.raises(InputError, match="a:2: what begins here does not end within 100,000"):
        read("wmt", bad)


def test_long_texts_that_are_not_kept_may_be_in_xml(read):
    hypothesis = "<hyp system='X'>" + "wort\n" * 100_000 + "</hyp>\n"
    assert len(read("wmt", XML.replace("</doc>", hypothesis + "</doc>"))) == 2


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('id="2"', 'id="1"', "a:3: segment 1 of a 1 is there twice"),
        ("ein\n", "ein\n" + "\n" * 10_001,
         "a:3: the segment that begins here has more than 10,000 characters, or does not end"),
        ("das haus", "&#" + "1" * 5000, "a:2: a character reference is none"),
        ("das haus", "das haus</seg>", "a:2: </seg> without <seg>"),
        ("das haus", "<seg>", "a:2: <seg> within <seg>"),
        ("a 1", "a\x1b", "a:2: the document's name has the control character U+001B in it"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_sgml(read, old, new, problem):
    assert old in SGML
    with pytest.raises(InputError) as caught:
        read("wmt", SGML.replace(old, new, 1))
    assert problem in str(caught.value)


def test_the_sides_must_be_of_one_test_set(read):
    shorter = SGML.replace('<seg id="2">ein\nhaus</seg>', "")
    with pytest.raises(InputError, match="b: expected segment 2 of a 1, found the end"):
        read("wmt", SGML, shorter)
    with pytest.raises(InputError, match="b:3: expected the end, found segment 2 of a 1"):
        read("wmt", shorter, SGML)


@pytest.mark.parametrize(
    "line",
    [
        lambda n: "<" + " " * n,
        lambda n: "<a" * n,
        lambda n: "<" * n,
        lambda n: "<b " + "a" * n + ">",
        lambda n: "<doc " + "a" * n + ">",
        lambda n: "<doc " + "a " * n + ">",
        lambda n: "<doc a=" + " " * n + ">",
        lambda n: "<doc " + "a='" * n + ">",
    ],
)
def test_a_line_of_sgml_takes_time_in_proportion(read, line):
    def seconds(n):
        begin = time.process_time()
        assert len(read("wmt", "<srcset><seg>a</seg>\n" + line(n) + "\n")) == 1
        return time.process_time() - begin

    short, long = (min(seconds(n) for _ in range(3)) for n in (50_000, 400_000))
    assert long < 24 * short, "8 times the line took 24 times the time"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"source": "a", "source": "b"}', "not JSON: 'source' is there twice"),
        ('{"source": "a: b", "x": {"y": 1, "y": 2}}', "not JSON: 'y' is there twice"),
        ('{"source": "a", "document": "\\ud800"}', "the document's name has half a surrogate"),
        ('{"source": "a", "document": "x\\u0000"}', "the document's name has a zero byte in it"),
        (
            '{"source": "a", "references": ["\\u001b[31m"]}',
            "has the control character U+001B in it",
        ),
    ],
)
def test_what_is_wrong_in_json(read, line, problem):
    with pytest.raises(InputError) as caught:
        read("jsonl", '{"source": "a"}\n' + line + "\n")
    assert str(caught.value).startswith("a:2: ")
    assert problem in str(caught.value)


def test_a_segment_of_json_is_one_line(read):
    line = '{"source": "das\\nhaus: \\u00a0x", "references": ["the\\r\\nhouse"]}\n'
    assert read("jsonl", line) == [SegmentText("das haus: \u00a0x", ("the house",))]


@pytest.mark.parametrize(
    ("kind", "files"),
    [
        ("text", ["wort\n" * 9, "word\n" * 9]),
        ("tsv", ["wort\tword\n" * 9]),
        ("jsonl", ['{"source": "wort", "references": ["word"]}\n' * 9]),
        ("wmt", [SGML, SGML]),
        ("wmt", [XML]),
    ],
)
def test_a_corpus_is_read_no_further_than_it_may_be_long(read, monkeypatch, kind, files):
    whole = read(kind, *files)
    size = sum(len(one.source) + len("".join(one.references)) for one in whole)
    monkeypatch.setattr(segments, "MOST_CHARACTERS", size)
    assert read(kind, *files) == whole
    monkeypatch.setattr(segments, "MOST_CHARACTERS", size - 1)
    with pytest.raises(InputError, match="a: the corpus has more than"):
        read(kind, *files)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\x1b[31m", "has the control character U+001B in it"),
        ("a\x07", "has the control character U+0007 in it"),
        ("a\x85b", "has the control character U+0085 in it"),
        ("a\x00", "has a zero byte in it"),
        ("\udfff", "has half a surrogate pair in it, which is no character"),
        ("\u200b", "has nothing in it that can be seen"),
        ("\u200e \u2069", "has nothing in it that can be seen"),
        ("." * 1001, "has a word of 1,001 characters, and 1,000 is the most"),
        ("haus " * 500 + "。" * 1001, "has a word of 1,001 characters, and 1,000 is the most"),
        ("haus " * 2001, "has 10,005 characters, and 10,000 is the most"),
    ],
)
def test_what_is_no_sentence(text, problem):
    assert text_problem(text) == problem


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\tb",
        "10\u00a0km",
        "می\u200cخواهم",  # Persian, with a joiner that parts
        "\u200fשלום\u200f \u2066abc\u2069",  # marks and isolates of direction
        "क्\u200dष",
        "Haus\u00adtür",
        "👩\u200d👩\u200d👧",
        "\ue000",  # for private use
        "." * 1000,
        "haus " * 1999,
        "我们在这里" * 2000,
        "これはペンです" * 1000,
        "가나다라마" * 2000,
    ],
)
def test_what_people_write(text):
    assert text_problem(text) == ""
