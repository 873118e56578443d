"""Places that are told by a word in their name, or by what people do there."""

from __future__ import annotations

from milepost.text.entities.calendar import CALENDAR
from milepost.text.entities.known_names import known, lands
from milepost.text.entities.people import is_first_name
from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page, Token

_WORDS_MAX = 5
_LAST = frozenset(
    "Street Road Avenue Boulevard Lane Square River Lake Valley Airport Island Islands Bridge "
    "Beach Mountains County Bay Park Falls".split()
)
# Words that are surnames as well: Nick Park is a person, Hyde Park is none.
_SURNAMES = frozenset("Park Lane Bridge Beach Bay Lake Falls Valley".split())
_FIRST = frozenset("Calle Avenida Avda Plaza Paseo Rue Boulevard Lake Mount".split())
_STREET = lazy(r"[A-ZÄÖÜ][\w-]{3,}(?:straße|strasse|gasse|platz|allee)")
_COMMON = frozenset(
    "Arbeitsplatz Parkplatz Marktplatz Sitzplatz Stellplatz Spielplatz Speicherplatz Sportplatz "
    "Ausbildungsplatz Bauplatz Einbahnstraße Landstraße".split()
)
_LIVING = lazy(
    r"(?:\b(?:(?:I|we|they|people) live|(?:[Hh]e|[Ss]he|who|[A-Z]\w+) lives|lived|living|based|"
    r"born|grew up|raised) in|works from|(?:flight|flew|fly|flying) to|"
    r"(?:wohn|leb)(?:e|t|en|te|ten) in|viv(?:e|o|en|imos|ía|ió) en|habit(?:e|ent|ait|ons) à) $"
)
_TOWN = lazy(r"\b(?:in|from|near|at|to|of|outside|around) ([A-Z][\w'-]+(?: [A-Z][\w'-]+)?), $")
_DIRECTION = lazy(r"(?i)\b(?:north|south|east|west|mid|central)(?:ern)?[ -]$")
_AFTER_TOWN = lazy(r"[A-Z][\w'-]+, $")
_LAND = lazy(r", ([A-Z]\w+(?: [A-Z]\w+)?)\b")


def find_place(page: Page, run: list[Token], place: int) -> int:
    """Find streets, rivers, parks: "Goethestraße", "Calle Mayor", "Nether Edge Road"."""
    first = run[place]
    if _STREET.fullmatch(first.word) and first.word not in _COMMON:
        return page.claim_run(run[place : place + 1], place, "place")
    words = [token.word for token in run[place : place + _WORDS_MAX]]
    if words[0] in _FIRST and len(words) > 1:
        return page.claim_run(run[place : place + 2], place, "place")
    for count in range(len(words), 1, -1):
        if words[count - 1] in _LAST and _is_whole(page, run, place, count):
            return page.claim_run(run[place : place + count], place, "place")
    return place


def _is_whole(page: Page, run: list[Token], place: int, count: int) -> bool:
    first = run[place]
    if run[place + count - 1].word in _SURNAMES and is_first_name(first.word):
        return False
    # "Visit Hyde Park" begins with a word that is no part of the name.
    return not page.is_opening(first) and (count == 2 or not page.begins(first.start))


def find_town(page: Page, run: list[Token], place: int) -> int:
    """Find a town by what people do there: live, be born, fly to."""
    token = run[place]
    if len(token.word) < 3 or not token.word[1:].islower() or token.word in CALENDAR:
        return place
    before = page.text[max(0, token.start - 24) : token.start]
    if known(token.word) is not None or not _LIVING.search(before):
        return place
    end = place + 1 if page.in_german() else min(len(run), place + 2)
    return claim_place(page, run, place, end)


def claim_place(page: Page, run: list[Token], place: int, end: int) -> int:
    """Claim a place, a town together with its land: "in Rochester, New York"."""
    start, stop = run[place].start, run[end - 1].end
    # "south Wales" is not Wales.
    if _DIRECTION.search(page.text[max(0, start - 12) : start]):
        return end
    if page.text[start:stop] in lands():
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
