"""What counts as a word, language by language."""

from __future__ import annotations

import re

# Written without blanks between words: every character is taken as a word.
_WITHOUT_BLANKS = {"ja", "zh"}
_IDEOGRAPH = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
# A blank beside a character or a mark of such a script.
_NEEDLESS_BLANK = re.compile(
    r"(?<=[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]) +"
    r"| +(?=[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef])"
)


def base_language(language: str) -> str:
    """A language without its script or region.

    >>> base_language("zh-Hant")
    'zh'
    """
    return language.partition("-")[0].lower()


def segmenter_of(language: str) -> str | None:
    """What cuts text of the language into words where blanks do not, by its name in SEGMENTERS."""
    return "characters" if base_language(language) in _WITHOUT_BLANKS else None


def split_characters(line: str) -> list[str]:
    """Every ideograph and kana a word of its own: the simplest segmentation there is."""
    return _IDEOGRAPH.sub(r" \1 ", line).split()


def join_characters(line: str) -> str:
    """Written as those write who put no blanks between words.

    >>> join_characters("他 在 2024 年 说 ： 好 。")
    '他在2024年说：好。'
    """
    return _NEEDLESS_BLANK.sub("", line)


def count_words(text: str, language: str) -> int:
    """How long text of a language is.

    >>> count_words("我们访问了北京", "zh-Hant"), count_words("we visited it", "en")
    (7, 3)
    """
    return len(split_characters(text) if segmenter_of(language) else text.split())
