import gzip

import pytest

ESCAPES = {
    "&": "&amp;", "|": "&#124;", "<": "&lt;", ">": "&gt;",
    "'": "&apos;", '"': "&quot;", "[": "&#91;", "]": "&#93;",
}  # fmt: skip


@pytest.fixture
def multi30k_english(reference_data):
    """The English training text as Moses escapes it, from which the Multi30k model was made."""
    text = gzip.decompress(reference_data("multi30k-deen/train.en.gz").read_bytes()).decode()
    for plain, escaped in ESCAPES.items():
        text = text.replace(plain, escaped)
    return text.encode()
