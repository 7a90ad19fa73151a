"""What participants are told unless the researcher writes otherwise: each read in two minutes."""

from __future__ import annotations

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
