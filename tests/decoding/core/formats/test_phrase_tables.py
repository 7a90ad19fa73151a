import contextlib
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoding.core.formats.phrase_tables import read_phrase_table, read_reordering_table
from decoding.core.translation.moses import read_moses_system
from evaluation.core.errors import InputError
from tests.decoding.moses_toy import REORDERING, TABLE, write_toy


def test_fields_are_taken_apart(tmp_path):
    (tmp_path / "table").write_text(
        "das  haus ||| the house ||| 0.5 1 ||| 0-0 1-1 ||| 1 2 1 ||| |||\n"
    )
    (pair,) = read_phrase_table(tmp_path / "table")
    assert (pair.source, pair.target) == ("das haus", "the house")
    assert pair.scores == (0.5, 1.0)
    assert pair.alignment == ((0, 0), (1, 1))


def test_only_ascii_blanks_part_words(tmp_path):
    (tmp_path / "table").write_text("10\u00a0km ||| 10\u00a0km\tlong ||| 1\n")
    (pair,) = read_phrase_table(tmp_path / "table")
    assert (pair.source, pair.target) == ("10\u00a0km", "10\u00a0km long")


def test_the_longest_phrases_keep_their_alignment(tmp_path):
    words = " ".join(["das"] * 255)
    content = TABLE + f"{words} ||| {words} ||| 1 1 1 1 ||| 254-254 0-254\n"
    system = read_moses_system(write_toy(tmp_path, table=content))
    assert system.table.points.max() == 254


LINE = "das ||| the ||| 0.6 0.5 0.5 0.4 ||| 0-0 ||| 9 8 7\n"


@pytest.mark.parametrize(
    ("new", "problem"),
    [
        ("das ||| the\n", "table:3: expected 3 to 7 fields separated by |||, found 2"),
        ("das ||| the ||| 1 1 1\n", "table:3: expected 4 scores, found 3"),
        ("das ||| the ||| 1 1 1 1 1\n", "table:3: expected 4 scores, found 5"),
        ("das ||| the ||| 1 1 x 1\n", "table:3: a score is not a number"),
        ("das ||| the ||| 1 1 nan 1\n", "table:3: the score nan is not"),
        ("das ||| the ||| 1 1 inf 1\n", "table:3: the score inf is not"),
        ("das ||| the ||| 1 1 -1 1\n", "table:3: the score -1.0 is not"),
        (" ||| the ||| 1 1 1 1\n", "table:3: the source phrase is empty"),
        ("das ||| ||| 1 1 1 1\n", "table:3: the target phrase is empty"),
        ("das ||| the ||| 1 1 1 1 ||| 0-1\n", "table:3: the alignment point '0-1' does not fit"),
        ("das ||| the ||| 1 1 1 1 ||| 0\n", "table:3: the alignment point '0' does not fit"),
        (LINE + LINE, "table: the pair 'das' ||| 'the' is there twice"),
        ("das ||| the ||| 1 1 1 1 ||| ²-0\n", "table:3: the alignment point '²-0' does not fit"),
        ("das ||| the ||| 1 1 1 1 ||| ٠-٠\n", "table:3: the alignment point '٠-٠' does not fit"),
        (f"das ||| the ||| 1 1 1 1 ||| {'1' * 5000}-0\n", "table:3: the alignment point '1111"),
        (f"{'das ' * 256} ||| the ||| 1 1 1 1 ||| 255-0\n", "table:3: a phrase has 256 words"),
        (f"das ||| {'the ' * 300} ||| 1 1 1 1 ||| 0-299\n", "table:3: a phrase has 300 words"),
        ("das ||| the\0x ||| 1 1 1 1\n", "table:3: there is a zero byte"),
        (b"das ||| \xff ||| 1 1 1 1\n", "table:3: byte"),
    ],
)
def test_bad_lines_of_a_phrase_table(tmp_path, new, problem):
    new = new if isinstance(new, bytes) else new.encode()
    content = TABLE.encode().replace(LINE.encode(), new)
    with pytest.raises(InputError) as caught:
        read_moses_system(write_toy(tmp_path, table=content))
    assert problem in str(caught.value)


def test_an_empty_table(tmp_path):
    with pytest.raises(InputError, match="the phrase table is empty"):
        read_moses_system(write_toy(tmp_path, table="\n"))


@pytest.mark.parametrize("name", ["table", "reordering", "arpa"])
def test_a_truncated_gzip(tmp_path, name):
    whole = gzip.compress(
        (tmp_path / name).read_bytes() if (tmp_path / name).exists() else b"x" * 999
    )
    with pytest.raises(InputError, match=f"{name}: the gzip data are damaged or cut off"):
        read_moses_system(write_toy(tmp_path, **{name: whole[:-10]}))


@pytest.mark.parametrize(
    ("new", "problem"),
    [
        ("das ||| the ||| 1 1 1 1 1\n", "reordering:3: expected 6 scores, found 5"),
        ("das ||| 1 1 1 1 1 1\n", "reordering:3: expected 3 fields separated by |||, found 2"),
        ("das ||| the ||| 1 1 1 1 1 x\n", "reordering:3: a score is not a number"),
        ("das ||| the ||| 1 1 1 1 1 nan\n", "reordering:3: the score nan"),
    ],
)
def test_bad_lines_of_a_reordering_table(tmp_path, new, problem):
    line = "das ||| the ||| 0.6 0.2 0.2 0.6 0.2 0.2\n"
    with pytest.raises(InputError) as caught:
        read_moses_system(write_toy(tmp_path, reordering=REORDERING.replace(line, new)))
    assert problem in str(caught.value)


def test_pairs_without_reordering_entry_score_nothing(tmp_path):
    line = "das ||| that ||| 0.6 0.2 0.2 0.6 0.2 0.2\n"
    system = read_moses_system(write_toy(tmp_path, reordering=REORDERING.replace(line, "")))
    assert (system.table.reordering == 0).all(axis=1).sum() == 1


def test_entries_by_source_alone(tmp_path):
    (tmp_path / "r").write_text("das ||| 0.5 0.5\n")
    (entry,) = read_reordering_table(tmp_path / "r", scores=2, with_target=False)
    assert (entry.source, entry.target, entry.scores) == ("das", None, (0.5, 0.5))


@given(st.binary(max_size=200), st.integers(0, len(TABLE)))
def test_damaged_tables_are_read_or_refused(tmp_path_factory, damage, at):
    """Whatever is in a file: pairs with finite scores, or an `InputError`."""
    path = tmp_path_factory.mktemp("damaged") / "table"
    path.write_bytes(TABLE.encode()[:at] + damage + TABLE.encode()[at:])
    with contextlib.suppress(InputError):
        for pair in read_phrase_table(path, scores=4):
            assert pair.source
            assert pair.target
            assert len(pair.scores) == 4
