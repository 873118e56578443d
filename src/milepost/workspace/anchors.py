"""What a memory rests on in the code: the files and symbols it names, and whether they changed."""

from __future__ import annotations

from milepost.text.expressions import lazy
from milepost.text.shapes import is_code
from milepost.workspace.definitions import LINE_CHARS_MAX, PROSE, defines, kind_of
from milepost.workspace.digests import digest_of, is_same
from milepost.workspace.files import PATIENCE_S, Tree
from milepost.workspace.git import ask
from milepost.workspace.mentions import mentions
from milepost.workspace.values import Anchor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from milepost.workspace.mentions import Mentions

ANCHORS_MAX = 8
# One question to git is about at most so many symbols, and its answer is not larger than this.
_ASKED_MAX = 200
_ANSWER_BYTES_MAX = 2 << 20
# Shorter names mean too much to be looked for in all files.
_NAME_CHARS_MIN = 3
_WORD = lazy(r"\w+")
CHANGED, GONE = "changed", "gone"


def anchors_in(texts: Sequence[str], root: str) -> list[tuple[Anchor, ...]]:
    """Return which files and symbols of the repository at root each text names, as they are now."""
    return anchors_named([mentions(text) for text in texts], root)


def anchors_named(named: Sequence[Mentions], root: str) -> list[tuple[Anchor, ...]]:
    """Return which of the files and symbols that are named the repository has, as they are now."""
    if not any(paths or symbols for paths, symbols in named):
        return [()] * len(named)
    tree = Tree(root)
    files = tree.paths({path for paths, _ in named for path in paths})
    places = []
    for paths, symbols in named:
        own = list(dict.fromkeys(files[path] for path in paths if path in files))
        here = {s: _first_defining(tree, s, own) for s in symbols if s not in files}
        places.append((own, here))
    missing = dict.fromkeys(s for _, here in places for s, path in here.items() if not path)
    elsewhere = _defining(tree, list(missing)[:_ASKED_MAX])
    return [_anchors(tree, own, here, elsewhere) for own, here in places]


def states(anchors: Sequence[Anchor], root: str) -> list[str]:
    """Return for each anchor whether what it names is the same (""), "changed" or "gone"."""
    tree = Tree(root)
    return [_state(tree, anchor) for anchor in anchors]


def moved(anchor: Anchor, root: str) -> Anchor | None:
    """Return where a symbol is now, if exactly one file defines it and it is the same there."""
    tree = Tree(root)
    path = _defining(tree, [anchor.symbol]).get(anchor.symbol) if anchor.symbol else None
    lines = tree.definition(path, anchor.symbol) if path else []
    return anchor._replace(path=path) if path and is_same(lines, anchor.digest) else None


def _state(tree: Tree, anchor: Anchor) -> str:
    lines = tree.definition(anchor.path, anchor.symbol)
    if lines:
        return "" if is_same(lines, anchor.digest) else CHANGED
    # What an anchor is of was read once; what grew too large for that is there, and changed.
    return CHANGED if tree.is_unread(anchor.path) else GONE


def _anchors(
    tree: Tree, own: list[str], here: dict[str, str], elsewhere: dict[str, str]
) -> tuple[Anchor, ...]:
    """Return the anchors of one text: symbols, and files that none of them is in."""
    pairs: dict[tuple[str, str], None] = {}
    for symbol, own_path in here.items():
        path = own_path or elsewhere.get(symbol, "")
        name = _resolved(tree, path, symbol) if path else ""
        if name:
            pairs[path, name] = None
    inside = {path for path, _ in pairs}
    pairs.update({(path, ""): None for path in own if path not in inside})
    anchors = [(path, name, tree.definition(path, name)) for path, name in pairs]
    made = [Anchor(path, name, digest_of(lines)) for path, name, lines in anchors if lines]
    return tuple(made[:ANCHORS_MAX])


def _first_defining(tree: Tree, symbol: str, paths: Iterable[str]) -> str:
    return next((path for path in paths if _resolved(tree, path, symbol)), "")


def _resolved(tree: Tree, path: str, symbol: str) -> str:
    """Return how a file names what a text names: cart.total may be Cart.total, or total."""
    owner, _, name = symbol.rpartition(".")
    if not owner:
        return name if tree.definition(path, name) else ""
    for spelled in _spellings(owner):
        if tree.definition(path, f"{spelled}.{name}"):
            return f"{spelled}.{name}"
    alone = _stem(path) == owner or is_code(name)
    return name if alone and tree.definition(path, name) else ""


def _spellings(owner: str) -> tuple[str, ...]:
    """Return how an owner may be written: an instance goes by the name of its class."""
    camel = "".join(part[:1].upper() + part[1:] for part in owner.split("_"))
    return (owner,) if camel == owner else (owner, camel)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _defining(tree: Tree, symbols: Sequence[str]) -> dict[str, str]:
    """Return the files that define symbols, of those that exactly one file defines."""
    wanted = [symbol for symbol in symbols if len(symbol.rpartition(".")[2]) >= _NAME_CHARS_MIN]
    names = {name for symbol in wanted for name in _names(symbol)}
    found = _defined(tree.root, names) if names else {}
    only = {symbol: _only(symbol, _candidates(symbol, found)) for symbol in wanted}
    return {symbol: path for symbol, path in only.items() if path and tree.has(path)}


def _names(symbol: str) -> tuple[str, ...]:
    owner, _, name = symbol.rpartition(".")
    return (name, *_spellings(owner)) if owner else (name,)


def _candidates(symbol: str, found: dict[str, set[str]]) -> set[str]:
    owner, _, name = symbol.rpartition(".")
    files = found.get(name, set())
    if not owner:
        return files
    owners = set().union(*(found.get(spelled, set()) for spelled in _spellings(owner)))
    own = {path for path in files if path in owners or _stem(path) == owner}
    return own or (files if is_code(name) else set())


def _only(symbol: str, files: set[str]) -> str:
    """Return the one file that is meant: tests define many words, and some again."""
    real = {path for path in files if "test" not in path.lower()}
    meant = real or (files if is_code(symbol) else set())
    return next(iter(meant)) if len(meant) == 1 else ""


def _defined(root: str, names: set[str]) -> dict[str, set[str]]:
    """Return the files in which lines define names, by one question to git."""
    patterns = [part for name in sorted(names) for part in ("-e", name)]
    # The keys of data are the words of every day.
    but = [f":(exclude)*.{kind}" for kind in sorted(PROSE | {"json"})]
    said = ask(
        root, "grep", "-zIwF", "--no-color", "--no-recurse-submodules", "--no-textconv",
        *patterns, "--", ".", *but, patience_s=PATIENCE_S, bytes_max=_ANSWER_BYTES_MAX,
    )  # fmt: skip
    found: dict[str, set[str]] = {}
    for entry in (said or b"").decode("utf-8", "surrogateescape").split("\n"):
        path, _, line = entry.partition("\0")
        for name in names.intersection(_WORD.findall(line[:LINE_CHARS_MAX])):
            if defines(line, name, kind_of(path), loose=line[:1].isspace()):
                found.setdefault(name, set()).add(path)
    return found
