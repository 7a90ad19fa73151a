"""Names of people, towns and countries, none of which exist."""

from __future__ import annotations

from itertools import product

_TOWNS = (
    "Tol Kar Mar Brun Hel Ost Lind Vel Sand Rav Fen Dor Gal Nor Pel Quen Ros Sol Thal Wim",
    "den vik eth mouth ora anza holt lava und esk",
)
_COUNTRIES = "Velland Ostria Karmania Brunovia Tolaria Sandova Nordmark Ravenia Galdor Pelonia"
_SURNAMES = (
    "Dal Bren Kor Mel Vas Ter Lan Hol Sev Rad Jan Fil Gor Bel Tam Wen Yar Zel Ash Cor Dun Els",
    "ven nik mar sen ova ler dane wick iro man ston eck vall",
)


def _ordered(parts: tuple[str, str], step: int) -> tuple[str, ...]:
    """All combinations, in an order in which neighbours are unlike each other.

    Every ``step``th of them in turn, which visits all when ``step`` has no factor in common with
    their number.
    """
    names = [first + last for first, last in product(*map(str.split, parts))]
    return tuple(names[k * step % len(names)] for k in range(len(names)))


TOWNS = _ordered(_TOWNS, 67)
COUNTRIES = tuple(_COUNTRIES.split())
SURNAMES = _ordered(_SURNAMES, 61)
