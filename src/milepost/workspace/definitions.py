"""Where a symbol is defined in a file: by the shape of a line and its indentation, in any language.

Nothing is parsed. A definition begins with a line that says so (`def`, `class`, `fn`, `CREATE
TABLE`, `NAME =` ...) and goes on for as long as lines are indented deeper, or close what was
opened. Where that is wrong it is too short, and always wrong in the same way.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Spans = list[tuple[int, int]]

# A first line longer than this was written by a program.
LINE_CHARS_MAX = 400
LINES_MAX = 20_000
# A name that is defined again and again is looked at so often.
SPANS_MAX = 64

_KEYWORDS = frozenset(
    "def class fn func function function* fun const let var val type interface struct enum trait "
    "module mod namespace record object protocol extension union typedef table view index trigger "
    "procedure macro_rules! #define defmodule defp actor mixin message service rpc variable output "
    "resource data static impl".split()
)
_MODIFIERS = frozenset(
    "export default async public private protected internal static final abstract pub pub(crate) "
    "pub(super) unsafe extern open sealed data partial override inline declare virtual readonly "
    "local create or replace temp temporary unique materialized get set companion suspend lateinit "
    "const constexpr explicit friend mut fileprivate indirect case required convenience typeset "
    "native synchronized transient volatile lazy implicit global final".split()
)
# They begin a line that looks like a type and a name, and is none.
_NO_TYPES = frozenset(
    "return new throw else await yield case goto delete typeof import from using package if while "
    "for switch match unless until defer go guard elif and or not in assert echo print do try "
    "raise".split()
)
_SQL = frozenset("if not exists concurrently only".split())
_QUOTES = str.maketrans("\"`'", "   ")

TYPED = frozenset("c h cc cpp cxx hpp hh java cs dart m mm cu groovy".split())
_METHODS = TYPED | frozenset("js jsx ts tsx mjs cjs vue svelte sh bash zsh php".split())
_KEYED = frozenset("yaml yml json".split())
_FIELDS = frozenset("toml tf hcl ini cfg conf env properties".split())
# What is written about code repeats its definitions.
PROSE = frozenset("md rst txt adoc html htm csv tsv log ipynb lock svg map".split())
_CLOSING = ("}", ")", "]", "{", "<<<", "$$")
_GOING_ON = frozenset(
    "end fi done esac else rescue ensure public: private: protected: begin where".split()
)


def kind_of(path: str) -> str:
    """Return what a file is written in, by its extension."""
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def definition(lines: Sequence[str], symbol: str, kind: str) -> list[str]:
    """Return the lines of a file that define a symbol (`name` or `Owner.name`); none if none do."""
    owner, _, name = symbol.rpartition(".")
    spans = _spans(lines, name, kind)
    if owner:
        inside = _spans(lines, owner, kind)
        # What is set in a body or passed by name looks like a member: only if nothing else is one.
        spans = _within(lines, spans, inside, symbol) or _within(
            lines, _spans(lines, name, kind, loose=True), inside, symbol
        )
    return [line for first, end in spans for line in lines[first:end]]


def _within(lines: Sequence[str], spans: Spans, owners: Spans, symbol: str) -> Spans:
    """Return the definitions that are an owner's: inside of it, or naming it before their name."""
    owner, _, name = symbol.rpartition(".")
    return [
        span
        for span in spans
        if any(first < span[0] < end for first, end in owners)
        or _names(lines[span[0]].partition(name)[0], owner)
    ]


def _spans(lines: Sequence[str], name: str, kind: str, loose: bool = False) -> Spans:
    """Return where the definitions of a name begin and end."""
    spans: Spans = []
    end = 0
    for i, line in enumerate(lines):
        if name in line and i >= end and defines(line, name, kind, loose):
            if line.rstrip().endswith(")") and not _has_body(lines, i, kind):
                continue
            end = _end(lines, i, kind)
            spans.append((_decorated(lines, i), end))
            if len(spans) == SPANS_MAX:
                break
    return spans


def defines(line: str, name: str, kind: str, loose: bool = False) -> bool:
    """Whether a line is the first of a definition; loosely: as that of a member of something."""
    if len(line) > LINE_CHARS_MAX or kind in PROSE:
        return False
    head, _, tail = line.partition(name)
    if _is_word(head[-1:]) or _is_word(tail[:1]) or _is_comment(head.lstrip()):
        return False
    words = head.translate(_QUOTES).split()
    count = len(words)
    while words and (words[0].lower() in _MODIFIERS or words[0][0] == "@"):
        if words[0].lower() in _KEYWORDS and (len(words) == 1 or kind in ("tf", "hcl")):
            break
        words = words[1:]
    if not words:
        plain = loose or not head[:1].isspace() or len(words) < count or name.isupper()
        return _without_keyword(tail, line, kind, plain, loose)
    first = words[0].lower()
    if _with_keyword(first, words[1:], tail):
        return kind not in TYPED or tail.strip() != ";"  # which only says that there is one
    if kind in TYPED:
        return _is_typed(words, tail, head, count > len(words))
    return _is_member(words, head, tail, kind, loose)


def _with_keyword(keyword: str, between: list[str], tail: str) -> bool:
    """Whether a keyword speaks of the name: func (m *Money) NAME, table if not exists NAME."""
    if keyword not in _KEYWORDS and not keyword.startswith("impl<"):
        return False
    if keyword.startswith("impl"):
        return " for " not in tail and (not between or between[-1] == "for")
    if not between:
        return True
    if keyword in ("resource", "data"):
        return len(between) == 1
    if keyword == "func":
        return between[0][0] == "(" and between[-1][-1] == ")"
    return between[-1][-1] == "." or all(word.lower() in _SQL for word in between)


def _without_keyword(tail: str, line: str, kind: str, plain: bool, loose: bool) -> bool:
    """Whether a name alone is defined: NAME = 3, NAME: int = 3, NAME(x) {, NAME: (in YAML)."""
    after = tail.lstrip("\"'` ?!")
    if _is_assigned(after):
        return plain or kind in _FIELDS
    if after[:1] == ":" and after[:2] != "::":
        return kind in _KEYED or loose or (kind == "" and plain)
    if after[:1] == "(" and kind in _METHODS:
        end = line.rstrip()[-1:]
        return (end == "{" and "=>" not in after and "function" not in after) or end == ")"
    return False


def _is_typed(words: list[str], tail: str, head: str, modified: bool) -> bool:
    """Whether a name follows its type: static int NAME = 3; Money Money::NAME(int x) {"""
    if words[0] in _NO_TYPES or any(char in head for char in "=(;{+!?"):
        return False
    if tail[:1] == "(":
        return tail.rstrip()[-1:] in ("{", ",", "(", ")") or " throws " in tail
    return _is_assigned(tail.lstrip()) and (modified or not head[:1].isspace())


def _is_member(words: list[str], head: str, tail: str, kind: str, loose: bool) -> bool:
    """Whether a name is set on something: exports.NAME = ..., self.NAME = ..., [tool.NAME]."""
    if kind in ("yaml", "yml") and words == ["-"]:
        return tail[:1] == ":"
    if kind == "toml" and words[0][0] == "[":
        return tail.lstrip('"')[:1] == "]"
    if len(words) > 1 or words[0][-1] != "." or not _is_assigned(tail.lstrip()):
        return False
    return loose if words[0] in ("self.", "this.") else not head[:1].isspace() and kind != "py"


def _is_assigned(after: str) -> bool:
    if after[:2] == ":=":
        return True
    if after[:1] == ":" and after[:2] != "::":
        after = after[after.find("=") :] if "=" in after else ""
    return after[:1] == "=" and after[1:2] not in ("=", ">", "~")


def _is_word(char: str) -> bool:
    return char.isalnum() or char in ("_", "$") if char else False


def _is_comment(head: str) -> bool:
    if head[:1] == "#":
        return not head.startswith(("#define", "#["))
    return head.startswith(("//", "*", "--", "/*", "<!--", ";"))


def _names(head: str, owner: str) -> bool:
    """Whether what stands before a name says whose it is: a receiver, or Owner::"""
    at = head.find(owner)
    return at >= 0 and not _is_word(head[at - 1 : at]) and not _is_word(head[at + len(owner) :][:1])


def _has_body(lines: Sequence[str], i: int, kind: str) -> bool:
    """Whether the line after `NAME(x)` opens a block; in some languages calls look like that."""
    if kind not in _METHODS or lines[i].split(maxsplit=1)[0].lower() in _KEYWORDS | _MODIFIERS:
        return True
    return lines[i + 1].lstrip()[:1] == "{" if i + 1 < len(lines) else False


def _decorated(lines: Sequence[str], i: int) -> int:
    """Return where the decorators or attributes of a definition begin."""
    while i and lines[i - 1].lstrip()[:1] in ("@", "#") and lines[i - 1].lstrip()[:2] != "# ":
        if lines[i - 1].lstrip()[:1] == "#" and lines[i - 1].lstrip()[:2] != "#[":
            break
        i -= 1
    return i


def _end(lines: Sequence[str], i: int, kind: str) -> int:
    """Return the first line that is no part of a definition which begins at i."""
    if kind == "sql":
        return _statement_end(lines, i)
    depth = _indentation(lines[i])
    end = i + 1
    for j in range(i + 1, min(len(lines), i + LINES_MAX)):
        line = lines[j]
        text = line.strip()
        if not text:
            continue
        inside = _indentation(line) - depth
        if inside < 0 or (inside == 0 and not _goes_on(text, kind)):
            # Comments and the lines of a preprocessor stand where they like.
            if _is_comment(text) or (kind in TYPED and text.startswith("#define")):
                continue
            break
        end = j + 1
    return end


def _goes_on(text: str, kind: str) -> bool:
    """Whether a line as deep as the first one still belongs to it."""
    if text.startswith(_CLOSING):
        return True
    word = text.split(maxsplit=1)[0].rstrip(";").lower()
    return word in _GOING_ON and kind not in ("py", "yaml", "yml")


def _statement_end(lines: Sequence[str], i: int) -> int:
    dollars = 0
    for j in range(i, min(len(lines), i + LINES_MAX)):
        dollars += lines[j].count("$") // 2
        if lines[j].rstrip().endswith(";") and dollars % 2 == 0:
            return j + 1
    return min(len(lines), i + LINES_MAX)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
