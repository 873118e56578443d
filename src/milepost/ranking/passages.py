"""Choose the passage of a memory that answers a question best."""

from collections.abc import Mapping

from milepost.text.words import located_terms

ELLIPSIS = "…"

# Past this many characters a memory is a document; its passage is looked for in the beginning.
_SEARCHED_CHARS = 50_000


def best_passage(content: str, weights: Mapping[str, float], width: int) -> str:
    """Return at most width characters of a text: those whose words weigh most together."""
    text = " ".join(content[:_SEARCHED_CHARS].split())
    if len(text) <= width and len(content) <= _SEARCHED_CHARS:
        return text
    room = width - 2 * len(ELLIPSIS)
    start = _densest(text, weights, room) if weights else 0
    return _cut(text, _sentence_start(text, start, room), width)


def _densest(text: str, weights: Mapping[str, float], room: int) -> int:
    """Return where the window begins that holds the most weight, each term counted once."""
    found = [
        (start, end, term, weights[term])
        for start, end, terms in located_terms(text)
        for term in terms
        if term in weights
    ]
    best, best_start, first = 0.0, 0, 0
    counts: dict[str, int] = {}
    total = 0.0
    for start, end, term, weight in found:
        counts[term] = counts.get(term, 0) + 1
        total += weight if counts[term] == 1 else 0.0
        while end - found[first][0] > room and found[first][0] < start:
            gone, gone_weight = found[first][2], found[first][3]
            counts[gone] -= 1
            total -= gone_weight if counts[gone] == 0 else 0.0
            first += 1
        if total > best + 1e-9:
            best, best_start = total, found[first][0]
    return best_start


def _sentence_start(text: str, start: int, room: int) -> int:
    """Move the beginning back to that of its sentence when the window can spare the space."""
    spare = room // 2
    back = max(text.rfind(mark, max(start - spare, 0), start) for mark in (". ", "? ", "! ", ": "))
    if back >= 0:
        return back + 2
    return 0 if start <= spare else start


def _cut(text: str, start: int, width: int) -> str:
    head = ELLIPSIS if start > 0 else ""
    room = width - len(head)
    if len(text) - start <= room:
        # The end of the text is in the window: fill the window backwards.
        start = max(len(text) - room, 0)
        if start > 0:
            start = _next_word(text, start)
        return head + text[start:]
    end = start + room - len(ELLIPSIS)
    space = text.rfind(" ", start + room // 2, end + 1)
    return head + text[start : space if space > 0 else end].rstrip() + ELLIPSIS


def _next_word(text: str, start: int) -> int:
    space = text.find(" ", start - 1, start + 30)
    return space + 1 if space >= 0 else start
