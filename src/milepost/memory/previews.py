"""Show memories within a ceiling of tokens."""

from collections.abc import Mapping
from datetime import datetime

from milepost.memory.values import CompactMemory, CompactSearchResult, Memory
from milepost.ranking.passages import ELLIPSIS, best_passage
from milepost.text.lines import left_out

PREVIEW_CHARS = 200
# Tried in turn for a passage that does not fit; below the last, a passage says too little.
_WIDTHS = (PREVIEW_CHARS, 140, 90)
_DATE_CHARS = len("2026-01-01 ")


def preview(content: str, created: int, weights: Mapping[str, float], width: int) -> str:
    """Return the date of a memory and its best passage in at most width characters."""
    date = datetime.fromtimestamp(created / 1e6).strftime("%Y-%m-%d")
    return f"{date} {best_passage(content, weights, width - _DATE_CHARS)}"


def fit(
    result: CompactSearchResult, budget: int, weights: Mapping[str, float]
) -> CompactSearchResult:
    """Return the best passages, shortened where needed, whose text stays within the budget."""
    from milepost.text.tokens import ceiling

    room = budget - ceiling(left_out(result.total)) - 1
    chosen: list[CompactMemory] = []
    for memory in result.memories:
        for width in _WIDTHS:
            shorter = _shortened(memory, weights, width)
            cost = ceiling(str(shorter)) + 1
            if cost <= room:
                chosen.append(shorter)
                room -= cost
                break
    fitted = result._replace(memories=tuple(chosen))
    while chosen and ceiling(str(fitted)) > budget:
        chosen.pop()
        fitted = result._replace(memories=tuple(chosen))
    return fitted


def fit_memory(memory: Memory, budget: int) -> Memory:
    """Return a memory of whose content as much is left as the budget allows."""
    from milepost.text.tokens import beginning, ceiling

    whole = memory.content
    room = budget
    while ceiling(str(memory)) > budget and room > 0:
        room = min(room * 9 // 10, budget - ceiling(str(memory._replace(content=""))))
        shown = beginning(whole, room).rstrip()
        rest = len(whole) - len(shown)
        memory = memory._replace(content=f"{shown}{ELLIPSIS} ({rest:,} characters not shown)")
    return memory


def _shortened(memory: CompactMemory, weights: Mapping[str, float], width: int) -> CompactMemory:
    date, text = memory.preview[:_DATE_CHARS], memory.preview[_DATE_CHARS:]
    return memory._replace(preview=date + best_passage(text, weights, width - _DATE_CHARS))
