"""What was said, sentence by sentence: without code, quotations, tables and Markdown's marks."""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SENTENCE_MAX = 1_000
_LIST_MAX = 6


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; a list is one sentence with the line that announces it."""
    for line in _lines(text):
        for sentence in _end().split(line[: 20 * _SENTENCE_MAX]):
            said = sentence.strip()
            if said and len(said) <= _SENTENCE_MAX:
                yield said


def plain(text: str) -> str:
    """Return a line of Markdown as it would be read out."""
    if "](" in text:
        text = _link().sub(r"\1", text)
    text = text.replace("`", "")
    if "*" in text or "__" in text or text.startswith("#"):
        text = _marks().sub("", text)
    return " ".join(text.split())


def _lines(text: str) -> Iterator[str]:
    """Yield the lines that are prose, lists joined to what announces them."""
    announced: list[str] = []
    prose = _fence().sub("\n", text) if "```" in text or "~~~" in text else text
    for raw in prose.splitlines():
        line = raw.strip()
        item = _item().match(line)
        if announced and item and len(announced) <= _LIST_MAX:
            announced.append(plain(line[item.end() :]).rstrip(".;"))
            continue
        if announced and not line:
            continue
        yield from _joined(announced)
        announced = []
        if not line or line[0] in ">|" or _is_rule(line):
            continue
        said = plain(line[item.end() :] if item else line)
        if said.endswith(":"):
            announced = [said]
        else:
            yield said
    yield from _joined(announced)


def _joined(announced: list[str]) -> Iterator[str]:
    if len(announced) > 1:
        # Not split again: the items are parts of one statement.
        yield f"{announced[0]} {'; '.join(announced[1:])}".replace(". ", "; ")


def _is_rule(line: str) -> bool:
    return not any(map(str.isalnum, line))


@cache
def _fence() -> re.Pattern[str]:
    return re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)


@cache
def _item() -> re.Pattern[str]:
    return re.compile(r"(?:[-*+•]|\d{1,2}[.)]|#{1,6})(?:\s+(?:\[[ xX]\]\s+)?|$)")


@cache
def _link() -> re.Pattern[str]:
    return re.compile(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)")


@cache
def _marks() -> re.Pattern[str]:
    # Two stars or lines for weight, one star for stress; a line inside a name stays.
    return re.compile(
        r"\*\*|__(?=\w[^_]*__)|(?<=\w)__(?!\w)|(?<![\w*])\*(?=\w)|(?<=\w)\*(?![\w*])|^#+\s+"
    )


@cache
def _end() -> re.Pattern[str]:
    # Who types in a hurry begins in small letters; after a whole word that is a sentence as well.
    hurried = r"(?<=[a-z]{2}[.!?])(?<!vs\.)(?<!etc\.)(?<!cf\.)\s+(?=[a-z]{2})"
    return re.compile(rf"(?<=[.!?])[\"')]?\s+(?=[A-Z\"'(])|{hurried}")
