"""Names made of capitalised words: each rule reads on from a word, and says how far it came."""

from __future__ import annotations

from milepost.text.entities.compounds import is_part
from milepost.text.entities.known_names import ABOUT_PROGRAMS, first_words, known
from milepost.text.entities.organisations import find_organisation
from milepost.text.entities.people import find_initialled, find_person, find_titled, is_title
from milepost.text.entities.places import claim_place, find_place, find_town
from milepost.text.entities.told import is_told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page, Token

_WORDS_MAX = 24


def find_names(page: Page, words: list[Token]) -> None:
    """Find names among the capitalised words of a text, run by run."""
    run: list[Token] = []
    for word in words:
        if run and not _joins(page.text[run[-1].end : word.start], run[-1].word):
            _read(page, run)
            run = []
        run.append(word)
    _read(page, run)


def _joins(gap: str, word: str) -> bool:
    """Tell whether two words may be parts of one name: "R. C. Harvey", "Dr. Sethi"."""
    return gap == " " or (gap == ". " and (len(word) == 1 or is_title(word) or word == "St"))


def _read(page: Page, run: list[Token]) -> None:
    run = run[:_WORDS_MAX]
    place = 0
    while place < len(run):
        free = page.free(run[place].start, run[place].end)
        place = _next(page, run, place) if free else place + 1


def _next(page: Page, run: list[Token], place: int) -> int:
    """Find the name that begins at a place of a run, and return where the rest begins."""
    for rule in _RULES:
        end = rule(page, run, place)
        if end > place:
            return end
    return place + 1


def _find_several(page: Page, run: list[Token], place: int) -> int:
    """Find known names of several words."""
    count = first_words().get(run[place].word.lower(), 0)
    for end in range(min(place + count, len(run)), place + 1, -1):
        found = known(page.text[run[place].start : run[end - 1].end])
        if found is not None and not is_part(page, run, place, end):
            return _claim(page, run, place, end, found.type)
    return place


def _find_single(page: Page, run: list[Token], place: int) -> int:
    """Find known names of one word; those that need a text about programs are read later."""
    token = run[place]
    found = known(token.word)
    if found is None or found.written in ABOUT_PROGRAMS or not _is_sure(page, token, found.written):
        return place
    if is_part(page, run, place, place + 1):
        return place
    return _claim(page, run, place, place + 1, found.type)


def _claim(page: Page, run: list[Token], place: int, end: int, type_: str) -> int:
    if type_ == "place":
        return claim_place(page, run, place, end)
    return page.claim_run(run[place:end], place, type_)


def _is_sure(page: Page, token: Token, written: str) -> bool:
    if written == "told":
        return is_told(page.text, token.start, token.end)
    return written != "inside" or _is_inside(page, token)


def _is_inside(page: Page, token: Token) -> bool:
    """Tell whether a word is capitalised inside a sentence; "6 Go" is a size."""
    before = page.text[max(0, token.start - 2) : token.start].strip()
    return not page.begins(token.start) and not before.isdigit()


_RULES = (
    _find_several,
    find_titled,
    find_initialled,
    find_place,
    find_organisation,
    find_person,
    _find_single,
    find_town,
)
