"""What stands between backticks: names in code, commands, files, and literals that are no names."""

from __future__ import annotations

from milepost.text.entities.addresses import is_host
from milepost.text.entities.files import is_bare_file, path_type
from milepost.text.entities.known_names import known
from milepost.text.entities.numbers import is_issue, is_version
from milepost.text.entities.symbols import is_built_in
from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page

_QUOTED = lazy(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,120})\1(?!`)")
_NAME = lazy(r"@?[A-Za-z_][\w$]*(?:(?:\.|::|->|#)[A-Za-z_]\w*)*[!?]?")
_CALL = lazy(r"(.+?)\([^()]*\)")
_HYPHENED = lazy(r"[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)+")
_FLAG = lazy(r"--?[A-Za-z][\w-]+")
_AFTER = lazy(r" (?:\w+ )?(library|package|crate|gem|dependency|tool|binary|utility|image|plugin|module|driver|service)\b")
_SERVED = frozenset(["service"])


def find_quoted(page: Page) -> None:
    """Find what the names between backticks are; what is none is not read again."""
    if "`" not in page.text:
        return
    for match in _QUOTED.finditer(page.text):
        start, end = match.span(2)
        if not page.free(start, end):
            continue
        words = match[2].split()
        if len(words) == 1:
            _claim(page, start + match[2].index(words[0]), words[0], match.end())
        elif words and (first := known(words[0])) is not None:
            start += match[2].index(words[0])
            page.claim(start, start + len(words[0]), first.type)


def _claim(page: Page, start: int, word: str, after: int) -> None:
    call = _CALL.fullmatch(word)
    name = call[1] if call else word
    type_ = "symbol" if call and _NAME.fullmatch(name) else _type(name, page.text[after : after + 24])
    page.claim(start, start + len(name), type_)


def _type(word: str, following: str) -> str | None:
    told = _AFTER.match(following)
    if (found := known(word)) is not None:
        return found.type
    if told and (_HYPHENED.fullmatch(word) or _NAME.fullmatch(word)):
        return "service" if told[1] in _SERVED else "package"
    if "/" in word:
        return path_type(word, "")
    if is_bare_file(word):
        return "file"
    if is_version(word):
        return "version"
    if is_issue(word, ""):
        return "issue"
    if _FLAG.fullmatch(word):
        return "symbol" if len(word) > 2 else None
    if is_host(word):
        return "host"
    return "symbol" if _is_name(word) else None


def _is_name(word: str) -> bool:
    name = word.lstrip("@").rstrip("!?")
    return len(name) > 1 and _NAME.fullmatch(word) is not None and not is_built_in(name)
