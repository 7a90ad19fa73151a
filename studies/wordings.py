"""What participants are told unless the researcher writes otherwise: each read in two minutes.

The texts are translated like all that participants read (config/locale): as long as a study has
these and not its own, each reads them in the language of the pages.
"""

from __future__ import annotations

from decoding.core.corpus.words import base_language
from studies.core.assignment import EDITING, EVAL
from studies.core.entry import Entry, Item

DEFAULTS = {
    "consent": """You are invited to take part in a study about machine translation. You will \
rewrite sentences that a machine translated imperfectly, or compare sentences that others wrote.

We keep what you write and choose, how long you had the page open and used it, how often you left \
it, how many keys of which kind you pressed and how much you pasted. We do not keep what you typed \
and deleted again, nor your address on the internet. Your answers are kept under a pseudonym and \
may be published.

Taking part is voluntary. You can leave at any moment, and have everything that you gave us \
deleted, by the link at the top of every page.""",
    "editing": """You see some imperfect translations of one sentence. The sentence itself is not \
shown. Work out what it most likely means, and write one fluent sentence with that meaning.

You may take words from any of the translations, and none of them has to be right. Do not ask a \
machine to write the sentence for you. If you cannot make any sense of them, say so: that is an \
answer too.

Example. "the minister rejected yesterday the demands of strikers" and "yesterday turned down what \
the strikers demand the minister" become: Yesterday the minister rejected the strikers' demands.""",
    "eval": """You see a reference, which is a correct sentence, and two other sentences, A and B. \
Say which of the two is closer to the reference in meaning, or that they are the same.

Only the meaning counts, not the style. A sentence that says the same in other words is as good as \
the reference.

Example. The reference is: The talks failed. A is: The negotiations came to nothing. B is: The \
talks began. A is closer.""",
}

# A training for studies whose translations are in a language, by the language's code.
TRAININGS = {
    "en": Entry(
        items=(
            Item(
                EDITING,
                (
                    "the train leaves tomorrow morning not",
                    "tomorrow in the morning drives no train",
                    "no train goes morning early",
                ),
                ("No train leaves tomorrow morning.", "There is no train tomorrow morning."),
                why="All three say that there is no train, and two say when. A good sentence says "
                "both, in words that people use.",
            ),
            Item(
                EVAL,
                ("She sold her house in spring.", "In spring she bought a house."),
                ("b",),
                reference="She bought a house last spring.",
                why="A says the opposite: it sells the house. B leaves out little.",
            ),
            Item(
                EVAL,
                ("The talks failed.", "The negotiations came to nothing."),
                ("same",),
                reference="The negotiations were unsuccessful.",
                why="Both say the same as the reference. Which one sounds better does not count.",
            ),
        ),
        pass_mark=2,
    ),
    "ar": Entry(
        items=(
            Item(
                EDITING,
                (
                    "القطار يغادر غدًا صباحًا لا",
                    "غدًا في الصباح لا يسير قطار",
                    "لا قطار يذهب صباح مبكر",
                ),
                ("لا يغادر أي قطار صباح الغد.", "لا يوجد قطار صباح الغد."),
                why="All three say that there is no train, and two say when. A good sentence says "
                "both, in words that people use.",
            ),
            Item(
                EVAL,
                ("باعت منزلها في الربيع.", "في الربيع اشترت منزلًا."),
                ("b",),
                reference="اشترت منزلًا في الربيع الماضي.",
                why="A says the opposite: it sells the house. B leaves out little.",
            ),
            Item(
                EVAL,
                ("فشلت المحادثات.", "لم تسفر المفاوضات عن شيء."),
                ("same",),
                reference="كانت المفاوضات غير ناجحة.",
                why="Both say the same as the reference. Which one sounds better does not count.",
            ),
        ),
        pass_mark=2,
    ),
}


def training_for(language: str) -> Entry:
    """The shipped training for translations into a language; none for most."""
    return TRAININGS.get(base_language(language), Entry())
