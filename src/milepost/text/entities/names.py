"""Names made of capitalised words: people, places, organisations, and terms of several words."""

from __future__ import annotations

from milepost.text.entities.known_names import first_words, known
from milepost.text.entities.people import is_first_name, is_particle, is_surname, is_title
from milepost.text.expressions import lazy
from milepost.text.languages import function_words
from milepost.text.words import STOP_WORDS, languages

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
_PLACE = frozenset(
    "Street Road Avenue Boulevard Lane Square River Lake Valley Airport Island Islands Bridge Beach "
    "Mountains County Bay Park".split()
)
_PLACE_FIRST = frozenset("Calle Avenida Avda Plaza Paseo Rue Boulevard Lake Mount".split())
_STREET = lazy(r"[A-ZÄÖÜ][\w-]{3,}(?:straße|strasse|gasse|platz|allee)")
_COMMON_STREETS = frozenset("Arbeitsplatz Parkplatz Marktplatz Sitzplatz Stellplatz Spielplatz "
    "Arbeitsplätze Speicherplatz Einbahnstraße Landstraße Ausbildungsplatz Sportplatz Bauplatz".split())
_TERM = frozenset(
    "API Act Protocol Project Framework Conference Summit Festival Award Prize Plan Programme Program "
    "Edition Series Engine Convention Treaty Manifesto Guide Handbook Method Model".split()
)
_CALENDAR = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June "
    "July August September October November December Mon Tue Wed Thu Fri Sat Sun Easter Christmas "
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag Januar Februar März Mai Juni Juli "
    "Oktober Dezember Ostern Weihnachten".split()
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
        if run and not _joins(text[run[-1].end : word.start]):
            _read(page, run)
            run = []
        run.append(word)
    _read(page, run)


def _joins(gap: str) -> bool:
    return gap == " "


def _read(page: Page, run: list[Token]) -> None:
    """Read a run of capitalised words from its beginning to its end."""
    run = run[: 4 * _WORDS_MAX]
    place = 0
    while place < len(run):
        place = _next(page, run, place)


def _next(page: Page, run: list[Token], place: int) -> int:
    """Find the name that begins at a place of a run, and return where the rest begins."""
    for rule in (_several_known, _titled, _suffixed, _person, _single):
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
        if found is not None:
            return _claim(page, run, place, end, found.type)
    return place


def _titled(page: Page, run: list[Token], place: int) -> int:
    if not is_title(run[place].word) or place + 1 == len(run):
        return place
    end = place + 2
    if end < len(run) and is_first_name(run[place + 1].word, False):
        end += 1
    return _claim(page, run, place + 1, end, "person")


def _suffixed(page: Page, run: list[Token], place: int) -> int:
    first = run[place]
    if _STREET.fullmatch(first.word) and first.word not in _COMMON_STREETS:
        return _claim(page, run, place, place + 1, "place")
    words = [token.word for token in run[place : place + _WORDS_MAX]]
    if words[0] in _PLACE_FIRST and len(words) > 1:
        return _claim(page, run, place, place + 2, "place")
    for count in range(len(words), 1, -1):
        type_ = _suffix_type(words[count - 1])
        if type_ is not None and not _is_empty(page, run, place):
            return _claim(page, run, place, place + count, type_)
    return place


def _suffix_type(word: str) -> str | None:
    if word in _ORGANISATION:
        return "organisation"
    return "place" if word in _PLACE else "term" if word in _TERM else None


def _is_empty(page: Page, run: list[Token], place: int) -> bool:
    """Tell whether a word is capitalised only because a sentence begins with it."""
    token = run[place]
    if token.word in _CALENDAR:
        return True
    return page.begins(token.start) and token.word.lower() in STOP_WORDS


def _person(page: Page, run: list[Token], place: int) -> int:
    token = run[place]
    begins = page.begins(token.start)
    surname = place + 1 < len(run) and is_surname(run[place + 1].word)
    if not is_first_name(token.word, begins and not surname) or not is_surname(token.word):
        return place
    end = place + 1
    while end < len(run) and end < place + 3 and _is_family(page, run, place, end):
        end += 1
    return _claim(page, run, place, end, "person")


def _is_family(page: Page, run: list[Token], place: int, end: int) -> bool:
    word = run[end].word
    if not is_surname(word) or word in _CALENDAR or known(word) is not None:
        return False
    return not _in_german(page) or _is_named_in_german(page, run[place].start)


def _in_german(page: Page) -> bool:
    return "german" in languages(page.text)


def _is_named_in_german(page: Page, start: int) -> bool:
    before = page.text[max(0, start - 12) : start].split()
    return page.begins(start) or bool(before and before[-1] in _GERMAN_BEFORE)


def _single(page: Page, run: list[Token], place: int) -> int:
    token = run[place]
    found = known(token.word)
    if found is None or found.written == "told":
        return place
    if found.written == "inside" and page.begins(token.start):
        return place
    return _claim(page, run, place, place + 1, found.type)
