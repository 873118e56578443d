"""Names made of capitalised words: people, places, organisations, and terms of several words."""

from __future__ import annotations

from milepost.text.entities.known_names import first_words, known, lands
from milepost.text.entities.people import is_first_name, is_surname, is_title
from milepost.text.entities.told import is_told
from milepost.text.expressions import lazy
from milepost.text.words import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page, Token

_WORDS_MAX = 6
_ORGANISATION = frozenset(
    "GmbH AG KG Inc Inc. Ltd Ltd. LLC Corp Corp. PLC Labs Consulting Records University College "
    "Institute Foundation Federation Association Bank Hospital Ministry Museum Studios Partners "
    "Industries Technologies Logistics Airlines Verlag Verein Stadtwerke Sparkasse Universität "
    "Universidad Université Ayuntamiento Fundación".split()
)
_ORGANISATION_OF = frozenset(
    "University Bank Ministry Institute Universidad Université Universität Banco Ministerio".split()
)
_OF = lazy(r" (?:of|for|de|del|der|für) (?:the |la |los )?[A-Z]\w+(?: [A-Z]\w+)*")
_PLACE = frozenset(
    "Street Road Avenue Boulevard Lane Square River Lake Valley Airport Island Islands Bridge "
    "Beach "
    "Mountains County Bay Park Falls".split()
)
_SURNAMES = frozenset("Park Lane Bridge Beach Bay Lake Falls Valley".split())
_PLACE_FIRST = frozenset("Calle Avenida Avda Plaza Paseo Rue Boulevard Lake Mount".split())
_LIVING = lazy(
    r"(?:\b(?:(?:I|we|they|people) live|(?:[Hh]e|[Ss]he|who|[A-Z]\w+) lives|lived|living|based|"
    r"born|grew up|"
    r"raised) in|works from|"
    r"(?:flight|flew|fly|flying) to|(?:wohn|leb)(?:e|t|en|te|ten) in|"
    r"viv(?:e|o|en|imos|ía|ió) en|habit(?:e|ent|ait|ons) à) $"
)
_STREET = lazy(r"[A-ZÄÖÜ][\w-]{3,}(?:straße|strasse|gasse|platz|allee)")
_COMMON_STREETS = frozenset(
    "Arbeitsplatz Parkplatz Marktplatz Sitzplatz Stellplatz Spielplatz "
    "Arbeitsplätze Speicherplatz Einbahnstraße Landstraße Ausbildungsplatz Sportplatz "
    "Bauplatz".split()
)
_TERM = frozenset(
    "Act Protocol Conference Summit Festival Award Awards Prize Cup Convention Treaty "
    "Manifesto".split()
)
_CALENDAR = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May "
    "June "
    "July August September October November December Mon Tue Wed Thu Fri Sat Sun Easter Christmas "
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag Januar Februar März Mai Juni Juli "
    "Oktober Dezember Ostern Weihnachten".split()
)
# Words that begin a sentence before a name.
_LEADING = STOP_WORDS | frozenset(
    "ask tell call ping thank give let see meet email contact remind yesterday today tomorrow "
    "since "
    "maybe also because while after before until although unless however please note "
    "hopefully".split()
)
_BRAND = lazy(r"(?:['’]s)? (?:& [A-Z]|Day\b|Eve\b|Week\b)|['’]s [A-Z][a-z]+")
_TOWN = lazy(r"\b(?:in|from|near|at|to|of|outside|around) ([A-Z][\w'-]+(?: [A-Z][\w'-]+)?), $")
_AFTER_TOWN = lazy(r"[A-Z][\w'-]+, $")
_LAND = lazy(r", ([A-Z]\w+(?: [A-Z]\w+)?)\b")
_NATURE = lazy(r" (?:rainforest|river|basin|jungle|forest|sea|ocean)\b")
_PART_OF = lazy(
    r"\b(?:Bank|Government|Ministry|Republic|Kingdom|University|Museum|Union|Federation|Parliament|"
    r"Association|Academy|Institute|Bay|Gulf|Duke|House|Tower|Times|Banco|Ministerio) (?:of|de) "
    r"(?:the )?$"
)
# Names that companies put before those of what they sell: the whole is another name.
_BRANDS = frozenset(
    "Microsoft Google Amazon Apple Oracle IBM Apache AWS Azure Samsung Sony Nvidia Docker "
    "GitHub".split()
)
# Words beside a name that make no other name of it.
_GENERIC = frozenset(
    "API APIs CLI SDK UI UX URL URLs ID IDs ORM SQL VM VMs CI CD README OS DB JSON XML HTTP HTTPS "
    "TLS "
    "SSL SSH I PR PRs OK EU US Server Client".split()
)
# What follows a title and is no surname.
_OFFICES = frozenset(
    "Chair Chairman Speaker President Minister Prime Vice Justice Secretary".split()
)
# Words before a first name that are no part of it.
_KIN = frozenset(
    "Uncle Aunt Auntie Grandma Grandpa Granny Nana Opa Oma Onkel Tante Tío Tía Abuela Abuelo Coach "
    "Captain President Senator Minister Judge Father Sister Brother Cousin Honourable Hon Hi Hey "
    "Hello Dear Thanks".split()
)
# First names that are rather nouns where all nouns are capitalised.
_GERMAN_NOUNS = frozenset(
    "Brett Kai Dom Tal Mark Lan Hai Rune Lex Bank Rose Mai Rosen Ros Band".split()
)
# Before a surname in German a noun may follow a first name as well: "hat Jonas Urlaub?"
_GERMAN_BEFORE = frozenset("mit von bei für und oder an zu durch ohne ist heißt".split())


def find_names(page: Page, words: list[Token]) -> None:
    """Find names among the capitalised words of a text."""
    if not words:
        return
    text = page.text
    run: list[Token] = []
    for word in words:
        if run and not _joins(text[run[-1].end : word.start], run[-1].word):
            _read(page, run)
            run = []
        run.append(word)
    _read(page, run)


def _joins(gap: str, word: str) -> bool:
    """Tell whether two words may be parts of one name: "R. C. Harvey", "Dr. Sethi"."""
    return gap == " " or (gap == ". " and (len(word) == 1 or is_title(word) or word == "St"))


def _read(page: Page, run: list[Token]) -> None:
    """Read a run of capitalised words from its beginning to its end."""
    run = run[: 4 * _WORDS_MAX]
    place = 0
    while place < len(run):
        free = page.free(run[place].start, run[place].end)
        place = _next(page, run, place) if free else place + 1


def _next(page: Page, run: list[Token], place: int) -> int:
    """Find the name that begins at a place of a run, and return where the rest begins."""
    for rule in (_several_known, _titled, _initialled, _suffixed, _person, _single, _lived_in):
        end = rule(page, run, place)
        if end > place:
            return end
    return place + 1


def _claim(page: Page, run: list[Token], place: int, end: int, type_: str) -> int:
    page.claim(run[place].start, run[end - 1].end, type_)
    return end


def _several_known(page: Page, run: list[Token], place: int) -> int:
    count = first_words().get(run[place].word.lower(), 0)
    for end in range(min(place + count, len(run)), place + 1, -1):
        found = known(page.text[run[place].start : run[end - 1].end])
        if found is None or _is_part(page, run, place, end):
            continue
        return _claim_known(page, run, place, end, found.type)
    return place


def _claim_known(page: Page, run: list[Token], place: int, end: int, type_: str) -> int:
    if type_ == "place":
        return _place(page, run, place, end)
    return _claim(page, run, place, end, type_)


def _titled(page: Page, run: list[Token], place: int) -> int:
    if not is_title(run[place].word):
        return place
    while place < len(run) and is_title(run[place].word):
        place += 1
    if place == len(run) or known(run[place].word) is not None or run[place].word in _OFFICES:
        return place
    end = place + 1
    while end < len(run) and end < place + 3 and _is_family(page, run, place, end):
        end += 1
    return _claim(page, run, place, end, "person")


def _initialled(page: Page, run: list[Token], place: int) -> int:
    """Find "R. C. Harvey"."""
    end = place
    while (
        end < len(run)
        and len(run[end].word) == 1
        and page.text[run[end].end : run[end].end + 1] == "."
    ):
        end += 1
    if end < place + 2 or end == len(run) or not is_surname(run[end].word):
        return place
    return _claim(page, run, place, end + 1, "person")


def _suffixed(page: Page, run: list[Token], place: int) -> int:
    first = run[place]
    if _STREET.fullmatch(first.word) and first.word not in _COMMON_STREETS:
        return _claim(page, run, place, place + 1, "place")
    words = [token.word for token in run[place : place + _WORDS_MAX]]
    if words[0] in _PLACE_FIRST and len(words) > 1:
        return _claim(page, run, place, place + 2, "place")
    if words[0] in _ORGANISATION_OF and (rest := _OF.match(page.text, first.end)):
        return _claim_to(page, run, place, rest.end(), "organisation")
    for count in range(len(words), 1, -1):
        type_ = _suffix_type(words[count - 1])
        # Nick Park is a person, Hyde Park is none.
        if type_ == "place" and words[count - 1] in _SURNAMES and is_first_name(words[0]):
            continue
        # "Visit Hyde Park" begins with a word that is no part of the name.
        if type_ == "place" and page.begins(first.start) and count > 2:
            continue
        if type_ is not None and not _is_empty(page, run, place):
            rest = (
                _OF.match(page.text, run[place + count - 1].end)
                if type_ == "organisation"
                else None
            )
            end = rest.end() if rest else run[place + count - 1].end
            return _claim_to(page, run, place, end, type_)
    return place


def _claim_to(page: Page, run: list[Token], place: int, end: int, type_: str) -> int:
    """Claim a name that may reach beyond its run."""
    page.claim(run[place].start, end, type_)
    return sum(token.start < end for token in run)


def _suffix_type(word: str) -> str | None:
    if word in _ORGANISATION:
        return "organisation"
    return "place" if word in _PLACE else "term" if word in _TERM else None


def _is_empty(page: Page, run: list[Token], place: int) -> bool:
    """Tell whether a word is capitalised only because a sentence begins with it."""
    token = run[place]
    if token.word in _CALENDAR:
        return True
    return page.begins(token.start) and (token.word.lower() in STOP_WORDS or page.in_german())


def _person(page: Page, run: list[Token], place: int) -> int:
    token = run[place]
    alone = place + 1 == len(run) or not _is_family(page, run, place, place + 1)
    if not is_surname(token.word) or token.word in _CALENDAR:
        return place
    if not is_first_name(token.word, page.begins(token.start), alone):
        return place
    if _is_other(page, run, place) or _is_brand(page, run, place):
        return len(run)
    end = place + 1
    while end < len(run) and end < place + 4 and _is_family(page, run, place, end):
        end += 1
    return _claim(page, run, place, end, "person")


def _is_other(page: Page, run: list[Token], place: int) -> bool:
    """Tell whether a first name is inside of something else: "Billie Jean", "St James", "Jan 5"."""
    token = run[place]
    if page.in_german():
        return token.word in _GERMAN_NOUNS
    if token.word == "Jan" and page.text[token.end : token.end + 3].strip()[:1].isdigit():
        return True
    if place == 0 or run[place - 1].word in _KIN:
        return False
    before = run[place - 1]
    if page.begins(before.start) and before.word.lower() in _LEADING:
        return False
    return page.free(before.start, before.end)


def _is_brand(page: Page, run: list[Token], place: int) -> bool:
    """Tell whether a first name is the beginning of another: "Annie's Homegrown", "Ben & Jerry"."""
    return _BRAND.match(page.text, run[place].end) is not None


def _is_family(page: Page, run: list[Token], place: int, end: int) -> bool:
    word = run[end].word
    if not is_surname(word) or word in _CALENDAR or known(word) is not None:
        return False
    if word.lower() in STOP_WORDS:
        return False
    # A third word belongs to it after a second first name or an initial.
    if end > place + 1 and len(run[end - 1].word) > 1 and not is_first_name(run[end - 1].word):
        return False
    return not page.in_german() or _is_named_in_german(page, run[place].start)


def _is_named_in_german(page: Page, start: int) -> bool:
    before = page.text[max(0, start - 12) : start].split()
    return page.begins(start) or bool(before and before[-1] in _GERMAN_BEFORE)


def _single(page: Page, run: list[Token], place: int) -> int:
    token = run[place]
    found = known(token.word)
    if found is None or not _is_sure(page, token, found.written):
        return place
    if found.written == "coded" or _is_part(page, run, place, place + 1):
        return place
    return _claim_known(page, run, place, place + 1, found.type)


def _place(page: Page, run: list[Token], place: int, end: int) -> int:
    """Claim a place, a town with its land: "in Rochester, New York"."""
    start, stop = run[place].start, run[end - 1].end
    name = page.text[start:stop]
    if name in lands():
        before = page.text[max(0, start - 40) : start]
        town = _TOWN.search(before)
        if town is not None and page.free(start - len(town[1]) - 2, start):
            start -= len(town[1]) + 2
        elif _AFTER_TOWN.search(before) and page.free(start - 4, start):
            return end
    elif (land := _LAND.match(page.text, stop)) and land[1] in lands():
        stop = land.end()
    page.claim(start, stop, "place")
    return end


def _is_sure(page: Page, token: Token, written: str) -> bool:
    if written == "told":
        return is_told(page.text, token.start, token.end)
    return written != "inside" or _is_inside(page, token)


def _is_part(page: Page, run: list[Token], place: int, end: int) -> bool:
    """Tell whether a known name is part of another: "Git LFS", "Boston Globe", "Bank of Canada"."""
    before = page.text[max(0, run[place].start - 24) : run[place].start]
    if _PART_OF.search(before):
        return True
    if _NATURE.match(page.text, run[end - 1].end):
        return True
    following = run[end] if end < len(run) else None
    if following is not None and (run[place].word in _BRANDS or _is_other_name(page, following)):
        return True
    # In German a noun may stand before a name: "das Framework Django".
    leading = run[place - 1] if place and not page.in_german() else None
    if leading is None:
        return False
    if leading.word in _BRANDS:
        return True
    return not page.begins(leading.start) and _is_other_name(page, leading)


def _is_other_name(page: Page, token: Token) -> bool:
    word = token.word
    if word in _GENERIC or word in _CALENDAR or known(word) is not None:
        return False
    return page.free(token.start, token.end)


def _is_inside(page: Page, token: Token) -> bool:
    """Tell whether a word is capitalised inside a sentence; "6 Go" is a size."""
    before = page.text[max(0, token.start - 2) : token.start].strip()
    return not page.begins(token.start) and not before.isdigit()


def _lived_in(page: Page, run: list[Token], place: int) -> int:
    """Find a town by what people do there."""
    token = run[place]
    if len(token.word) < 3 or not token.word[1:].islower() or token.word in _CALENDAR:
        return place
    before = page.text[max(0, token.start - 24) : token.start]
    if known(token.word) is not None or not _LIVING.search(before):
        return place
    end = place + 1 if page.in_german() else min(len(run), place + 2)
    return _place(page, run, place, end)
