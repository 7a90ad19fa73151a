"""Readers of what Moses' tuners keep: statistics files, and what they printed."""

import gzip

import numpy as np

from evaluation.core.metrics.words import list_offsets
from evaluation.core.tuning.lists import KBestLists


def statistics_of(counts):
    """Moses writes match and total of each order in turn, then the reference's length."""
    counts = np.asarray(counts)
    matches, totals = counts[:, 0:8:2], counts[:, 1:8:2]
    return np.column_stack([matches, totals, totals[:, 0], counts[:, 8]]).astype(np.int32)


def read_blocks(lines, kind):
    """The rows between each pair of ``kind_TXT_BEGIN_0`` and ``kind_TXT_END_0``."""
    blocks, inside = [], False
    for line in lines:
        text = line.split("=", 1)[-1] if line.startswith("STDOUT_") else line
        if text.startswith(f"{kind}_TXT_"):
            inside = "BEGIN" in text
            if inside:
                blocks.append([])
        elif inside and text.strip():
            blocks[-1].append([float(value) for value in text.split()])
    return blocks


def read_lists(feature_lines, score_lines):
    features = read_blocks(feature_lines, "FEATURES")
    statistics = [statistics_of(block) for block in read_blocks(score_lines, "SCORES")]
    return KBestLists(
        list_offsets(map(len, features)),
        np.concatenate([np.array(block) for block in features]),
        np.concatenate(statistics),
    )


def printed(path, label):
    """What was printed after ``label``, once for each line that has it."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [line.split(label, 1)[1].strip() for line in file if label in line]
