"""What was said, sentence by sentence: without code, quotations, tables and Markdown's marks."""

from __future__ import annotations

from milepost.text.expressions import FENCE, lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SENTENCE_MAX = 1_000
_LIST_MAX = 6
_ITEM = lazy(r"(?:[-*+•]|\d{1,2}[.)]|#{1,6})(?:\s+(?:\[[ xX]\]\s+)?|$)")
_LINK = lazy(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)")
# Two stars or lines for weight, one star for stress; a line inside a name stays.
_MARKS = lazy(r"\*\*|__(?=\w[^_]*__)|(?<=\w)__(?!\w)|(?<![\w*])\*(?=\w)|(?<=\w)\*(?![\w*])|^#+\s+")
# Abbreviations that end no sentence though a small letter may follow.
_SHORT = "".join(
    rf"(?<!\b{word}\.)"
    for word in "vs etc cf max min ca inkl bzw usw evtl ggf approx incl resp tel nr".split()
)
# Who types in a hurry begins in small letters; after a whole word that is a sentence as well.
_HURRIED = rf"(?<=[^\W\d_A-Z]{{2}}[.!?]){_SHORT}\s+(?=[^\W\d_A-Z]{{2}})"
# A single letter before the point is part of a name or of "e.g.".
_END = lazy(
    rf"(?<=[.!?…])(?<!\b\w\.)[\"')»”]?\s+(?=[\"'(¿¡«„“]{{0,2}}[^\W\d_a-z])|{_HURRIED}"
    r"|(?<=[。！？])(?=[^」』）)])"
)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; a list is one sentence with the line that announces it."""
    for line in _lines(text):
        for sentence in _END.split(line[: 20 * _SENTENCE_MAX]):
            said = sentence.strip()
            if said and len(said) <= _SENTENCE_MAX:
                yield said


def plain(text: str) -> str:
    """Return a line of Markdown as it would be read out."""
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    text = text.replace("`", "")
    if "*" in text or "__" in text or text.startswith("#"):
        text = _MARKS.sub("", text)
    return " ".join(text.split())


def _lines(text: str) -> Iterator[str]:
    """Yield the lines that are prose, lists joined to what announces them."""
    announced: list[str] = []
    prose = FENCE.sub("\n", text) if "```" in text or "~~~" in text else text
    for raw in prose.splitlines():
        line = raw.strip()
        item = _ITEM.match(line)
        if announced and item and len(announced) <= _LIST_MAX:
            announced.append(plain(line[item.end() :]).rstrip(".;"))
            continue
        if announced and not line:
            continue
        yield from _joined(announced)
        announced = []
        if not line or line[0] in ">|" or not any(map(str.isalnum, line)):
            continue
        said = plain(line[item.end() :] if item else line)
        if said.endswith((":", "：")):
            announced = [said]
        else:
            yield said
    yield from _joined(announced)


def _joined(announced: list[str]) -> Iterator[str]:
    if len(announced) > 1:
        # Not split again: the items are parts of one statement.
        yield f"{announced[0]} {'; '.join(announced[1:])}".replace(". ", "; ")
