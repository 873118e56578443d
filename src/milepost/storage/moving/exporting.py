"""Write spaces of a store as lines that another can be made of: the same memory, the same bytes."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import sha256

from milepost.errors import ConfigError
from milepost.memory.values import OWN_SPACE
from milepost.storage.moving.lines import TAKEN, as_line, header, line_of
from milepost.storage.moving.selecting import Selection
from milepost.storage.moving.sides import Reader, open_reader

# Called with how many lines are written.
Told = Callable[[int], None]


def exported(
    url: str,
    spaces: Sequence[str] | None,
    *,
    project: str | None = None,
    without: frozenset[str] | None = None,
    told: Told = lambda _: None,
) -> Iterator[bytes]:
    """Yield the lines of spaces, or of all there are, as they are at one moment.

    project: only what belongs to it.
    without: vectors of other models than these come too; None for no vectors.
    """
    digest, counts = sha256(), dict[str, dict[str, int]]()
    with closing(open_reader(url)) as side:
        lines = _lines(side, _chosen(side, spaces), project, without, counts)
        for done, line in enumerate(lines, 1):
            digest.update(line)
            told(done)
            yield line
        yield as_line({"end": counts, "sha256": digest.hexdigest()})


def _lines(
    side: Reader,
    spaces: Sequence[str],
    project: str | None,
    without: frozenset[str] | None,
    counts: dict[str, dict[str, int]],
) -> Iterator[bytes]:
    yield header()
    for space in spaces:
        yield as_line({"space": space})
        selection, counted = Selection(side, space, project, without), Counter[str]()
        for part in TAKEN:
            for row in selection.rows(part):
                counted[part.name] += 1
                yield line_of(part, row, space)
        counts[space] = dict(counted)


def _chosen(side: Reader, spaces: Sequence[str] | None) -> list[str]:
    known = [home for home in side.homes() if home != OWN_SPACE]
    for space in spaces or ():
        if space in side.moved_away():
            raise ConfigError(f"{space} was moved to {side.moved_away()[space]}; export it there.")
    return known if spaces is None else list(spaces)
