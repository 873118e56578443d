"""What stands between backticks: names in code, commands, files, and literals that are no names."""

from __future__ import annotations

from milepost.text.entities.addresses import is_host
from milepost.text.entities.files import is_bare_file, path_type
from milepost.text.entities.known_names import known
from milepost.text.entities.numbers import is_issue, is_version
from milepost.text.entities.symbols import is_no_name, is_symbol
from milepost.text.expressions import lazy
from milepost.text.shapes import is_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page

_QUOTED = lazy(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,120})\1(?!`)")
# What names the language of a listing is no name in it.
_FENCED = lazy(r"```[\w+#-]+")
_NAME = lazy(r"@?[A-Za-z_][\w$]*(?:(?:\.|::|->|#)[A-Za-z_]\w*)*[!?]?")
_CALL = lazy(r"(.+?)\([^()]*\)")
_HYPHENED = lazy(r"[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)+")
_FLAG = lazy(r"--?[A-Za-z][\w-]+")
_PACKAGED = lazy(
    r"\s(?:\w+ )?(library|package|crate|gem|dependency|tool|binary|utility|image|plugin|module|"
    r"driver|service)\b"
)
_SYMBOLS = (
    r"(?:argument|arg|parameter|param|keyword|kwarg|option|flag|setting|field|attribute|property|"
    r"key|column|table|variable|constant|function|method|macro|class|struct|enum|trait|type|"
    r"interface|decorator|fixture|hook|rule|header|branch|subcommand|endpoint|callback|event|"
    r"exception|error|environment|env)s?"
)
_AFTER = lazy(rf"`?\s(?:(?:and|or|/) `[^`\n]{{1,40}}` )?(?:\w+ )?{_SYMBOLS}\b")
_BEFORE = lazy(rf"(?i)\b{_SYMBOLS} (?:called |named )?`{{1,2}}$")
_ITEM = lazy(r"(?:^|\n)[ \t]*[-*+] +`{1,2}$")


def find_quoted(page: Page) -> None:
    """Find what the names between backticks are; what is none is not read again."""
    if "`" not in page.text:
        return
    for match in _FENCED.finditer(page.text) if "```" in page.text else ():
        page.claim(*match.span())
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
    if call and _NAME.fullmatch(name):
        type_ = None if is_no_name(name) else "symbol"
    else:
        before = page.text[max(0, start - 24) : start]
        type_ = _type(name, before, page.text[after : after + 64])
    page.claim(start, start + len(name), type_)


def _type(word: str, before: str, following: str) -> str | None:
    if (found := known(word)) is not None:
        return found.type
    packaged = _PACKAGED.match(following)
    if packaged and (_HYPHENED.fullmatch(word) or _NAME.fullmatch(word)):
        return "service" if packaged[1] == "service" else "package"
    return _shaped_type(word) or ("symbol" if _is_symbol(word, before, following) else None)


def _shaped_type(word: str) -> str | None:
    if "/" in word:
        return path_type(word, "")
    if is_bare_file(word):
        return "file"
    if is_version(word):
        return "version"
    if is_issue(word, ""):
        return "issue"
    return "host" if is_host(word) else None


def _is_symbol(word: str, before: str, following: str) -> bool:
    """Tell a name in code from a literal: by its shape, or by what it is called beside it."""
    if "/" in word:
        return False
    if _FLAG.fullmatch(word) or ("-" in word and is_symbol(word, "")):
        return len(word) > 2
    name = word.lstrip("@").rstrip("!?")
    if len(name) < 2 or is_no_name(name):
        return False
    if _NAME.fullmatch(word) and _is_shaped(word):
        return True
    called = _AFTER.match(following) or _BEFORE.search(before) or _ITEM.search(before)
    return called is not None and (_NAME.fullmatch(word) or _HYPHENED.fullmatch(word)) is not None


def _is_shaped(word: str) -> bool:
    """Tell whether a word is written as names in code are, and not as any word may be."""
    if word[-1] in "!?" or word[0] == "@":
        return True
    if "." in word or ":" in word or "#" in word or ">" in word:
        return is_code(word)
    return "_" in word or (not word.islower() and not word.isupper() and len(word) > 2)
