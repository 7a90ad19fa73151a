"""The colours, measured: everybody can read them and tell the three hues apart."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

SHEETS = Path(__file__).resolve().parents[2] / "config/static/css"
TOKENS = SHEETS / "tokens.css"
COLOURS = {
    name: {"light": light, "dark": dark}
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", TOKENS.read_text()
    )
}

# What a dichromat sees, in linear RGB: Machado, Oliveira and Fernandes (2009), severity 1.
SIGHT = {
    "full": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TEXT = [
    *((ink, paper) for ink in ("ink", "quiet") for paper in ("paper", "raised", "sunken")),
    *((hue, paper) for hue in ("best", "diverse", "warning") for paper in ("paper", "raised")),
    ("warning", "warning-paper"),
    ("ink", "warning-paper"),
]


def linear(colour: str) -> np.ndarray:
    encoded = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: relative luminances."""
    lighter, darker = sorted(
        (linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05 for colour in (one, other)), reverse=True
    )
    return lighter / darker


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB of linear sRGB, white point D65."""
    to_xyz = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
    x, y, z = np.cbrt(np.array(to_xyz) @ np.clip(rgb, 1e-6, 1) / [0.95047, 1, 1.08883])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: str, other: str, sight: str) -> float:
    return float(
        np.linalg.norm(np.subtract(*(lab(SIGHT[sight] @ linear(c)) for c in (one, other))))
    )


def test_there_are_three_hues_and_no_more():
    def is_hue(name: str) -> bool:
        return np.hypot(*lab(linear(COLOURS[name]["light"]))[1:]) > 20

    assert {name for name in COLOURS if is_hue(name)} == {"best", "diverse", "warning"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "paper"), TEXT)
def test_text_can_be_read(theme, ink, paper):
    assert contrast(COLOURS[ink][theme], COLOURS[paper][theme]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("paper", ["paper", "raised", "sunken"])
def test_the_edges_of_controls_can_be_seen(theme, paper):
    assert contrast(COLOURS["edge"][theme], COLOURS[paper][theme]) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("sight", list(SIGHT))
@pytest.mark.parametrize(
    ("one", "other"), list(combinations(["best", "diverse", "warning", "ink"], 2))
)
def test_the_hues_can_be_told_apart_and_from_text(theme, sight, one, other):
    """A difference of 2.3 is just noticed side by side; 20 is seen at a glance."""
    assert difference(COLOURS[one][theme], COLOURS[other][theme], sight) >= 20


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_shared_fades_but_is_not_gone(theme):
    """The differences component: fainter than the text around it, and still easy to read."""
    ink, quiet, paper = (COLOURS[name][theme] for name in ("ink", "quiet", "paper"))
    assert 4.5 <= contrast(quiet, paper) < 0.75 * contrast(ink, paper)


def test_colours_are_named_in_one_place():
    for sheet in SHEETS.glob("*.css"):
        if sheet != TOKENS:
            assert re.findall(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)\(", sheet.read_text()) == []


def test_every_token_that_is_used_exists():
    named = set(re.findall(r"(--[\w-]+):", TOKENS.read_text()))
    used = {
        token
        for sheet in SHEETS.glob("*.css")
        for token in re.findall(r"var\((--[\w-]+)", sheet.read_text())
    }
    assert used <= named


def test_style_sheets_know_no_left_and_right():
    """Start and end turn around with the direction of the script; left and right do not."""
    physical = re.compile(
        r"(?:margin|padding|border|inset)-(?:left|right|top|bottom)\b"
        r"|^\s*(?:left|right|top|bottom|(?:min-|max-)?(?:width|height)):"
        r"|text-align: (?:left|right)|float:",
        re.MULTILINE,
    )
    for sheet in SHEETS.glob("*.css"):
        assert physical.findall(sheet.read_text()) == []
