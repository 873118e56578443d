"""What tells whether lines are still what they were: a hash, and a sample of many lines.

A definition of a few lines has changed when anything in it has, but for how it is formatted. A
whole file, or a long class, changes all the time: it counts as changed when much of what was there
is gone. So the digest of many lines goes on with short hashes of some of them, chosen by their
hashes alone.
"""

from __future__ import annotations

from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Up to so many lines every change counts.
FEW_LINES = 40
SAMPLE = 32
# The share of the sampled lines that must be gone.
GONE_SHARE = 0.2
_HASH = 16
_LINE_HASH = 4


def digest_of(lines: Sequence[str]) -> str:
    """Return the digest of the lines of a file or of a definition."""
    hashes = _hashes(lines) if len(lines) > FEW_LINES else set()
    # A line's place in the order of its hashes has nothing to do with the part that is written.
    sample = sorted(hashes)[:SAMPLE] if len(hashes) > FEW_LINES else ()
    return _hash(lines) + "".join(sorted(_written(line) for line in sample))


def is_same(lines: Sequence[str], digest: str) -> bool:
    """Whether lines are still what a digest was made of, as far as that matters."""
    if _hash(lines) == digest[:_HASH]:
        return True
    sample = [digest[i : i + _LINE_HASH] for i in range(_HASH, len(digest), _LINE_HASH)]
    if not sample:
        return False
    there = set(map(_written, _hashes(lines)))
    return sum(line not in there for line in sample) <= GONE_SHARE * len(sample)


def _hash(lines: Iterable[str]) -> str:
    from hashlib import blake2b

    return blake2b(_plain("\n".join(lines)).encode("utf-8", "replace"), digest_size=8).hexdigest()


def _hashes(lines: Iterable[str]) -> set[int]:
    """Return the hashes of all lines that hold more than punctuation."""
    plain = {_plain(line) for line in lines}
    return {crc32(line.encode("utf-8", "replace")) for line in plain if len(line) > 3}


def _written(line: int) -> str:
    return f"{line & 0xFFFF:04x}"


def _plain(text: str) -> str:
    """Return a text without what formatters change: white space, quotes, commas at an end."""
    text = "".join(text.split()).replace("'", '"')
    return text.replace(",)", ")").replace(",]", "]").replace(",}", "}")
