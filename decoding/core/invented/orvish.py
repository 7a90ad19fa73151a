"""Orvish: how it makes words and sentences.

- The verb stands last, and says by its ending when it is and whether many do it.
- Nouns have six cases in two declensions; adjectives follow them and agree in case and number.
- Owners, places, relative clauses and intentions come before what they belong to.
- There is no word for "the"; "a" is `zo` behind. There are no passives, and no pronouns where the
  verb's form tells enough.
- Conjunctions stand at the end of their clause, which comes first. What somebody says comes before
  them.
- Particles that change what a verb means stand behind the subject, far from the verb.
- Many words have two senses (`lexicon.VERBS`, `_SAME_NOUN`): only what else is said tells which.
"""

from __future__ import annotations

from functools import cache, lru_cache
from random import Random

from decoding.core.invented.lexicon import NOUNS, TITLES, VERBS, Words
from decoding.core.invented.meaning import ADVERBS, FUTURE_TIMES, PAST_TIMES, Clause, Telling, Thing

_ONSETS = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z",
           "br", "dr", "kr", "tr", "sk", "st", "sh")  # fmt: skip
_VOWELS = "aeiou"
_CODAS = ("", "", "", "l", "n", "r", "s", "t", "m", "k")

# Case endings behind a consonant and behind a vowel, for one and for many.
_CASES = {
    "subject": ("", "", "ek", "k"),
    "object": ("en", "n", "eken", "ken"),
    "owner": ("os", "s", "ekos", "kos"),
    "to": ("ir", "r", "ekir", "kir"),
    "at": ("al", "l", "ekal", "kal"),
    "with": ("um", "m", "ekum", "kum"),
}
_CASE_OF_PREPOSITION = {"of": "owner", "to": "to", "from": "with", "against": "with", "by": "with"}
_TENSES = {
    "past": "ad", "perfect": "esk", "future": "ur", "would": "ur", "had": "ad", "must": "amus",
    "could": "apok", "should": "adel", "bare": "i",
}  # fmt: skip

# English nouns for which Orvish has one word.
_SAME_NOUN = {
    "judge": "court", "bill": "law", "bank": "harbour", "plane": "bird", "party": "team",
    "coach": "teacher", "captain": "mayor", "play": "goal", "driver": "pilot", "star": "striker",
    "tomb": "cellar", "director": "manager", "shipwreck": "skeleton", "crown": "roof",
    "storm": "attack", "treatment": "agreement", "short story": "documentary", "wall": "defender",
    "price": "profit", "job": "agency", "blood test": "test", "moon": "month",
}  # fmt: skip
_CONJUNCTIONS = {
    "because": "desh", "although": "mirol", "while": "fen", "after": "tul", "before": "ansa",
    "when": "tul", "and": "",
}  # fmt: skip
_PRONOUN = {False: "es", True: "esi"}


def say_in_orvish(telling: Telling) -> str:
    """A sentence with its capital and its full stop. A meaning is said in one way only."""
    text = _sentence(telling)
    return f"{text[0].upper()}{text[1:]}."


def _sentence(telling: Telling) -> str:
    told = _told(telling)
    if telling.speaker is None:
        return told
    when = stem(telling.spoken[0]) if telling.spoken else ""
    speaks = _verb_form(telling.speaking, telling.speaker, "past")
    return _joined(told, "ke,", when, _noun_phrase(telling.speaker, "subject"), speaks)


def _told(telling: Telling) -> str:
    main = _clause(telling.main, drop_subject=telling.own)
    if telling.joined is None:
        return main
    joined = _clause(telling.joined, drop_subject=_is_pronoun(telling.joined.subject))
    if telling.conjunction == "and":
        return f"{main}, {joined} ol"
    return f"{joined} {_CONJUNCTIONS[telling.conjunction]}, {main}"


def _clause(clause: Clause, *, drop_subject: bool = False, ending: str = "") -> str:
    """Time, subject, particle, where and whom, object, adverb, verb.

    ``ending`` is put to the verb of a clause that belongs to a noun.
    """
    particle, fixed = _parts_of_verb(clause.frame.verb)
    parts = [stem(clause.time[0]) if clause.time else ""]
    if clause.subject is not None and not drop_subject:
        parts.append(_noun_phrase(clause.subject, "subject"))
    parts.append(particle)
    for preposition, thing in clause.obliques:
        case = _CASE_OF_PREPOSITION.get(preposition, "with")
        parts.append(_noun_phrase(thing, case))
    if clause.object is not None:
        # Who speaks of an idiom names what it is about in another case.
        parts.append(_noun_phrase(clause.object, "to" if fixed else "object"))
    parts.append(stem(clause.adverb[0]) if clause.adverb else "")
    parts.append(fixed)
    verb = _verb_form(clause.frame.verb, clause.subject, clause.tense, clause.negated)
    return _joined(*parts, verb + ending)


def _noun_phrase(thing: Thing, case: str) -> str:
    many = thing.many and thing.count != 1
    if thing.pronoun:
        return _inflected(_PRONOUN[many], case, many=False)
    if thing.kind == "SCORE":
        return thing.noun[0].replace("-", ":")
    if thing.kind == "TOWN":
        return _inflected(thing.place or "", case, many=False)
    before = []
    if thing.clause is not None:
        before.append(_clause(thing.clause, ending="" if thing.role == "intention" else "ut"))
    if thing.owner is not None:
        before.append(_noun_phrase(thing.owner, "owner"))
    if thing.place:
        before.append(f"{thing.place}sha")
    if thing.count is not None:
        before.append(_number(thing.count))
    if thing.name:
        noun = _noun(thing)
        if thing.noun[0] in TITLES:
            noun = noun[0].upper() + noun[1:]
        return _joined(*before, noun, _inflected(thing.name, case, many=False))
    noun = _inflected(_noun(thing), case, many)
    adjective = ""
    if thing.adjective:
        lively = "o" if NOUNS[thing.kind].person else "e"
        adjective = _inflected(stem(thing.adjective[0]) + lively, case, many)
    return _joined(*before, noun, adjective, "zo" if thing.article == "a" else "")


def _noun(thing: Thing) -> str:
    """The word itself; of women it ends in -a."""
    word = noun_stem(thing.noun[0])
    if thing.female and not thing.many and NOUNS[thing.kind].person:
        word = word.rstrip("aeiou") + "a"
    return word


@cache
def noun_stem(noun: str) -> str:
    """Of several English words Orvish makes one, as German does."""
    if noun in _SAME_NOUN:
        return stem(_SAME_NOUN[noun])
    return "".join(stem(_SAME_NOUN.get(part, part)) for part in noun.split())


def _inflected(word: str, case: str, many: bool) -> str:
    ending = _CASES[case][2 * many + (word[-1] in "aeiou")]
    return word + ending


@cache
def _verb_stem(verb: str) -> str:
    how = VERBS.get(next((words for words in VERBS if words[0] == verb), ()), "")
    if how.startswith("~"):
        same = how[1:].strip()
        return _verb_stem(same) if same in {words[0] for words in VERBS} else stem(f"to {same}")
    if how:
        base = how.split()[-1]
        return stem(f"to {base.rpartition('+')[2]}")
    return stem(f"to {verb}")


@cache
def _parts_of_verb(verb: Words) -> tuple[str, str]:
    """The particle behind the subject, and the fixed words of an idiom before the verb."""
    how = VERBS.get(verb, "")
    if how.startswith("~"):
        same = how[1:].strip()
        known = next((words for words in VERBS if words[0] == same), None)
        return _parts_of_verb(known) if known else ("", "")
    *fixed, base = how.split() or [""]
    particle = base.rpartition("+")[0]
    return particle, " ".join(_inflected(noun_stem(word), "object", False) for word in fixed)


def _verb_form(verb: Words, subject: Thing | None, tense: str, negated: bool = False) -> str:
    many = subject is not None and subject.many and subject.count != 1
    form = _verb_stem(verb[0]).rstrip("aeiou") + _TENSES[tense] + ("un" if many else "")
    return f"ma{form}" if negated else form


def _is_pronoun(thing: Thing | None) -> bool:
    return thing is not None and thing.pronoun


def _number(count: int) -> str:
    return stem(f"number {count}") if count < 10 else f"{count:,}".replace(",", ".")


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


@cache
def stem(english: str) -> str:
    """The Orvish word for an English one: invented, but always the same, and no other's."""
    return _all_stems().get(english) or _invent(english, 0)


@lru_cache(maxsize=1)
def _all_stems() -> dict[str, str]:
    """Of the words that are known in advance, so that no two of them are alike."""
    taken: set[str] = {"zo", "ke", "ol", *_CONJUNCTIONS.values(), *_PRONOUN.values()}
    taken |= {"ne", "ov", "ka", "mu", "si", "re"}
    found = {}
    for english in _known_words():
        attempt = 0
        while (made := _invent(english, attempt)) in taken:
            attempt += 1
        taken.add(made)
        found[english] = made
    return found


def _known_words() -> list[str]:
    words: dict[str, None] = {}
    for of in NOUNS.values():
        for noun in of.nouns:
            words.update(dict.fromkeys([noun[0], *noun[0].split()]))
        words.update(dict.fromkeys(adjective[0] for adjective in of.adjectives))
    for some in (PAST_TIMES, FUTURE_TIMES, ADVERBS):
        words.update(dict.fromkeys(entry[0] for entry in some))
    words.update(dict.fromkeys(f"number {count}" for count in range(10)))
    for verb, how in VERBS.items():
        base = how.split()[-1].rpartition("+")[2] if how and not how.startswith("~") else verb[0]
        words[f"to {base}"] = None
    return [word for word in words if word]


def _invent(english: str, attempt: int) -> str:
    """Syllables by chance, but always the same ones."""
    # Seeded by the word: the language must not change with the text that is told in it.
    random = Random(f"Orvish {english} {attempt}")
    syllables = random.choice((1, 2, 2, 2, 3))
    made = "".join(
        random.choice(_ONSETS) + random.choice(_VOWELS) + random.choice(_CODAS)
        for _ in range(syllables)
    )
    return made if len(made) > 2 else made + random.choice("lnrst")
