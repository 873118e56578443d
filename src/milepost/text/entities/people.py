"""People: known first names with what follows them, titles, initials."""

from __future__ import annotations

from milepost.text import speakers
from milepost.text.entities.calendar import CALENDAR
from milepost.text.entities.known_names import known
from milepost.text.expressions import lazy
from milepost.text.languages import folded
from milepost.text.words import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page, Token

# "Don" and "M" are more often a name and an initial than a title.
_TITLES = speakers.TITLES - {"don", "m", "hon"}
_SMALL_TITLE = lazy(r"\b(?:señor|señora|doña|monsieur|madame|sra?\.|mme\.?) $")
# What follows a title and is no surname.
_OFFICES = frozenset(
    "Chair Chairman Speaker President Minister Prime Vice Justice Secretary".split()
)
# First names that begin sentences as words, in one of our languages.
_WORDS = frozenset(
    "will mark rob till guy dawn grace una nada mia jan lan ben val rune pip hai wen chad sue pat "
    "rod jay kun nur uma ella ama alla ali lei dan ed jo meg mina ville bela don frank ken hank "
    "jack victor iris ivy jade gene sora chao bala carter mason taylor tyler christian jordan "
    "eve".split()
)
# First names that are more often something else wherever they stand; with a surname they are names.
_RARE = frozenset(
    "pip mel len baz elif edu nan val julia pascal kelvin mercedes virginia florence jordan "
    "chelsea madison marina noel lex kuba sina victoria charlotte cliff dale glen rosemary sherry "
    "angus melody carol holly hazel heather daisy poppy lily".split()
)
_NO_NAMES = frozenset("roman jesus moses santiago".split())
# First names that are rather nouns where all nouns are capitalised.
_GERMAN_NOUNS = frozenset("Brett Kai Dom Tal Mark Lan Hai Rune Lex Ros".split())
# Words before a first name that are no part of it.
_KIN = frozenset(
    "Uncle Aunt Auntie Grandma Grandpa Granny Nana Opa Oma Onkel Tante Tío Tía Abuela Abuelo Coach "
    "Captain President Senator Minister Judge Father Sister Brother Cousin Honourable Hon Hi Hey "
    "Hello Dear Thanks".split()
)
_LEADING = STOP_WORDS | frozenset(
    "ask tell call ping thank give let see meet email contact remind yesterday today tomorrow "
    "since maybe also because while after before until although unless however please note "
    "hopefully".split()
)
# "Annie's Homegrown", "Ben & Jerry's", "Levi's, Wendy's": names of shops and of what they sell.
_BRAND = lazy(
    r"(?:['’]s)? (?:& [A-Z]|the [A-Z]|Day\b|Eve\b|Week\b)|['’]s(?: [A-Z][a-z]+|(?=[,.;)]| and "
    r"[A-Z]|$))"
)
_NUMERAL = lazy(r"[IVX]{1,4}")
_QUOTES = ('"', "\u201c", "\u201e", "\u00ab")
_PARTICLE = lazy(r" (?:(?:von|van|de|der|den|da|del|della|di|la|le|du|ten|ter) ){1,2}[A-Z][\w-]+")
# After these a German first name has a surname; elsewhere a noun may follow: "hat Jonas Urlaub".
_GERMAN_BEFORE = frozenset("mit von bei für und oder an zu durch ohne ist heißt".split())
_FAMILY_MAX = 3


def is_title(word: str) -> bool:
    """Tell whether a word announces a surname."""
    return word.rstrip(".").lower() in _TITLES and word[0].isupper()


def is_first_name(word: str, begins: bool = False, alone: bool = False) -> bool:
    """Tell whether a capitalised word is somebody's first name, without a surname if alone."""
    plain = folded(word).lower()
    if plain in _NO_NAMES:
        return False
    if alone and (plain in _RARE or (begins and plain in _WORDS)):
        return False
    # "Friedrich-Ebert" is a street, and "Svenja-Radio" a radio.
    return all(map(speakers.is_first_name, plain.split("-")))


def find_titled(page: Page, run: list[Token], place: int) -> int:
    """Find who is named after a title, without it: "Frau Dr. Petri", "el señor García"."""
    titled = place
    while titled < len(run) and is_title(run[titled].word):
        titled += 1
    before = page.text[max(0, run[place].start - 12) : run[place].start]
    if titled == place and not _SMALL_TITLE.search(before):
        return place
    if titled == len(run) or known(run[titled].word) is not None or run[titled].word in _OFFICES:
        return titled
    end = _family_end(page, run, titled)
    return page.claim_run(run[titled : end or titled + 1], titled, "person")


def find_initialled(page: Page, run: list[Token], place: int) -> int:
    """Find "R. C. Harvey"."""
    end = place
    while end < len(run) and _is_initial(page, run[end]):
        end += 1
    if end < place + 2 or end == len(run) or not _is_surname(run[end].word):
        return place
    return page.claim_run(run[place : end + 1], place, "person")


def find_person(page: Page, run: list[Token], place: int) -> int:
    """Find a first name with the surname behind it; nothing where it may be part of another."""
    token = run[place]
    if not _is_surname(token.word) or token.word in CALENDAR:
        return place
    end = _family_end(page, run, place)
    if not is_first_name(token.word, page.begins(token.start), alone=end == place + 1):
        return place
    if end == 0 or _is_other(page, run, place) or _goes_on(page, run, end):
        return len(run)
    particle = _PARTICLE.match(page.text, token.end)
    if particle is not None and end == place + 1:
        page.claim(token.start, particle.end(), "person")
        return end
    return page.claim_run(run[place:end], place, "person")


def _goes_on(page: Page, run: list[Token], end: int) -> bool:
    """Tell whether a name is longer than what was read: "Charles III", "Annie's Homegrown"."""
    if end < len(run) and (_NUMERAL.fullmatch(run[end].word) or _is_shouted(run[end].word)):
        return True
    return _BRAND.match(page.text, run[end - 1].end) is not None


def _is_shouted(word: str) -> bool:
    return len(word) > 3 and word.isupper()


def _family_end(page: Page, run: list[Token], place: int) -> int:
    """Return where a name that begins with a first name ends in a run; 0 if that is not sure."""
    end = place + 1
    while end < len(run) and _is_family(run[end].word):
        end += 1
    if end == place + 1:
        return end
    if page.in_german() and not _has_surname(page, run, place):
        return 0
    return end if end <= place + _FAMILY_MAX else 0


def _is_family(word: str) -> bool:
    """Tell whether a word after a first name may belong to it; Washington and Tesla may."""
    if not _is_surname(word) or word in CALENDAR or word.lower() in STOP_WORDS:
        return False
    found = known(word)
    return (
        found is None
        or found.type in ("place", "organisation")
        or found.written in ("coded", "mixed", "inside")
    )


def _has_surname(page: Page, run: list[Token], place: int) -> bool:
    """Tell whether a noun behind a German first name is a surname; a role or a title shows it."""
    start = run[place].start
    before = page.text[max(0, start - 12) : start].split()
    if page.begins(start) or place or not before or is_first_name(run[place + 1].word):
        return True
    return before[-1] in _GERMAN_BEFORE or before[-1][-1] in ",(:"


def _is_surname(word: str) -> bool:
    """Tell whether a word may be a surname, or an initial: capitalised, but not in capitals."""
    return word[0].isupper() and (len(word) <= 1 or not word.isupper())


def _is_initial(page: Page, token: Token) -> bool:
    return len(token.word) == 1 and page.text[token.end : token.end + 1] == "."


def _is_other(page: Page, run: list[Token], place: int) -> bool:
    """Tell whether a first name is inside of something else: "Billie Jean", "St James", "Jan 5"."""
    token = run[place]
    if page.in_german():
        return token.word in _GERMAN_NOUNS
    if token.word == "Jan" and page.text[token.end : token.end + 3].strip()[:1].isdigit():
        return True
    before = page.text[max(0, token.start - 2) : token.start]
    # A name that opens a quotation is a title: "Anna Karenina".
    if before == "& " or before[-1:] in _QUOTES:
        return True
    if place == 0 or run[place - 1].word in _KIN:
        return False
    leading = run[place - 1]
    if page.begins(leading.start) and leading.word.lower() in _LEADING:
        return False
    return page.free(leading.start, leading.end)
