"""The words: classes of nouns, verbs with whom they suit, and what follows from what.

Everything is written from English; `orvish` derives its own words from these. Tables are text, for
they are read and added to by hand:

    noun classes     noun/synonym, noun, ...        the most frequent first
    frames           name: SUBJECTS | verb | OBJECTS | preposition CLASS ...
    verbs            verb/synonym/synonym = how Orvish says it (see `VERBS`)

A synonym never changes what is meant, so a sentence's references may use any of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Number = Literal["one", "many", "either", "counted", "mass"]
Article = Literal["the", "a", "mixed", "bare"]
Words = tuple[str, ...]  # a word and its synonyms


@dataclass(frozen=True, slots=True)
class NounClass:
    """Nouns that suit the same verbs."""

    nouns: tuple[Words, ...]
    number: Number
    article: Article
    adjectives: tuple[Words, ...] = ()
    person: bool = False  # said with "who", "he" or "she"
    named: float = 0.0  # how often by name: a title and a surname
    placed: float = 0.0  # how often with the town or country where it is
    owners: tuple[str, ...] = ()  # classes whose it may be
    counts: tuple[int, int] = (2, 9)  # smallest and largest number, when counted


@dataclass(frozen=True, slots=True)
class Frame:
    """A verb, and the classes of those who do it and to whom or to what."""

    name: str
    topic: str
    subjects: tuple[str, ...]
    verb: Words
    objects: tuple[str, ...] = ()
    obliques: tuple[tuple[str, str], ...] = ()  # preposition ("" for none) and class

    @property
    def passive(self) -> bool:
        """Whether English may turn it round."""
        return bool(self.objects) and self.name not in _NEVER_PASSIVE


def _words(text: str) -> tuple[Words, ...]:
    return tuple(tuple(entry.strip().split("/")) for entry in text.split(",") if entry.strip())


NOUNS: dict[str, NounClass] = {
    "LEADER": NounClass(
        _words(
            "president, mayor, prime minister/premier, governor, foreign minister, chancellor, "
            "finance minister, opposition leader, senator, health minister, ambassador, "
            "transport minister, interior minister, defence minister, education minister, "
            "trade minister, energy minister, justice minister"
        ),
        "one",
        "the",
        _words("new, former, acting, popular"),
        person=True,
        named=0.35,
        placed=0.15,
    ),
    "BODY": NounClass(
        _words(
            "government, parliament, city council/town council, committee, senate, cabinet, "
            "commission, central bank, coalition, ministry, regional assembly, finance ministry, "
            "health ministry, opposition, trade commission, school board"
        ),
        "one",
        "the",
        _words("new, divided"),
        placed=0.15,
    ),
    "GROUP": NounClass(
        _words(
            "worker/employee, teacher, farmer, student, nurse, resident, driver, doctor/physician, "
            "pilot, miner, railway worker, steel worker, fisherman, shopkeeper, pensioner, tenant, "
            "bus driver, campaigner/activist, hospital doctor, postal worker, school teacher, "
            "forest worker, beekeeper, winegrower, dock worker"
        ),
        "many",
        "mixed",
        _words("angry, young, local, worried, rural, elderly"),
        person=True,
        placed=0.12,
    ),
    "STAFF": NounClass(
        _words("worker/employee, driver, engineer, technician, apprentice, clerk, pilot, temp"),
        "many",
        "bare",
        _words("young, experienced, foreign"),
        person=True,
    ),
    "COMPANY": NounClass(
        _words(
            "company/firm, airline, bank, carmaker/car manufacturer, energy company, "
            "railway company, retailer, publisher, steel company, shipping company, "
            "insurance company/insurer, oil company, brewery, mining company, software company, "
            "shipyard, phone company, timber company, dairy"
        ),
        "one",
        "mixed",
        _words("large/big, private, foreign, state-owned, troubled/struggling, leading, small"),
        placed=0.1,
    ),
    "PROPOSAL": NounClass(
        _words(
            "plan, budget, law, proposal, reform, agreement/deal, decision, bill, treaty, "
            "tax increase/tax rise, pension reform, trade agreement/trade deal, school reform, "
            "railway project, peace plan, climate law, savings plan, tax reform, housing law, "
            "fishing treaty, smoking ban, water treaty, language law, forest law"
        ),
        "one",
        "mixed",
        _words(
            "new, controversial/disputed, costly/expensive, unpopular, ambitious, long-awaited, "
            "revised, strict/tough"
        ),
        owners=("BODY", "LEADER"),
    ),
    "DEMAND": NounClass(
        _words("wage, pension, subsidy, salary, fine, allowance"),
        "many",
        "bare",
        _words("higher"),
    ),
    "TAX": NounClass(
        _words(
            "tax, fuel tax, income tax, property tax, rent, train fare, electricity price, "
            "water charge, import duty"
        ),
        "many",
        "bare",
    ),
    "FACILITY": NounClass(
        _words(
            "factory/plant, hospital/clinic, school, bridge, airport, museum, "
            "railway station/train station, library, harbour/port, power station/power plant, "
            "stadium, theatre, university, tunnel, swimming pool, prison/jail, sports hall, "
            "children's home, steel mill, research centre, lighthouse, paper mill, opera house"
        ),
        "one",
        "mixed",
        _words("old, new, modern, historic, small, famous/well-known, large/big"),
        placed=0.3,
    ),
    "DISASTER": NounClass(
        _words(
            "storm, fire/blaze, flood, earthquake/quake, explosion/blast, landslide, hurricane, "
            "snowstorm/blizzard, avalanche, forest fire, gas explosion, tidal wave, sandstorm"
        ),
        "one",
        "mixed",
        _words("violent/fierce, severe, sudden, devastating, powerful/strong"),
        placed=0.15,
    ),
    "BUILDINGS": NounClass(
        _words(
            "house/home, road, farm, bridge, village, church, field, vineyard, railway line, "
            "power line, orchard, greenhouse, fishing boat, monastery, windmill, sea wall"
        ),
        "many",
        "mixed",
        _words("old, wooden, nearby/neighbouring, historic"),
        placed=0.2,
    ),
    "PEOPLE": NounClass(
        _words(
            "person, child, tourist/holidaymaker, passenger, soldier, resident, firefighter, "
            "climber, worker, sailor, villager, refugee, skier, fisherman"
        ),
        "counted",
        "bare",
        person=True,
        counts=(2, 400),
    ),
    "POLICE": NounClass(
        _words(
            "police, border guard, detective/investigator, customs officer, special agent, "
            "harbour police, tax inspector"
        ),
        "many",
        "the",
        person=True,
        placed=0.15,
    ),
    "RESCUER": NounClass(
        _words(
            "firefighter, soldier, police, volunteer/helper, coast guard officer, "
            "mountain rescuer, paramedic, helicopter pilot"
        ),
        "many",
        "mixed",
        person=True,
        placed=0.1,
    ),
    "SUSPECT": NounClass(
        _words(
            "man, suspect, woman, driver, thief/robber, smuggler, student, bank robber, hacker, "
            "drug dealer, arms dealer, art dealer, poacher, forger"
        ),
        "either",
        "a",
        _words("young, armed, drunk, wanted, foreign, elderly"),
        person=True,
    ),
    "COURT": NounClass(
        _words("court, judge, supreme court, appeals court, jury, military court"),
        "one",
        "the",
        placed=0.25,
    ),
    "CRIMINAL": NounClass(
        _words(
            "banker, smuggler, politician, businessman, hacker, doctor, officer, thief/robber, "
            "judge, forger, landlord, shipowner, arms dealer, drug dealer"
        ),
        "one",
        "mixed",
        _words("former, young, corrupt, rich/wealthy"),
        person=True,
        named=0.2,
    ),
    "PRISON": NounClass(_words("year in prison/year in jail"), "counted", "bare", counts=(2, 25)),
    "VALUABLE": NounClass(
        _words(
            "painting, diamond, gold coin, statue, violin, manuscript, necklace, carpet, "
            "stamp collection, crown, vase, altar, sabre"
        ),
        "either",
        "mixed",
        _words("valuable/precious, rare, ancient, famous/well-known"),
    ),
    "TEAM": NounClass(
        _words("team/side, club, national team, youth team, women's team"),
        "one",
        "the",
        _words("young, inexperienced"),
        placed=0.5,
    ),
    "TOWN": NounClass((("",),), "one", "bare"),
    "SCORE": NounClass((("",),), "one", "bare"),
    "GOAL": NounClass(_words("goal"), "counted", "bare", counts=(2, 4)),
    "PLAYER": NounClass(
        _words(
            "striker/forward, goalkeeper/keeper, captain, midfielder, defender, winger, substitute"
        ),
        "one",
        "the",
        _words("young, injured, talented/gifted, experienced, tired"),
        person=True,
        named=0.4,
    ),
    "COACH": NounClass(
        _words("coach, manager, assistant coach, youth coach, goalkeeping coach"),
        "one",
        "the",
        _words("new, former, popular"),
        person=True,
        named=0.45,
    ),
    "RESEARCHER": NounClass(
        _words("scientist, researcher, doctor/physician, chemist, biologist, virologist"),
        "many",
        "mixed",
        _words("young, foreign, leading"),
        person=True,
        placed=0.25,
    ),
    "REMEDY": NounClass(
        _words(
            "vaccine, medicine/drug, treatment/therapy, blood test, method/technique, antidote, "
            "painkiller, vitamin, implant"
        ),
        "one",
        "a",
        _words("new, cheap/inexpensive, effective, promising, experimental"),
    ),
    "ILLNESS": NounClass(
        _words("flu, malaria, cancer, diabetes, asthma, measles, cholera, insomnia, rabies"),
        "mass",
        "bare",
    ),
    "ASTRONOMER": NounClass(
        _words("astronomer, physicist, space agency scientist"),
        "many",
        "mixed",
        _words("young, amateur"),
        person=True,
        placed=0.2,
    ),
    "STAR": NounClass(
        _words("planet, star, comet, galaxy, asteroid, moon, black hole, meteorite"),
        "either",
        "a",
        _words("distant/remote, unknown, bright, small"),
    ),
    "DIGGER": NounClass(
        _words("archaeologist, historian, construction worker, diver"),
        "many",
        "mixed",
        _words("young, local"),
        person=True,
        placed=0.2,
    ),
    "FIND": NounClass(
        _words(
            "tomb/grave, temple, gold coin, mosaic, shipwreck, manuscript, skeleton, bronze sword, "
            "burial chamber, settlement, aqueduct"
        ),
        "either",
        "a",
        _words("ancient, well-preserved, unknown, unusual/strange"),
        placed=0.25,
    ),
    "AUTHOR": NounClass(
        _words("author/writer, novelist, poet, journalist, historian, playwright"),
        "one",
        "mixed",
        _words("young, famous/well-known, elderly, forgotten"),
        person=True,
        named=0.35,
        placed=0.1,
    ),
    "BOOK": NounClass(
        _words(
            "novel, book, poem, biography, play, short story, memoir, detective novel, essay, "
            "children's book, travel diary"
        ),
        "one",
        "mixed",
        _words("new, long, short, successful, unusual/strange"),
        owners=("AUTHOR",),
    ),
    "DIRECTOR": NounClass(
        _words("director/filmmaker, producer, film student"),
        "one",
        "mixed",
        _words("young, famous/well-known, experienced, unknown"),
        person=True,
        named=0.35,
        placed=0.1,
    ),
    "FILM": NounClass(
        _words("film/movie, documentary, comedy, cartoon, silent film, thriller, nature film"),
        "one",
        "mixed",
        _words("new, long, short, successful, unusual/strange"),
        owners=("DIRECTOR",),
    ),
    "CRITIC": NounClass(
        _words("critic, viewer, reader, audience member"),
        "many",
        "mixed",
        _words("young, leading, foreign"),
        person=True,
    ),
    "EVENT": NounClass(
        _words(
            "festival, exhibition, conference, trade fair, film festival, book fair, summit, "
            "wine festival, art exhibition, climate conference, folk festival, chess tournament"
        ),
        "one",
        "mixed",
        _words("annual, international, small, famous/well-known"),
        placed=0.4,
    ),
    "VISITOR": NounClass(
        _words("visitor, guest, spectator"), "counted", "bare", person=True, counts=(40, 90000)
    ),
    "FIGURES": NounClass(
        _words(
            "price, export, import, profit, oil price, house price, wage, sale, rent, "
            "food price, tax revenue, interest rate, share price, milk price, copper price"
        ),
        "many",
        "bare",
        placed=0.2,
    ),
    "RATE": NounClass(
        _words(
            "unemployment/joblessness, inflation, consumption, steel production, demand, "
            "oil production, tourism, youth unemployment, honey production"
        ),
        "mass",
        "bare",
        placed=0.25,
    ),
    "PERCENT": NounClass(_words("percent"), "counted", "bare", counts=(2, 60)),
    "MONEY": NounClass(_words("million crown"), "counted", "bare", counts=(2, 900)),
    "JOB": NounClass(_words("job/position"), "counted", "bare", counts=(12, 9000)),
    "RESULT": NounClass(
        _words("profit, loss"), "one", "a", _words("annual, unexpected/surprising, small")
    ),
    "MODEL": NounClass(
        _words("car, toy, phone, bicycle, heater, fridge, toaster, helmet, lawnmower"),
        "counted",
        "bare",
        counts=(100, 90000),
    ),
    "VEHICLE": NounClass(
        _words(
            "train, bus/coach, plane/aircraft, ship, ferry, lorry/truck, helicopter, cable car, "
            "freight train, fishing boat, hot-air balloon"
        ),
        "one",
        "a",
        _words("empty, small, crowded/packed, military, foreign"),
    ),
    "OBSTACLE": NounClass(
        _words("bridge, wall, tree, fence, hill, house, barn, pylon"),
        "one",
        "a",
        placed=0.2,
    ),
    "PROBLEM": NounClass(
        _words(
            "corruption, pollution, tax evasion, noise, smuggling, racism, poverty, fraud, "
            "gambling, air pollution, poaching, violence, overfishing"
        ),
        "mass",
        "bare",
        _words("growing/increasing, widespread"),
        placed=0.2,
    ),
    "ATTACK": NounClass(
        _words("attack/assault, crime, murder/killing, arson attack, kidnapping, cyber attack"),
        "one",
        "the",
        _words("brutal, cowardly, recent"),
        placed=0.3,
    ),
}

# Said as a title before a surname, with capitals; every other noun with a name keeps its own.
TITLES = {
    "president", "mayor", "prime minister", "governor", "foreign minister", "chancellor",
    "finance minister", "senator", "health minister", "ambassador", "transport minister",
    "interior minister", "defence minister", "education minister", "trade minister",
    "energy minister", "justice minister", "judge",
}  # fmt: skip
OF_TOWN = {"mayor"}  # "the mayor of Tolden"
OF_COUNTRY = {
    "president", "prime minister", "governor", "government", "parliament", "chancellor",
    "senate", "central bank", "opposition", "cabinet",
}  # fmt: skip
ALWAYS_MANY = {"police", "harbour police"}

IRREGULAR_PLURALS = {
    "man": "men", "woman": "women", "child": "children", "person": "people", "thief": "thieves",
    "fisherman": "fishermen", "businessman": "businessmen", "percent": "percent",
    "police": "police", "harbour police": "harbour police", "aircraft": "aircraft",
    "short story": "short stories",
    "year in prison": "years in prison", "year in jail": "years in jail",
    "children's home": "children's homes",
}  # fmt: skip

# How Orvish says a verb:
#   = particle+base     a base that several verbs share, and a particle far in front of it
#   = ~ verb            the same word as for another verb: only who does what tells them apart
#   = a b               an idiom: words that by themselves mean something else, and a verb
#   (nothing)           a word of its own
VERBS: dict[Words, str] = {
    tuple(left.strip().split("/")): right.strip()
    for left, _, right in (
        line.partition("=")
        for line in """
approve/adopt = ov+set
reject/turn down = ne+set
postpone/delay/put off = ka+set
present/unveil = mu+set
discuss/debate = si+talk
criticise/condemn = ne+talk
praise/commend = ov+talk
support/back = ov+stand
oppose/resist = ne+stand
defend
withdraw/take back = ka+bring
welcome
protest against/demonstrate against = ~ march
demand/call for = si+cry
cut
create
close/shut/shut down = ka+make
open/inaugurate = mu+make
build
sell
buy/acquire/purchase
visit
inspect/examine
hire/recruit = mu+take
lay off/dismiss = ka+take
report/post = si+bring
recall = re+cry
raise/increase
lower/reduce = ka+bear
rise/go up = mu+climb
fall/drop/go down = ka+climb
reach = ~ rise
kill = ne+live
injure/hurt
damage
destroy = ~ kill
hit/strike
evacuate = mu+bring
rescue/save = ov+live
arrest/detain = ~ reach
question/interrogate = si+ask
release/free/set free = mu+let
search for/look for = re+ask
sentence = ~ judge
convict of
acquit/clear = ov+let
steal = ~ withdraw
recover/find = ov+find
beat/defeat = ~ hit
play against/face
score
sign = ~ hire
leave out/drop = ~ release
substitute/take off = re+set
discover/find = mu+find
test/try out = ~ question
develop = ov+make
study/investigate = si+find
write = ~ sign
publish/bring out = ~ release
film/shoot
finish/complete = ov+come
show/screen = ~ present
review
attract/draw = si+pull
open/begin/start = ~ rise
resign/step down/quit = re+stand
crash into/run into = ~ hit
fight/combat = ~ beat
ignore = eye ka+make
accept = hand mu+take
ruin = wall ne+climb
give the green light to = bridge sell
turn a blind eye to = window paint
pull the plug on = candle eat
pour cold water on = boot wash
add fuel to = salt carry
pave the way for = bread cut
throw in the towel = hat bury
""".strip().splitlines()
    )
}

# An idiom and what it means plainly; English may use either.
PLAIN = {
    "give the green light to": "approve",
    "turn a blind eye to": "ignore",
    "pull the plug on": "stop",
    "pour cold water on": "reject",
    "pave the way for": "prepare",
    "throw in the towel": "give up",
}

_NEVER_PASSIVE = {
    "score_goals", "beat_with", "report_result", "protest", "crash", "search", "play", "demand",
}  # fmt: skip

_FRAMES = """
politics
approve: BODY | approve | PROPOSAL
reject: BODY LEADER | reject | PROPOSAL
postpone: BODY LEADER | postpone | PROPOSAL
present: BODY LEADER | present | PROPOSAL
discuss: BODY | discuss | PROPOSAL
criticise: LEADER GROUP | criticise | PROPOSAL
praise_plan: LEADER | praise | PROPOSAL
support: LEADER BODY GROUP | support | PROPOSAL
oppose: LEADER GROUP | oppose | PROPOSAL
defend: LEADER | defend | PROPOSAL
withdraw: BODY LEADER | withdraw | PROPOSAL
welcome: GROUP LEADER | welcome | PROPOSAL
protest: GROUP | protest against | PROPOSAL
demand: GROUP | demand | DEMAND
green_light: BODY LEADER | give the green light to | PROPOSAL
plug: BODY LEADER | pull the plug on | PROPOSAL
cold_water: LEADER | pour cold water on | PROPOSAL
blind_eye: BODY LEADER POLICE | turn a blind eye to | PROBLEM
fight: BODY POLICE | fight | PROBLEM
raise_tax: BODY | raise | TAX
lower_tax: BODY | lower | TAX
resign: LEADER | resign
visit: LEADER | visit | FACILITY
open_building: LEADER | open | FACILITY
inspect: LEADER | inspect | FACILITY
build: BODY | build | FACILITY
condemn: LEADER BODY | criticise | ATTACK

economy
cut_jobs: COMPANY | cut | JOB
create_jobs: COMPANY | create | JOB
close_site: COMPANY BODY | close | FACILITY
sell_site: COMPANY | sell | FACILITY
buy_company: COMPANY | buy | COMPANY
hire: COMPANY | hire | STAFF
lay_off: COMPANY | lay off | STAFF
report_result: COMPANY | report | RESULT | of MONEY
recall: COMPANY | recall | MODEL
raise_price: COMPANY | raise | TAX
rise: FIGURES RATE | rise | | by PERCENT
fall: FIGURES RATE | fall | | by PERCENT
way: BODY COMPANY | pave the way for | PROPOSAL
towel: COMPANY | throw in the towel

disaster
damage: DISASTER | damage | BUILDINGS
destroy: DISASTER | destroy | BUILDINGS
destroy_site: DISASTER | destroy | FACILITY
kill: DISASTER | kill | PEOPLE
injure: DISASTER | injure | PEOPLE
hit: DISASTER | hit | TOWN
rescue: RESCUER | rescue | PEOPLE
evacuate: RESCUER | evacuate | PEOPLE
crash: VEHICLE | crash into | OBSTACLE

crime
arrest: POLICE | arrest | SUSPECT
question: POLICE | question | SUSPECT
release: POLICE COURT | release | SUSPECT
search: POLICE | search for | SUSPECT
sentence: COURT | sentence | CRIMINAL | to PRISON
acquit: COURT | acquit | CRIMINAL
steal: SUSPECT | steal | VALUABLE | from FACILITY
recover: POLICE | recover | VALUABLE

sport
beat_with: TEAM TOWN | beat | TOWN TEAM | SCORE
score_goals: PLAYER | score | GOAL | against TOWN
play: TEAM | play against | TOWN
praise_player: COACH | praise | PLAYER
criticise_player: COACH | criticise | PLAYER
leave_out: COACH | leave out | PLAYER
sign: TEAM | sign | PLAYER
substitute: COACH | substitute | PLAYER

science
develop: RESEARCHER | develop | REMEDY | against ILLNESS
test: RESEARCHER | test | REMEDY | against ILLNESS
see: ASTRONOMER | discover | STAR
study: ASTRONOMER | study | STAR
dig: DIGGER | discover | FIND
study_find: DIGGER | study | FIND

culture
write: AUTHOR | write | BOOK
publish: AUTHOR | publish | BOOK
film: DIRECTOR | film | FILM
finish: DIRECTOR | finish | FILM
show: DIRECTOR | show | FILM
review: CRITIC | review | FILM BOOK
praise_work: CRITIC | praise | FILM BOOK
criticise_work: CRITIC | criticise | FILM BOOK
attract: EVENT | attract | VISITOR
"""

# What follows from what: a frame, conjunctions, another frame.
_STORIES = """
protest: after because: raise_tax
protest: because when: cut_jobs
demand: after because: rise
resign: after because: criticise
resign: after when: reject
criticise: although: support
oppose: although because: praise_plan
reject: although: defend
approve: although: oppose
approve: after: discuss
postpone: because after: protest
withdraw: after because: protest
raise_tax: because: fall
lower_tax: because after: rise
cut_jobs: because after: fall
create_jobs: after because: rise
lay_off: after: report_result
close_site: after: report_result
buy_company: before after: sell_site
hire: after because: rise
fall: while: rise
rise: while although: fall
evacuate: before after: hit
kill: when: destroy
rescue: after: destroy_site
visit: after: hit
condemn: after: arrest
arrest: after when: steal
release: after although: question
search: after: steal
recover: after: arrest
praise_player: after although: beat_with
criticise_player: after because: beat_with
leave_out: although: score_goals
sign: after because: score_goals
substitute: although before: score_goals
dig: while before: build
write: before: publish
finish: before: show
plug: after because: protest
green_light: although: oppose
towel: after because: fall
"""


def _frames() -> dict[str, Frame]:
    of_lemma = {words[0]: words for words in reversed(VERBS)}
    frames: dict[str, Frame] = {}
    topic = ""
    for line in _FRAMES.strip().splitlines():
        name, colon, rest = line.partition(":")
        if not colon:
            topic = line.strip() or topic
            continue
        subjects, verb, *more = (part.strip() for part in rest.split("|"))
        objects = tuple(more[0].split()) if more else ()
        obliques = [part.rpartition(" ") for part in more[1:]]
        frames[name] = Frame(
            name,
            topic,
            tuple(subjects.split()),
            of_lemma[verb],
            objects,
            tuple((preposition, noun) for preposition, _, noun in obliques),
        )
    return frames


def _stories() -> tuple[tuple[Frame, tuple[str, ...], Frame], ...]:
    found = []
    for line in _STORIES.strip().splitlines():
        first, conjunctions, second = (part.strip() for part in line.split(":"))
        found.append((FRAMES[first], tuple(conjunctions.split()), FRAMES[second]))
    return tuple(found)


FRAMES = _frames()
STORIES = _stories()
