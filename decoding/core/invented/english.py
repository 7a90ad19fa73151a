"""Telling it in English, each time perhaps in other words."""

from __future__ import annotations

from random import Random

from decoding.core.invented.lexicon import (
    IRREGULAR_PLURALS,
    NOUNS,
    PLAIN,
    TITLES,
    Words,
)
from decoding.core.invented.meaning import Clause, Telling, Thing

# Past and participle, where they are not made with -ed.
IRREGULAR_VERBS = {
    "put": ("put", "put"), "take": ("took", "taken"), "cut": ("cut", "cut"),
    "shut": ("shut", "shut"), "build": ("built", "built"), "sell": ("sold", "sold"),
    "buy": ("bought", "bought"), "lay": ("laid", "laid"), "rise": ("rose", "risen"),
    "go": ("went", "gone"), "fall": ("fell", "fallen"), "hurt": ("hurt", "hurt"),
    "hit": ("hit", "hit"), "strike": ("struck", "struck"), "set": ("set", "set"),
    "let": ("let", "let"), "steal": ("stole", "stolen"), "find": ("found", "found"),
    "beat": ("beat", "beaten"), "leave": ("left", "left"), "write": ("wrote", "written"),
    "bring": ("brought", "brought"), "shoot": ("shot", "shot"), "show": ("showed", "shown"),
    "draw": ("drew", "drawn"), "begin": ("began", "begun"), "quit": ("quit", "quit"),
    "run": ("ran", "run"), "fight": ("fought", "fought"), "give": ("gave", "given"),
    "throw": ("threw", "thrown"), "step": ("stepped", "stepped"), "drop": ("dropped", "dropped"),
    "say": ("said", "said"), "admit": ("admitted", "admitted"), "deny": ("denied", "denied"),
    "study": ("studied", "studied"), "try": ("tried", "tried"), "stop": ("stopped", "stopped"),
    "acquit": ("acquitted", "acquitted"), "withdraw": ("withdrew", "withdrawn"),
}  # fmt: skip
_PARTICLES = {"down", "off", "back", "out", "up", "on", "free"}
_DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_CONJUNCTIONS: dict[str, Words] = {
    "because": ("because", "since"),
    "although": ("although", "even though"),
    "while": ("while", "whereas"),
    "after": ("after",),
    "before": ("before",),
    "when": ("when",),
}
# How often the first words of a thing or an order of parts are taken, and not others.
_USUAL = 0.72


def say_in_english(telling: Telling, random: Random) -> str:
    """A sentence with its capital and its full stop."""
    text = _sentence(telling, random)
    return f"{text[0].upper()}{text[1:]}."


def _sentence(telling: Telling, random: Random) -> str:
    told = _told(telling, random)
    if telling.speaker is None:
        return told
    who = thing_in_english(telling.speaker, random)
    said = _past(_choose(telling.speaking, random))
    when = f" {_choose(telling.spoken, random)}" if telling.spoken else ""
    alone = telling.joined is None and not telling.own
    if alone and telling.speaking[0] in {"say", "explain"} and random.random() < 0.15:
        return f"{told}, {who} {said}{when}"
    that = telling.speaking[0] != "say" or when or random.random() < _USUAL
    return f"{who} {said}{when}{' that' if that else ''} {told}"


def _told(telling: Telling, random: Random) -> str:
    """One clause, or two that are joined."""
    if telling.joined is None:
        return _clause(telling.main, random)
    if telling.conjunction == "and":
        # Both in the active, for they share the subject.
        main = " ".join(_split_clause(telling.main, random, active=True))
        return f"{main} and {_split_clause(telling.joined, random, active=True)[1]}"
    main, joined = _clause(telling.main, random), _clause(telling.joined, random)
    conjunction = _choose(_CONJUNCTIONS[telling.conjunction], random)
    inside = telling.speaker is not None or _has_pronoun(telling.joined)
    if inside or random.random() < _USUAL:
        return f"{main} {conjunction} {joined}"
    return f"{conjunction} {joined}, {main}"


def _clause(clause: Clause, random: Random) -> str:
    subject, rest = _split_clause(clause, random)
    time = _choose(clause.time, random) if clause.time else ""
    if not time:
        return f"{subject} {rest}"
    if random.random() < _USUAL or clause.tense not in {"past", "future", "perfect"}:
        return f"{subject} {rest} {time}"
    return f"{time}, {subject} {rest}" if " " in time else f"{time} {subject} {rest}"


def _split_clause(clause: Clause, random: Random, *, active: bool = False) -> tuple[str, str]:
    """The subject and the rest, without the time."""
    verb = _verb(clause.frame.verb, random)
    subject, thing = clause.subject, clause.object
    assert subject is not None
    turn = (
        not active
        and clause.frame.passive
        and thing is not None
        and not thing.pronoun
        and not subject.pronoun
        and verb not in PLAIN  # no idiom
        and thing.clause is None
        and random.random() > 0.85
    )
    obliques = [_oblique(word, other, random) for word, other in clause.obliques]
    if turn and thing is not None:
        by = thing_in_english(subject, random, objective=True)
        group = _group(clause, _is_many(thing), _participle(verb), random, passive=True)
        return thing_in_english(thing, random), " ".join([group, *obliques, "by", by])
    group = _group(clause, _is_many(subject), verb, random)
    parts = [group]
    if thing is not None:
        said = thing_in_english(thing, random, objective=True)
        parts = [_with_object(group, verb, said, thing)]
    return thing_in_english(subject, random), " ".join([*parts, *obliques])


def _with_object(group: str, verb: str, said: str, thing: Thing) -> str:
    """A pronoun stands within a verb of two words, as in "turned it down"."""
    head, _, particle = group.rpartition(" ")
    if thing.pronoun and particle in _PARTICLES and verb.endswith(f" {particle}"):
        return f"{head} {said} {particle}"
    return f"{group} {said}"


def _oblique(preposition: str, thing: Thing, random: Random) -> str:
    said = thing_in_english(thing, random, objective=True)
    return f"{preposition} {said}" if preposition else said


def _verb(verb: Words, random: Random) -> str:
    if verb[0] in PLAIN and random.random() > 0.6:
        return PLAIN[verb[0]]
    return _choose(verb, random)


def _group(clause: Clause, many: bool, verb: str, random: Random, *, passive: bool = False) -> str:
    """The verb with its auxiliaries. ``verb`` is a participle when ``passive``."""
    adverb = _choose(clause.adverb, random) if clause.adverb else ""
    negation = "not" if clause.negated else ""
    tense = clause.tense
    if tense == "bare":
        return verb
    if tense in {"future", "would", "must", "could", "should"}:
        auxiliary: str = "will" if tense == "future" else tense
        return _joined(auxiliary, negation, adverb, f"be {verb}" if passive else verb)
    if tense in {"perfect", "had"}:
        auxiliary = "had" if tense == "had" else "have" if many else "has"
        main = f"been {verb}" if passive else _participle(verb)
        return _joined(auxiliary, negation, adverb, main)
    if passive:
        return _joined("were" if many else "was", negation, adverb, verb)
    if negation:
        return _joined("did not", adverb, verb)
    return _joined(adverb, _past(verb))


def thing_in_english(thing: Thing, random: Random, *, objective: bool = False) -> str:
    """A noun phrase."""
    if thing.pronoun:
        return _pronoun(thing, objective=objective)
    if thing.kind in {"TOWN", "SCORE"}:
        return thing.place or thing.noun[0]
    noun = _choose(thing.noun, random)
    if thing.name:
        return _named(thing, noun, random)
    said = plural(noun) if thing.many and thing.count != 1 else noun
    if thing.adjective:
        said = f"{_choose(thing.adjective, random)} {said}"
    behind = [_place(thing)] if thing.place else []
    if thing.clause is not None:
        behind.append(_clause_behind(thing, thing.clause, random))
    if thing.owner is not None:
        owner = thing_in_english(thing.owner, random)
        if thing.owner.place or random.random() > _USUAL:
            return _joined("the", said, "of", owner, *behind)
        return _joined(f"{owner}'s", said, *behind)
    if thing.count is not None:
        return _joined(_number(thing.count), said, *behind)
    article = ("an" if _vowel(said) else "a") if thing.article == "a" else thing.article
    return _joined(article, said, *behind)


def _named(thing: Thing, noun: str, random: Random) -> str:
    if thing.noun[0] in TITLES:
        return f"{noun.title()} {thing.name}"
    if thing.kind in {"COACH", "PLAYER"}:
        return f"{noun} {thing.name}"
    return f"the {noun} {thing.name}"


def _place(thing: Thing) -> str:
    noun = thing.noun[0]
    if thing.kind in {"LEADER", "BODY"}:
        return f"of {thing.place}"
    if thing.kind == "TEAM" or (thing.kind == "COURT" and noun != "judge"):
        return f"from {thing.place}" if thing.kind == "TEAM" else f"in {thing.place}"
    if NOUNS[thing.kind].person:
        return f"from {thing.place}"
    if thing.kind in {"BUILDINGS", "FIND"}:
        return f"near {thing.place}"
    return f"in {thing.place}"


def _clause_behind(thing: Thing, clause: Clause, random: Random) -> str:
    """What a thing does, or is done to it, or is meant to be done."""
    who = "who" if NOUNS[thing.kind].person else _choose(("that", "which"), random)
    time = _choose(clause.time, random) if clause.time else ""
    if thing.role == "object":
        assert clause.subject is not None
        subject = thing_in_english(clause.subject, random)
        verb = _verb(clause.frame.verb, random)
        if verb.endswith((" to", " on", " for", " against")) or random.random() < _USUAL:
            relative = "" if who != "who" and random.random() < 0.4 else who
            relative = "whom" if who == "who" else relative
            return _joined(relative, subject, _past(verb), time)
        return _joined(_participle(verb), "by", subject, time)
    verb = _verb(clause.frame.verb, random)
    parts = [_group(clause, _is_many(thing), verb, random)]
    if clause.object is not None:
        parts.append(thing_in_english(clause.object, random, objective=True))
    parts += [_oblique(word, other, random) for word, other in clause.obliques]
    if thing.role == "intention":
        return _joined("to", *parts)
    return _joined(who, *parts, time)


def _pronoun(thing: Thing, *, objective: bool) -> str:
    if _is_many(thing):
        return "them" if objective else "they"
    if not NOUNS[thing.kind].person:
        return "it"
    if thing.female:
        return "her" if objective else "she"
    return "him" if objective else "he"


def _has_pronoun(clause: Clause) -> bool:
    return any(thing is not None and thing.pronoun for thing in (clause.subject, clause.object))


def _is_many(thing: Thing) -> bool:
    return thing.many and thing.count != 1


def _choose(words: Words, random: Random) -> str:
    """One of the words for the same; the first of them mostly."""
    if len(words) == 1 or random.random() < _USUAL:
        return words[0]
    return words[random.randrange(1, len(words))]


def _number(count: int) -> str:
    return _DIGITS[count] if count < len(_DIGITS) else f"{count:,}"


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _vowel(word: str) -> bool:
    return word[0] in "aeiou" and not word.startswith(("uni", "used", "euro", "one"))


def plural(noun: str) -> str:
    """Of a noun of one or more words, whose last is the one that changes."""
    if noun in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[noun]
    before, _, last = noun.rpartition(" ")
    if last in IRREGULAR_PLURALS:
        changed = IRREGULAR_PLURALS[last]
    elif last.endswith(("s", "sh", "ch", "x")):
        changed = f"{last}es"
    elif last.endswith("y") and last[-2] not in "aeiou":
        changed = f"{last[:-1]}ies"
    else:
        changed = f"{last}s"
    return _joined(before, changed)


def _past(verb: str) -> str:
    return _inflected(verb, 0)


def _participle(verb: str) -> str:
    return _inflected(verb, 1)


def _inflected(verb: str, form: int) -> str:
    first, _, rest = verb.partition(" ")
    if first in IRREGULAR_VERBS:
        first = IRREGULAR_VERBS[first][form]
    elif first.endswith("e"):
        first = f"{first}d"
    elif first.endswith("y") and first[-2] not in "aeiou":
        first = f"{first[:-1]}ied"
    else:
        first = f"{first}ed"
    return _joined(first, rest)
