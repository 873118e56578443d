"""Read a text word by word: what each is by its spelling, and by what stands around it."""

from __future__ import annotations

from milepost.text.entities.addresses import is_host
from milepost.text.entities.files import is_bare_file, path_type
from milepost.text.entities.known_names import known, known_names
from milepost.text.entities.names import find_names
from milepost.text.entities.numbers import (
    is_issue,
    is_short_version,
    is_spoken_version,
    is_version,
)
from milepost.text.entities.symbols import is_symbol
from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page, Token

_BEFORE = 24
_PRODUCTS = frozenset(["package", "service"])
_IMAGE = lazy(r"([a-z][a-z0-9_./-]*):(?:\d[\w.-]*|latest|alpine)")
_INSTALL = lazy(
    r"(?:pip3? install|npm (?:i|install)|yarn add|pnpm add|cargo (?:add|install)|brew install|"
    r"apt(?:-get)? install|go get|gem install|poetry add|uv add|conda install)(?: -{1,2}[\w-]+)* $"
)
_RELEASED = lazy(r" \d{1,3}\.\d")
_NUMBER = lazy(r" ?[@ ]?(v?\d[\w.+-]*)")
_COUNTED = lazy(r" [a-z]+s\b| ?%| ?(?:GB|MB|kB|ms|s|h|EUR|USD|times|x)\b")


def find_words(page: Page) -> None:
    """Find what single words name; capitalised ones may be names together and are read last."""
    names = known_names()
    capitalised: list[Token] = []
    for token in page.tokens():
        word = token.word
        if word.islower() and word.isalpha():
            if word in names or page.text[token.end : token.end + 2] == "()":
                _read_small(page, token)
        elif word and not _read_shaped(page, token) and word[0].isupper():
            capitalised.append(token)
    find_names(page, capitalised)
    _find_versions(page)


def _read_small(page: Page, token: Token) -> None:
    """Read a word in small letters that is a name, or is one where the text tells."""
    found = known(token.word)
    if found is not None and (found.written == "anyhow" or _is_told(page, token)):
        page.claim(token.start, token.end, found.type)
    elif found is None and is_symbol(token.word, "()"):
        page.claim(token.start, token.end, "symbol")


def _is_told(page: Page, token: Token) -> bool:
    text, start, end = page.text, token.start, token.end
    # A change of a part of a program is titled by that part.
    if start == 0 and text[end : end + 2] == ": ":
        return True
    return _RELEASED.match(text, end) is not None or _is_installed(page, start)


def _is_installed(page: Page, start: int) -> bool:
    return _INSTALL.search(page.text[max(0, start - 2 * _BEFORE) : start]) is not None


def _read_shaped(page: Page, token: Token) -> bool:
    """Read a word that is more than small letters; tell whether its shape was enough."""
    word = token.word
    if word.isalpha() and (word[1:].islower() or word.isupper()):
        return False
    type_ = _shaped_type(page, token)
    if type_ is not None:
        page.claim(token.start, token.end, type_)
    return type_ is not None


def _shaped_type(page: Page, token: Token) -> str | None:
    word = token.word
    found = known(word)
    if found is not None and found.written == "anyhow":
        return found.type
    before = page.text[max(0, token.start - _BEFORE) : token.start]
    if "/" in word:
        return path_type(word, before)
    if is_bare_file(word):
        return "file"
    if any(map(str.isdigit, word)):
        return _numbered_type(word, before)
    if is_host(word):
        return "host"
    if is_symbol(word, page.text[token.end : token.end + 2]):
        return "symbol"
    return "package" if _is_installed(page, token.start) and word[0] not in "-." else None


def _numbered_type(word: str, before: str) -> str | None:
    if is_issue(word, before):
        return "issue"
    if is_version(word) or is_spoken_version(word, before):
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
