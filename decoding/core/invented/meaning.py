"""What a sentence tells, before it is said in any language.

Simple sentences and hard ones are drawn in set shares, so that a system that is trained on them
translates some perfectly and others hardly at all.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Literal, TypeVar

from decoding.core.invented.lexicon import (
    ALWAYS_MANY,
    FRAMES,
    NOUNS,
    OF_COUNTRY,
    OF_TOWN,
    PLAIN,
    STORIES,
    TITLES,
    Frame,
    Words,
)
from decoding.core.invented.names import COUNTRIES, SURNAMES, TOWNS

Tense = Literal["past", "perfect", "future", "would", "had", "must", "could", "should", "bare"]
Any_ = TypeVar("Any_")

# How often a sentence is simple, of middling difficulty, and hard.
SHARES = (0.36, 0.3, 0.34)

PAST_TIMES: tuple[Words, ...] = (
    ("yesterday",), ("on Monday",), ("last week",), ("on Friday",), ("last month",),
    ("this morning",), ("on Tuesday",), ("last year",), ("on Sunday",), ("in March",),
    ("two weeks ago", "a fortnight ago"), ("on Thursday",), ("in October",), ("last night",),
    ("on Saturday",), ("three days ago",), ("in the spring", "in spring"), ("on Wednesday",),
)  # fmt: skip
FUTURE_TIMES: tuple[Words, ...] = (
    ("tomorrow",), ("next week",), ("next year",), ("next month",), ("on Monday",), ("in May",),
    ("soon",), ("in the autumn", "in autumn"), ("by the end of the year",),
)  # fmt: skip
ADVERBS: tuple[Words, ...] = (
    ("finally", "eventually"), ("unexpectedly", "surprisingly"), ("reportedly", "apparently"),
    ("officially",), ("quickly", "swiftly"), ("quietly",), ("repeatedly",),
)  # fmt: skip
_ADVERB_TOPICS = {"politics", "economy"}
_UNCERTAIN_TOPICS = {"politics", "economy"}  # whose events may be future, denied or demanded

# Who tells of a topic, with what verbs, and in what tenses their words then are.
_SPEAKERS = {
    "politics": ("LEADER", "BODY"),
    "economy": ("COMPANY", "LEADER"),
    "disaster": ("RESCUER", "LEADER"),
    "crime": ("POLICE", "LEADER"),
    "sport": ("COACH", "PLAYER"),
    "science": ("RESEARCHER", "ASTRONOMER"),
    "culture": ("DIRECTOR", "AUTHOR"),
}
_TELLING: tuple[tuple[Words, tuple[Tense, ...]], ...] = (
    (("say",), ("would", "had", "should")),
    (("announce",), ("would",)),
    (("confirm",), ("had", "would")),
    (("warn",), ("could", "would")),
    (("claim", "maintain"), ("had", "could")),
    (("explain",), ("had", "would")),
)
_OWN_WORDS: tuple[tuple[Words, tuple[Tense, ...]], ...] = (
    (("promise",), ("would",)),
    (("deny",), ("had",)),
    (("announce",), ("would",)),
    (("say",), ("would", "had")),
    (("admit",), ("had",)),
)
_INTENTIONS = ("close_site", "build", "raise_tax", "lower_tax", "sell_site", "fight", "cut_jobs")
_INTENDED = {"plan", "proposal", "decision"}  # nouns that take "to close the airport"


@dataclass(frozen=True, slots=True)
class Thing:
    """A noun and all that is said of it."""

    kind: str  # its class
    noun: Words
    many: bool = False
    article: Literal["the", "a", ""] = ""
    count: int | None = None
    adjective: Words | None = None
    owner: Thing | None = None
    place: str | None = None
    name: str | None = None
    female: bool = False
    clause: Clause | None = None  # what it does, what is done to it, or what is intended
    role: Literal["subject", "object", "intention"] = "subject"  # its own in that clause
    pronoun: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """Who does what to whom, when. A part that is told elsewhere is None."""

    frame: Frame
    subject: Thing | None
    object: Thing | None
    obliques: tuple[tuple[str, Thing], ...] = ()
    tense: Tense = "past"
    negated: bool = False
    time: Words | None = None
    adverb: Words | None = None


@dataclass(frozen=True, slots=True)
class Telling:
    """A sentence: a clause, alone or with one that joins it."""

    main: Clause
    joined: Clause | None = None
    conjunction: str = ""  # "and" when they share the subject
    speaker: Thing | None = None  # who says so, if somebody does
    speaking: Words = ()
    spoken: Words | None = None  # when
    own: bool = False  # the speaker tells of themselves


def draw_telling(random: Random) -> Telling:
    """Draw a sentence's meaning."""
    level = bisect(list(accumulate(SHARES)), random.random())
    chance = random.random()
    if level == 0:
        return Telling(_draw_clause(random, _draw_frame(random), 0, timed=True))
    if level == 1:
        if chance < 0.4:
            return Telling(_draw_clause(random, _draw_frame(random), 1, timed=True))
        return _draw_report(random, 0) if chance < 0.7 else _draw_story(random, 0)
    if chance < 0.25:
        return _draw_report(random, 2)
    if chance < 0.5:
        return _draw_reported_story(random)
    return _draw_story(random, 2) if chance < 0.8 else _draw_pair(random)


def _draw_report(random: Random, level: int) -> Telling:
    frame = _draw_frame(random)
    kind = random.choice(_SPEAKERS[frame.topic])
    own = kind in frame.subjects and random.random() < 0.5
    verb, tenses = random.choice(_OWN_WORDS if own else _TELLING)
    tense = random.choice(tenses if frame.topic in _UNCERTAIN_TOPICS else ("had",))
    if tense == "had" and verb[0] in {"announce", "promise", "warn"}:
        verb = ("say",)
    speaker = _draw_thing(random, kind, 0)
    clause = _draw_clause(random, frame, level, tense=tense)
    if own:
        clause = replace(clause, subject=_pronoun_of(speaker))
    spoken = _often(random, PAST_TIMES) if random.random() < 0.3 else None
    return Telling(clause, speaker=speaker, speaking=verb, spoken=spoken, own=own)


def _draw_reported_story(random: Random) -> Telling:
    story = _draw_story(random, 1)
    assert story.joined is not None
    verb = random.choice([words for words, tenses in _TELLING if "had" in tenses])
    return replace(
        story,
        main=replace(story.main, tense="had", time=None),
        joined=replace(story.joined, tense="had"),
        speaker=_draw_thing(random, random.choice(_SPEAKERS[story.main.frame.topic]), 0),
        speaking=verb,
        spoken=_often(random, PAST_TIMES) if random.random() < 0.3 else None,
    )


def _draw_story(random: Random, level: int) -> Telling:
    frame, conjunctions, other = random.choice(STORIES)
    main = _draw_clause(random, frame, level, tense="past")
    joined = _draw_clause(random, other, level, tense="past")
    main, joined = replace(main, negated=False), replace(joined, negated=False)
    conjunction = random.choice(conjunctions)
    if conjunction != "while":
        joined = _refer_back(main, joined)
    if random.random() < 0.3:
        main = replace(main, time=_often(random, PAST_TIMES))
    return Telling(main, joined, conjunction)


def _draw_pair(random: Random) -> Telling:
    """Two things that one does, joined by "and"."""
    frame = _draw_frame(random)
    kind = random.choice(frame.subjects)
    others = [f for f in FRAMES.values() if f.topic == frame.topic and kind in f.subjects]
    others = [f for f in others if f.verb != frame.verb]
    if not others:
        return _draw_story(random, 1)
    subject = _draw_thing(random, kind, 1)
    main = replace(_draw_clause(random, frame, 1, tense="past"), subject=subject)
    joined = replace(
        _draw_clause(random, random.choice(others), 1, tense="past"), subject=_pronoun_of(subject)
    )
    return Telling(main, joined, "and")


def _refer_back(main: Clause, joined: Clause) -> Clause:
    """In the second clause of a story, who and what was told of becomes a pronoun."""
    subject, thing = joined.subject, joined.object
    for told in (main.subject, main.object):
        if told is None or told.kind in {"TOWN", "TAX", "FIGURES", "RATE", "JOB"}:
            continue
        if subject is not None and not subject.pronoun and told.kind == subject.kind:
            subject = _pronoun_of(told)
        elif thing is not None and not thing.pronoun and told.kind == thing.kind:
            thing = _pronoun_of(told)
    return replace(joined, subject=subject, object=thing)


def _pronoun_of(thing: Thing) -> Thing:
    return replace(thing, pronoun=True, clause=None)


def _draw_frame(random: Random) -> Frame:
    return random.choice(_BY_TOPIC[random.choice(_TOPICS)])


def _draw_clause(
    random: Random, frame: Frame, level: int, *, tense: Tense | None = None, timed: bool = False
) -> Clause:
    """A clause of a frame; ``timed`` when it stands alone, and its tense and time are free."""
    time = adverb = None
    negated = False
    if tense is None:
        tense = "past"
        chance = random.random()
        if frame.topic in _UNCERTAIN_TOPICS and chance < 0.3:
            tense = "future" if chance < 0.2 else "must" if chance < 0.25 else "should"
        elif chance < 0.42:
            tense = "perfect"
    if timed and random.random() < (0.3, 0.6, 0.6)[level] and tense != "perfect":
        time = _often(random, PAST_TIMES if tense == "past" else FUTURE_TIMES)
    if frame.topic in _UNCERTAIN_TOPICS and len(frame.objects) and not frame.obliques:
        negated = random.random() < 0.1
    if frame.topic in _ADVERB_TOPICS and not negated and tense in {"past", "perfect"}:
        adverb = _often(random, ADVERBS) if random.random() < (0.05, 0.15, 0.25)[level] else None
    subject = _draw_thing(random, random.choice(frame.subjects), level, frame.verb)
    thing = None
    if frame.objects:
        thing = _draw_thing(random, random.choice(frame.objects), level, frame.verb)
    if thing is not None and thing.kind == "TOWN" == subject.kind and thing.place == subject.place:
        thing = replace(thing, place=TOWNS[(TOWNS.index(str(thing.place)) + 7) % len(TOWNS)])
    if thing is not None and thing.owner is not None and thing.owner.kind == subject.kind:
        thing = replace(thing, owner=None)
    obliques = tuple((word, _draw_thing(random, kind, 0)) for word, kind in frame.obliques)
    return Clause(frame, subject, thing, obliques, tense, negated, time, adverb)


def _draw_thing(random: Random, kind: str, level: int, verb: Words = ()) -> Thing:
    """A noun of a class with what goes with it; the higher the level, the more.

    A relative clause does not say the clause's own ``verb`` again.
    """
    if kind == "TOWN":
        return Thing(kind, ("",), place=_often(random, TOWNS))
    if kind == "SCORE":
        ours = random.randint(1, 5)
        return Thing(kind, (f"{ours}-{random.randint(0, ours - 1)}",))
    of = NOUNS[kind]
    noun = _often(random, of.nouns)
    many = of.number in {"many", "counted"} or noun[0] in ALWAYS_MANY
    if of.number == "either":
        many = random.random() < 0.35
    count = _draw_count(random, *of.counts) if of.number == "counted" else None
    article: Literal["the", "a", ""] = ""
    if of.article in {"the", "a"}:
        article = of.article
    elif of.article == "mixed":
        article = "the" if random.random() < 0.65 else "a"
    if many and article == "a":
        article = ""
    thing = Thing(kind, noun, many, article, count, female=of.person and random.random() < 0.4)
    if of.named and random.random() < of.named:
        return replace(thing, name=_often(random, SURNAMES), article="the")
    return _add_detail(random, thing, level, verb)


def _add_detail(random: Random, thing: Thing, level: int, verb: Words) -> Thing:
    """Adjective, owner, place, clause."""
    of = NOUNS[thing.kind]
    if of.adjectives and random.random() < (0.15, 0.4, 0.6)[level]:
        adjective = _often(random, of.adjectives)
        if adjective[0] not in thing.noun[0].split():  # no short short stories
            thing = replace(thing, adjective=adjective)
    if thing.kind == "DEMAND":
        thing = replace(thing, adjective=("higher",))
    if of.owners and random.random() < (0.1, 0.25, 0.3)[level]:
        owner = _draw_thing(random, random.choice(of.owners), 0)
        thing = replace(thing, owner=replace(owner, clause=None), article="the")
    elif of.placed and random.random() < of.placed * (0.7, 1.2, 1.5)[level]:
        noun = thing.noun[0]
        where = COUNTRIES if noun in OF_COUNTRY or thing.kind in {"FIGURES", "RATE"} else TOWNS
        thing = replace(thing, place=_often(random, where))
        if noun in TITLES and noun not in OF_COUNTRY | OF_TOWN:
            thing = replace(thing, place=None)
    if random.random() < (0.0, 0.12, 0.4)[level]:
        thing = _add_clause(random, thing, verb)
    return thing


def _add_clause(random: Random, thing: Thing, verb: Words) -> Thing:
    """A relative clause, or an intention."""
    if thing.noun[0] in _INTENDED and thing.owner is None:
        clause = _draw_clause(random, FRAMES[random.choice(_INTENTIONS)], 0, tense="bare")
        clause = replace(clause, subject=None, negated=False, adverb=None)
        return replace(thing, clause=clause, role="intention")
    does, undergoes = (
        [frame for frame in frames if frame.verb != verb]
        for frames in _FRAMES_OF.get(thing.kind, ((), ()))
    )
    if thing.owner is not None or thing.place is not None or not (does or undergoes):
        return thing
    if does and (not undergoes or random.random() < 0.6):
        clause = _draw_clause(random, random.choice(does), 0, tense="past")
        clause = replace(clause, subject=None, negated=False, adverb=None)
        return replace(thing, clause=clause, role="subject")
    clause = _draw_clause(random, random.choice(undergoes), 0, tense="past")
    clause = replace(clause, object=None, negated=False, adverb=None)
    return replace(thing, clause=clause, role="object")


def _draw_count(random: Random, lowest: int, highest: int) -> int:
    """Small numbers are more frequent, and large ones are round."""
    number = int(lowest * (highest / lowest) ** random.random())
    for round_to, above in ((1000, 20000), (100, 1000), (10, 100)):
        if number >= above:
            return number // round_to * round_to
    return number


def _often(random: Random, entries: Sequence[Any_]) -> Any_:
    """One of the entries; the first ones are the most frequent (Zipf's law)."""
    return entries[bisect(_cumulated(len(entries)), random.random())]


@lru_cache
def _cumulated(count: int) -> tuple[float, ...]:
    weights = [1 / (rank + 4) for rank in range(count)]
    total = sum(weights)
    return tuple(accumulate(weight / total for weight in weights[:-1]))


_BY_TOPIC = {
    topic: [frame for frame in FRAMES.values() if frame.topic == topic]
    for topic in dict.fromkeys(frame.topic for frame in FRAMES.values())
}
# As often as they have frames, but none too rare.
_TOPICS = [topic for topic, frames in _BY_TOPIC.items() for _ in range(4 + len(frames) // 3)]
# For each class, the frames of which a relative clause can be made: in which it does, or undergoes.
_FRAMES_OF = {
    kind: (
        [f for f in FRAMES.values() if kind in f.subjects and f.objects and f.name != "beat_with"],
        [
            f
            for f in FRAMES.values()
            if kind in f.objects and f.passive and not f.obliques and f.verb[0] not in PLAIN
        ],
    )
    for kind in NOUNS
    if kind not in {"FIGURES", "RATE", "TAX", "DEMAND", "JOB", "PEOPLE", "GOAL", "RESULT", "MODEL"}
}
