"""ARPA files: n-gram models as text, with log10 probabilities and back-offs.

The format is that of Doug Paul's tools at MIT Lincoln Labs, as SRILM and KenLM read and write
it. Numbers are read by a kernel, so that a million n-grams take about a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from numba import njit

from decoding.core.formats.text import read_utf8, write_utf8
from decoding.core.language.automaton import RepeatedNGramError
from decoding.core.language.model import LanguageModel
from decoding.core.language.ngrams import MAX_ORDER, BackoffModel, NGrams
from decoding.core.language.vocabulary import (
    BEGIN,
    END,
    NEWLINE,
    SPECIAL_WORDS,
    Vocabulary,
    WordTable,
    add_word,
    empty_table,
    ends_word,
    is_blank,
    word_slot,
)
from evaluation.core.errors import InputError

# What KenLM gives to unknown words when a file has no <unk>.
UNKNOWN_LOG10 = -100.0

_COUNT = re.compile(rb"ngram[ \t]+(\d{1,18})[ \t]*=[ \t]*(\d{1,18})\Z")

# What a kernel that reads n-grams has found.
_DONE, _TOO_FEW, _NO_NUMBER, _POSITIVE, _FIELDS, _NEW_WORD, _REPEATED, _BACKOFF = range(8)
_PROBLEMS = {
    _NO_NUMBER: ("the log10 probability is not a finite number", "Write -99 for probability 0."),
    _POSITIVE: ("the log10 probability is greater than 0", "ARPA files hold log10 probabilities."),
    _NEW_WORD: ("a word is not among the 1-grams", "Every word needs a 1-gram."),
    _REPEATED: ("the word is there twice", "Delete one of the two lines."),
    _BACKOFF: ("the back-off is not a finite number", "Write 0 or leave it out."),
}


@njit(cache=True, nogil=True)
def _read_number(data, start, stop):  # type: ignore[no-untyped-def]
    """The decimal number ``data[start:stop]``, or NaN. Correct to within one unit of float64."""
    i, negative = start, False
    if i < stop and (data[i] == 45 or data[i] == 43):  # - +
        negative = data[i] == 45
        i += 1
    mantissa, exponent, digits, point = np.int64(0), 0, 0, False
    while i < stop:
        byte = data[i]
        if 48 <= byte <= 57:
            if mantissa < 10**17:
                mantissa = mantissa * 10 + (byte - 48)
                exponent -= point
            else:
                exponent += not point
            digits += 1
        elif byte == 46 and not point:  # .
            point = True
        else:
            break
        i += 1
    if digits == 0:
        return np.nan
    if i < stop and (data[i] == 101 or data[i] == 69):  # e E
        i += 1
        sign = 1
        if i < stop and (data[i] == 45 or data[i] == 43):
            sign = -1 if data[i] == 45 else 1
            i += 1
        if i == stop:
            return np.nan
        power = 0
        while i < stop and 48 <= data[i] <= 57:
            power = min(power * 10 + (data[i] - 48), 9999)
            i += 1
        exponent += sign * power
    if i < stop:
        return np.nan
    value = mantissa / 10.0**-exponent if exponent < 0 else mantissa * 10.0**exponent
    return -value if negative else value


@njit(cache=True, nogil=True)
def _read_ngrams(data, position, table, known, highest, words, scores, backoffs):  # type: ignore[no-untyped-def]
    """Read one n-gram for each row of ``words`` from the line that starts at ``position``.

    Words of 1-grams are added to the table, which has ``known`` words. Returns what stopped it,
    the position and index of the line where it stopped, and the count of known words.
    """
    count, order = words.shape
    size = data.size
    special = np.zeros(len(SPECIAL_WORDS), np.bool_)  # which of them have been seen
    for i in range(count):
        line = start = position
        fields = 0
        while start < size and data[start] != NEWLINE:
            if is_blank(data[start]):
                start += 1
                continue
            end = start + 1
            while end < size and not ends_word(data[end]):
                end += 1
            if fields == 0:
                if data[start] == 92:  # a backslash: the next section
                    return _TOO_FEW, line, i, known
                scores[i] = _read_number(data, start, end)
                if not np.isfinite(scores[i]):  # what is kept may be infinite where it was not
                    return _NO_NUMBER, line, i, known
                if scores[i] > 0.0:
                    return _POSITIVE, line, i, known
            elif fields <= order:
                if order == 1:
                    number = add_word(table, known, data, start, end)
                    if number < known and (number >= special.size or special[number]):
                        return _REPEATED, line, i, known
                    if number < known:
                        special[number] = True
                    known = max(known, number + 1)
                    words[i, 0] = number
                else:
                    number = table.slots[word_slot(table, data, start, end)]
                    if number < 0:
                        return _NEW_WORD, line, i, known
                    words[i, fields - 1] = number
            elif fields == order + 1 and not highest:
                backoffs[i] = _read_number(data, start, end)
                if not np.isfinite(backoffs[i]):
                    return _BACKOFF, line, i, known
            fields += 1
            start = end
        if fields == 0:
            return _TOO_FEW, line, i, known
        if fields < order + 1 or fields > order + 2 - highest:
            return _FIELDS, line, i, known
        position = start + 1
    return _DONE, position, count, known


def _refuse_binary(path: Path) -> None:
    """Say what it is before it is found to be no text."""
    with suppress(OSError), path.open("rb") as file:
        if file.read(8) == b"mmap lm ":
            raise InputError(
                "is a binary file of KenLM, which only KenLM can read",
                path=path,
                hint="Give the ARPA file from which it was built.",
            )


class _Reader:
    """The text of one file and where reading it has come to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _refuse_binary(path)
        self.text = read_utf8(path)
        self.data = np.frombuffer(self.text, np.uint8)
        self.position = 0

    def line(self) -> bytes | None:
        """The next line that is not blank, without the blanks around it; None at the end."""
        while self.position < len(self.text):
            stop = self.text.find(b"\n", self.position)
            stop = len(self.text) if stop < 0 else stop
            line = self.text[self.position : stop].strip()
            self.start, self.position = self.position, stop + 1
            if line:
                return line
        self.start = len(self.text)
        return None

    def error(self, problem: str, at: int, hint: str = "") -> InputError:
        """An error in the line that holds the byte ``at``."""
        line = self.text.count(b"\n", 0, at) + 1
        return InputError(problem, path=self.path, line=line, hint=hint)


def read_arpa(path: Path, *, unknown_log10: float = UNKNOWN_LOG10) -> BackoffModel:
    """Read a model, gzipped or not, of order 1 to 7. Takes memory of twice the text's size.

    Words without a number of their own, ``<unk>``, have ``unknown_log10`` if the file does not
    name them. Whatever is wrong in the file is an `InputError` with its line.
    """
    reader = _Reader(path)
    counts = _read_counts(reader)
    table, known = empty_table(counts[0], len(reader.text))
    orders = []
    for order, count in enumerate(counts, 1):
        ngrams, known = _read_section(reader, order, count, len(counts), table, known)
        orders.append(ngrams)
    line = reader.line()
    if line != b"\\end\\":
        raise reader.error(
            "expected \\end\\ after the last n-gram",
            reader.start,
            "The header announces too few n-grams, or the file is cut off.",
        )
    vocabulary = Vocabulary.from_table(table, known)
    if "<UNK>" in vocabulary.numbers:
        raise InputError(
            "the unknown word is written <UNK>", path=path, hint="Replace it by <unk> throughout."
        )
    orders[0] = _by_word(reader, orders[0], known, unknown_log10)
    return BackoffModel(vocabulary, tuple(orders))


def _read_counts(reader: _Reader) -> list[int]:
    line = reader.line()
    while line is not None and line != b"\\data\\":  # a preface is allowed
        line = reader.line()
    if line is None:
        raise reader.error("there is no line \\data\\", 0, "Is this an ARPA file?")
    counts: list[int] = []
    while (line := reader.line()) is not None and not line.startswith(b"\\"):
        match = _COUNT.match(line)
        if match is None or int(match[1]) != len(counts) + 1:
            raise reader.error(f"expected 'ngram {len(counts) + 1}=' and a count", reader.start)
        if int(match[2]) > len(reader.text):
            raise reader.error("the file is too short for so many n-grams", reader.start)
        counts.append(int(match[2]))
    if not 1 <= len(counts) <= MAX_ORDER:
        raise reader.error(f"the order is {len(counts)}, not 1 to {MAX_ORDER}", reader.start)
    reader.position = reader.start
    return counts


def _read_section(
    reader: _Reader, order: int, count: int, highest: int, table: WordTable, known: int
) -> tuple[NGrams, int]:
    """Read the n-grams of one order; returns them and how many words are known."""
    title = f"\\{order}-grams:"
    if reader.line() != title.encode():
        raise reader.error(
            f"expected {title}",
            reader.start,
            "The header announces another count of n-grams, or the file is cut off.",
        )
    ngrams = NGrams(
        np.empty((count, order), np.int32),
        np.empty(count, np.float32),
        np.zeros(count, np.float32),
    )
    status, position, index, known = _read_ngrams(
        reader.data, reader.position, table, known, order == highest,
        ngrams.words, ngrams.log10_probability, ngrams.log10_backoff,
    )  # fmt: skip
    if status == _TOO_FEW:
        raise reader.error(
            f"the header announces {count} {order}-grams, and here are {index}", position
        )
    if status == _FIELDS:
        wanted = f"a number and {order} words" + ("" if order == highest else " and a back-off")
        raise reader.error(f"expected {wanted}", position)
    if status != _DONE:
        raise reader.error(_PROBLEMS[status][0], position, _PROBLEMS[status][1])
    reader.position = position
    return ngrams, known


def _by_word(reader: _Reader, unigrams: NGrams, known: int, unknown_log10: float) -> NGrams:
    """The 1-grams in the order of their words' numbers, with the unknown word among them."""
    words = unigrams.words[:, 0]
    times = np.bincount(words, minlength=known)
    for special in (BEGIN, END):
        if not times[special]:
            raise InputError(
                f"there is no 1-gram {SPECIAL_WORDS[special]}",
                path=reader.path,
                hint="A model of sentences needs both their boundaries.",
            )
    probability = np.full(known, unknown_log10, np.float32)
    backoff = np.zeros(known, np.float32)
    probability[words] = unigrams.log10_probability
    backoff[words] = unigrams.log10_backoff
    numbers = np.arange(known, dtype=np.int32)[:, np.newaxis]
    return NGrams(numbers, probability, backoff)


def load_arpa(path: Path, *, unknown_log10: float = UNKNOWN_LOG10) -> LanguageModel:
    """Read an ARPA file and make it ready to be asked; `LanguageModel.save` keeps the result."""
    try:
        return LanguageModel.build(read_arpa(path, unknown_log10=unknown_log10))
    except RepeatedNGramError as error:
        reader = _Reader(path)
        title = f"\\{error.order}-grams:".encode()
        while reader.line() != title:
            pass
        title_line = reader.text.count(b"\n", 0, reader.start) + 1
        line = title_line + 1 + error.index  # no line of a section is blank
        raise InputError(error.problem, path=path, line=line, hint=error.hint) from error


def write_arpa(model: BackoffModel, path: Path) -> None:
    """Write a model as text, gzipped if the path ends in .gz; `read_arpa` gives the same numbers.

    A back-off of 0 is left out, as it says nothing.
    """
    write_utf8(path, _lines(model))


def _lines(model: BackoffModel) -> Iterator[str]:
    words = model.vocabulary.words
    yield "\\data\\\n"
    for order, ngrams in enumerate(model.orders, 1):
        yield f"ngram {order}={len(ngrams)}\n"
    for order, ngrams in enumerate(model.orders, 1):
        yield f"\n\\{order}-grams:\n"
        # The shortest text of each float32 that reads as the same float32.
        scores = ngrams.log10_probability.astype("U")
        backoffs = np.where(ngrams.log10_backoff == 0, "", ngrams.log10_backoff.astype("U"))
        for row, score, backoff in zip(ngrams.words.tolist(), scores, backoffs, strict=True):
            text = " ".join([words[word] for word in row])
            yield f"{score}\t{text}\t{backoff}\n" if backoff else f"{score}\t{text}\n"
    yield "\n\\end\\\n"
