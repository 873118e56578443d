"""People: known first names, what follows a title, and Chinese names by their surnames."""

from __future__ import annotations

from milepost.text import speakers
from milepost.text.expressions import lazy
from milepost.text.languages import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page

# "Don" and "M" are more often a name and an initial than a title.
_TITLES = speakers.TITLES - {"don", "m", "hon"}
# First names that begin sentences as words, in one of our languages.
_WORDS = frozenset(
    "will mark rob till guy dawn grace una nada mia jan lan ben val rune pip hai wen chad sue pat rod "
    "jay kun nur uma ella ama alla ali lei dan ed jo meg mina ville bela don frank ken hank jack "
    "victor iris ivy jade gene sora chao bala carter mason taylor tyler christian jordan eve".split()
)
# First names that are more often something else wherever they stand; with a surname they are names.
_RARE = frozenset(
    "pip mel len baz elif edu nan val julia pascal kelvin mercedes virginia florence jordan chelsea "
    "madison marina noel lex kuba sina victoria charlotte".split()
)
_HAN = "\u4e00-\u9fff"
_ROLES = "经理|总监|总|工|老师|医生|主任|哥|姐|师傅|博士|教授|律师|先生|女士|阿姨|叔"
# A name opens a clause, or follows who acts with whom; what comes after shows that it is over.
_CHINESE = lazy(
    rf"(?:(?<=[，。；：、！？,;:\s（(和跟给找让由请问叫是])|(?<![{_HAN}]))(?:"
    rf"(?P<titled>[{_HAN}](?:{_ROLES}))(?![{_HAN}]?[作程人会])"
    rf"|(?P<familiar>[小老阿][{_HAN}])(?=[，。；：、！？,;:\s]|说|在|把|会|要|负责|和|跟|已|也|的|提|来|去|今|明|昨|下)"
    rf"|(?P<full>[{_HAN}]{{2,3}}?)(?=说|负责|提议|建议|决定|反馈|认为|发现|表示|和|跟|今天|昨天|明天|下周|在|把|已经|也|：|、)"
    r")"
)


def is_title(word: str) -> bool:
    """Tell whether a word announces a surname."""
    return word.rstrip(".").lower() in _TITLES and word[0].isupper()


def is_first_name(word: str, begins: bool = False, alone: bool = False) -> bool:
    """Tell whether a capitalised word is somebody's first name, without a surname if alone."""
    plain = folded(word).lower()
    if alone and (plain in _RARE or (begins and plain in _WORDS)):
        return False
    # "Friedrich-Ebert" is a street, and "Svenja-Radio" a radio.
    return all(map(speakers.is_first_name, plain.split("-")))


def is_surname(word: str) -> bool:
    """Tell whether a word may be a surname, or an initial: capitalised, but not in capitals."""
    return word[0].isupper() and (len(word) <= 1 or not word.isupper())


def find_chinese(page: Page) -> None:
    """Find people that a Chinese text names."""
    from milepost.text.first_names import CHINESE_SURNAMES

    for match in _CHINESE.finditer(page.text):
        name = match[0]
        if match["titled"]:
            is_person = name[0] in CHINESE_SURNAMES
        else:
            is_person = speakers.is_chinese_name(name)
        if is_person and page.free(*match.span()):
            page.claim(*match.span(), "person")
