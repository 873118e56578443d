"""What a question may find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from milepost.memory.values import Analysis, Filter, Indexed, Record
from milepost.ports.memories import Page

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.ranking.candidates import CandidateSet, Probe, RareWords


class Lexicon(Protocol):
    """Knows single words: the terms of those akin in meaning, how common each is, if it is one."""

    def related(self, word: str) -> list[tuple[int, float]]: ...
    def rank(self, word: str) -> int: ...
    def knows(self, word: str) -> bool: ...


class Candidates(Protocol):
    """What a search and a list choose from; they show what is committed."""

    def find(self, probe: Probe, where: Filter, limit: int, offset: int = 0) -> CandidateSet:
        """Return the candidates of a search that pass its filter.

        offset: goes on after the matches by words of the pages before, of which each comes once.
        Of words that very many hold, a first page may count fewer matches than there are, but
        more than it shows.
        """

    def sharing(
        self, text: Analysis, model: str, where: Filter, limit: int
    ) -> list[tuple[Record, float]]:
        """Return the memories that share terms with a text, and how alike they are, the most first.

        Terms that many hold do not count; model: by whose vectors memories are compared.
        """

    def rare_words(self, memory_id: int, without: Sequence[int], most: int) -> RareWords:
        """Return who else holds the words of a memory that at most so many hold, but for some."""

    def page(self, where: Filter, limit: int, offset: int = 0) -> Page:
        """Return the newest memories that pass a filter, and count all that do."""

    def newest(self, where: Filter, limit: int, offset: int = 0) -> list[int]:
        """Return the newest memories that pass a filter; to count the others may take longer."""

    def unreviewed(self, where: Filter, by: str | None, limit: int) -> Page:
        """Return the newest memories that pass a filter and that nobody has looked through.

        by: only those that something wrote which goes by this name.
        """

    def newest_of(self, where: Filter, kinds: Sequence[str], limit: int) -> dict[str, list[int]]:
        """Return by kind the newest memories of it that pass a filter."""

    def around(self, record: Record, where: Filter, before: int, after: int) -> list[int]:
        """Return the memories just before and after one in time, in order, with itself."""

    def vectors(self, memory_id: int) -> Mapping[str, NDArray[np.float32]]:
        """Return the vectors of a memory by model."""

    def lacking(self, model: str, after_id: int, limit: int) -> list[Indexed]:
        """Return memories past an id that have no vector of a model, by id."""

    def put_vectors(self, model: str, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        """Add vectors of a model to memories."""
