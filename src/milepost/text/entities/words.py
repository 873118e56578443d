"""Read a text word by word: what each is by its spelling, and by what stands around it."""

from __future__ import annotations

from milepost.text.entities.addresses import is_host
from milepost.text.entities.files import BARE_FILES, is_bare_file, path_type
from milepost.text.entities.known_names import ABOUT_PROGRAMS, Known, known
from milepost.text.entities.names import find_names
from milepost.text.entities.numbers import (
    is_issue,
    is_short_version,
    is_spoken_version,
    is_version,
)
from milepost.text.entities.page import Token
from milepost.text.entities.symbols import is_symbol
from milepost.text.entities.told import is_about_programs, is_installed, is_told
from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page

_BEFORE = 24
_CODE = frozenset("file symbol version".split())
_SELVES = ("self.", "this.", "cls.")
_PRODUCTS = frozenset(["package", "service"])
_DEPLOYED = lazy(
    r"(?!(?:self|micro|customer|web|rest|public|open|room|after|food|third-party)-)"
    r"[a-z][a-z0-9]+(?:-[a-z0-9]+)*-(?:service|svc|api|gateway|backend|frontend|console)"
)
_IMAGE = lazy(r"([a-z][a-z0-9_./-]*):(?:\d[\w.-]*|latest|alpine)")
_WORDS = lazy(r"[a-z0-9.]+(?: [a-z0-9.]+){1,3}")
# A name before a version: capitalised, of several parts, or begun as those of packages are.
_PRODUCT = lazy(r"(?<![\w.@/-])([A-Z][a-z]\w+|[a-z]\w*(?:-\w+)+|(?:py|lib)[a-z]\w+) v?$")
_NO_PRODUCTS = frozenset(
    "Version Versions Release Releases Since Added Before After Until Fixed Drop Python "
    "pre-release required-version".split()
)
_NUMBER = lazy(r" ?[@ ]?(v?\d[\w.+-]*)")
_COUNTED = lazy(
    r" [a-z]+s\b| ?%| ?(?:GB|MB|kB|ms|s|h|EUR|USD|times|x|January|February|March|April|May|June|"
    r"July|August|September|October|November|December)\b"
)


def find_words(page: Page) -> None:
    """Find what single words name; capitalised ones may be names together and are read last."""
    capitalised: list[Token] = []
    coded: list[Token] = []
    for token in page.tokens():
        word = token.word
        found = known(word)
        if found is not None and found.written in ABOUT_PROGRAMS:
            coded.append(token)
            if word[0].isupper():
                capitalised.append(token)
        elif word.islower() and word.isalpha():
            if not page.free(token.start, token.end):
                continue
            if found is not None or page.text[token.end : token.end + 2] == "()":
                _read_small(page, token, found)
        elif word and not _read_shaped(page, token) and word[0].isupper():
            capitalised.append(token)
    find_names(page, capitalised)
    _find_coded(page, coded)
    _find_versions(page)
    _find_products(page)


def _find_coded(page: Page, tokens: list[Token]) -> None:
    """Find names that are words elsewhere than in what is said of programs."""
    if not tokens:
        return
    holds_code = "`" in page.text or not _CODE.isdisjoint(m.type for m in page.found)
    if not holds_code and not is_about_programs(page.text):
        return
    for token in tokens:
        found = known(token.word)
        if found is None or not page.free(token.start, token.end):
            continue
        capital = token.word[0].isupper()
        if capital and page.begins(token.start):
            continue
        if holds_code or capital or found.written == "coded":
            page.claim(token.start, token.end, found.type)


def _read_small(page: Page, token: Token, found: Known | None) -> None:
    """Read a word in small letters that is a name, or is one where the text tells."""
    if found is not None and (
        found.written == "anyhow" or is_told(page.text, token.start, token.end)
    ):
        page.claim(token.start, token.end, found.type)
    elif found is None and is_symbol(token.word, "()"):
        page.claim(token.start, token.end, "symbol")


def _read_shaped(page: Page, token: Token) -> bool:
    """Read a word that is more than small letters; tell whether its shape was enough."""
    word = token.word
    if word.isalpha() and (word[1:].islower() or word.isupper()):
        if word in BARE_FILES:
            page.claim(token.start, token.end, "file")
        return word in BARE_FILES
    if word.startswith(_SELVES):
        # A member is known by its own name.
        start = token.start + word.index(".") + 1
        token = Token(start, token.end, page.text[start : token.end])
    type_ = None if _is_part(page, token) or _is_value(page, token) else _shaped_type(page, token)
    if type_ is not None:
        page.claim(token.start, token.end, type_)
    return type_ is not None


def _is_part(page: Page, token: Token) -> bool:
    """Tell whether a word is part of a pattern: "home/*/.cache"."""
    return "*" in (
        page.text[max(0, token.start - 1) : token.start],
        page.text[token.end : token.end + 1],
    ) and ("/" in token.word or "." in token.word)


def _is_value(page: Page, token: Token) -> bool:
    """Tell whether a word is a literal: {"type": "question_prompt"}."""
    before = page.text[max(0, token.start - 4) : token.start]
    return (
        not token.word.isupper()
        and before[-1:] in ("'", '"')
        and before[:-1].rstrip()[-1:] in (":", "=")
    )


def _shaped_type(page: Page, token: Token) -> str | None:
    word = token.word
    found = known(word)
    if found is not None and found.written in ("anyhow", "capitalised"):
        return found.type
    before = page.text[max(0, token.start - _BEFORE) : token.start]
    if "/" in word:
        return path_type(word, before)
    if is_bare_file(word):
        return "file"
    if any(map(str.isdigit, word)):
        type_ = _numbered_type(word, before, page.text[token.end : token.end + 5])
        return type_ if type_ != "symbol" or page.tells(token) else None
    if is_host(word):
        return "host"
    if _DEPLOYED.fullmatch(word):
        return "service"
    if is_symbol(word, page.text[token.end : token.end + 2]):
        return "symbol" if page.tells(token) else None
    return "package" if is_installed(page.text, token.start) and word[0] not in "-." else None


def _numbered_type(word: str, before: str, after: str) -> str | None:
    if is_issue(word, before):
        return "issue"
    if is_version(word, before, after) or is_spoken_version(word, before):
        return "version"
    image = _IMAGE.fullmatch(word)
    if image is not None and known(image[1]) is not None:
        return "package"
    if is_host(word):
        return "host"
    return "symbol" if is_symbol(word, "") else None


def _find_versions(page: Page) -> None:
    """Find the numbers that stand after the name of a product."""
    for mention in list(page.found):
        if mention.type not in _PRODUCTS:
            continue
        number = _NUMBER.match(page.text, mention.start + len(mention.name))
        if number is None or not page.free(*number.span(1)):
            continue
        bare = number[1].rstrip(".-+")
        whole = not bare.isdigit() or not _COUNTED.match(page.text, number.start(1) + len(bare))
        if is_short_version(bare) and whole:
            page.claim(number.start(1), number.start(1) + len(bare), "version")


def _find_products(page: Page) -> None:
    """Find the names that stand before whole versions: "Sphinx 7.2.6", "pytest-xdist 3.5.0"."""
    for mention in list(page.found):
        if mention.type != "version" or mention.name.count(".") < 2:
            continue
        product = _PRODUCT.search(page.text[max(0, mention.start - _BEFORE) : mention.start])
        if product is None:
            continue
        start = mention.start - len(product[0])
        shouted = product[1].isupper() or product[1] in _NO_PRODUCTS
        if page.free(start, mention.start) and not shouted and not page.begins(start):
            page.claim(start, start + len(product[1]), "package")
