"""What a text names by its shape: paths and symbols that a repository may or may not have."""

from __future__ import annotations

from milepost.text.expressions import lazy
from milepost.text.shapes import ENDINGS, JOINTS, NAMED_FILES, bare_path, is_code, is_file
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# What is said about more than this is about nothing in particular.
PATHS_MAX = 16
SYMBOLS_MAX = 24
TEXT_CHARS_MAX = 20_000
_NAME_CHARS_MAX = 80
_PATH_CHARS_MAX = 300

_TOKEN = lazy(r"[^\s`'\"<>|,;*?{}]+")
# A name, or names joined as owners and members are.
_SYMBOL = lazy(
    r"(?<![\w/\\.@$#%&=+~-])[A-Za-z_]\w*(?:(?:\.|::|->|#)[A-Za-z_]\w*)*(?![\w@/\\])(?:\()?"
)
_QUOTED = lazy(r"`([A-Za-z_]\w*(?:(?:\.|::|->|#)[A-Za-z_]\w*)*)(?:\([^`\n]{0,80}\))?`")
_ADDRESS = lazy(r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://\S+")
_SELVES = frozenset("self this cls super".split())


class Mentions(NamedTuple):
    """What a text may name: paths as they were written, symbols as `name` or `owner.name`."""

    paths: tuple[str, ...]
    symbols: tuple[str, ...]


def mentions(text: str) -> Mentions:
    """Return what a text may name."""
    text = text[:TEXT_CHARS_MAX]
    if "://" in text:
        text = _ADDRESS.sub(" ", text)
    paths = tuple(dict.fromkeys(_paths(text)))[:PATHS_MAX]
    return Mentions(paths, tuple(dict.fromkeys(_symbols(text)))[:SYMBOLS_MAX])


def _paths(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        token = match[0]
        shaped = "." in token or "/" in token or "\\" in token or token in NAMED_FILES
        if not shaped or len(token) > _PATH_CHARS_MAX:
            continue
        path = bare_path(token)
        if "/" in path or "\\" in path or is_file(path):
            yield path.replace("\\", "/")


def _symbols(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        yield from _symbol(match[1])
    for match in _SYMBOL.finditer(text):
        name = match[0].rstrip("(")
        if len(name) < len(match[0]) or is_code(name):
            yield from _symbol(name)


def _symbol(written: str) -> Iterator[str]:
    names = [name for name in JOINTS.split(written) if name not in _SELVES][-2:]
    if len(names) > 1 and names[-1] in ENDINGS:
        return
    if names and len(names[-1]) > 1 and max(map(len, names)) <= _NAME_CHARS_MAX:
        yield ".".join(names)
