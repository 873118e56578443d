"""Show memories within a ceiling of tokens."""

from datetime import datetime

from milepost.memory.values import CompactMemory, CompactSearchResult, Memory
from milepost.ranking.passages import ELLIPSIS, Sought, best_passage
from milepost.text.lines import left_out

PREVIEW_CHARS = 200
# Tried in turn for a passage that does not fit; below the last, a passage says too little.
_WIDTHS = (PREVIEW_CHARS, 140, 90)
_DATE_CHARS = len("2026-01-01 ")


def passage(content: str, wanted: Sought | None, width: int, mark: str = "") -> str:
    """Return the best passage of a memory in a line of at most width characters with its mark."""
    return best_passage(content, wanted, width - _head_chars(mark))


def _head_chars(mark: str) -> int:
    """Return how many characters of a line are its date and its mark."""
    return _DATE_CHARS + (len(mark) + len("() ") if mark else 0)


def mark(*, older: bool, count: int, first_us: int = 0, last_us: int = 0) -> str:
    """Return what a line says of itself: that a newer one speaks of the same, or how often it was
    said and since when. In ASCII and short, for it costs in every answer.
    """
    often = f"x{count}" if count > 1 else ""
    since = f" since {_day(first_us)}" if often and _day(first_us) != _day(last_us) else ""
    return ", ".join(filter(None, ("older" if older else "", often + since)))


def fit(result: CompactSearchResult, budget: int, wanted: Sought | None) -> CompactSearchResult:
    """Return the best passages, shortened where needed, whose text stays within the budget."""
    from milepost.text.fit import fit_rows, fits, pack

    if fits(result, budget):
        return result
    memories = result.memories
    rows = ([_shortened(memory, wanted, width) for width in _WIDTHS] for memory in memories)
    chosen = pack(rows, budget, left_out(result.total), at_length=len(memories))
    return fit_rows(result._replace(memories=tuple(m for _, m in chosen)), "memories", budget)


def fit_memory(memory: Memory, budget: int) -> Memory:
    """Return a memory with as much of its content as the budget allows, and of what else it has."""
    from milepost.text.fit import fits, largest_fitting

    if fits(memory, budget):
        return memory

    def beginning(size: int, of: Memory = memory, also: str = "") -> Memory:
        shown = of.content[:size].rstrip()
        rest = f"({len(of.content) - len(shown):,} characters{also} not shown)"
        return of._replace(content=f"{shown}{ELLIPSIS} {rest}")

    about = (memory, "")
    if not fits(beginning(0), budget):
        about = (memory._replace(tags=(), metadata={}), ", tags and metadata")
    return largest_fitting(len(memory.content), lambda size: beginning(size, *about), budget)


def _shortened(memory: CompactMemory, wanted: Sought | None, width: int) -> CompactMemory:
    shorter = passage(memory.preview, wanted, width, memory.mark)
    return memory._replace(preview=shorter)


def _day(moment_us: int) -> str:
    return datetime.fromtimestamp(moment_us / 1e6).strftime("%Y-%m-%d")
