"""Random sentences with many shared n-grams, and with spaces and letters of many scripts."""

from hypothesis import strategies as st

WORDS = ["a", "b", "c", "the", "ein", "é", "我们", "كتاب", "🙂", "x" * 40]
SPACES = [" ", "  ", "\t", "\u00a0", "\u3000", "\u2009", " \u2028 "]

word = st.sampled_from(WORDS)


@st.composite
def sentence(draw, min_size=0, max_size=12):
    words = draw(st.lists(word, min_size=min_size, max_size=max_size))
    return draw(st.sampled_from(SPACES)).join(words)


references = st.lists(sentence(min_size=1), min_size=1, max_size=8)
translations = st.lists(sentence(), min_size=1, max_size=5)


@st.composite
def corpus(draw, max_sentences=6):
    """Lists of translations, and as many references for each sentence."""
    size = draw(st.integers(1, max_sentences))
    each = draw(st.integers(1, 8))
    references = st.lists(sentence(min_size=1), min_size=each, max_size=each)
    return (
        draw(st.lists(translations, min_size=size, max_size=size)),
        draw(st.lists(references, min_size=size, max_size=size)),
    )
