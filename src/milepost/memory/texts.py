"""Analyse memories and questions: terms for the words, vectors for the meaning."""

from array import array
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from milepost.deadline import check_time
from milepost.memory.hot_reads import rests_on
from milepost.memory.values import Analysis, Indexed
from milepost.phases import phase
from milepost.ports import Embedder, FallibleEmbedder, Lexicon
from milepost.ranking.keys import label_key, term_key
from milepost.ranking.traits import traits
from milepost.text.speakers import spoken
from milepost.text.words import question_terms, terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.ranking.candidates import Probe

# More words than this tell nothing more; a pasted page is asked by its beginning.
WORDS_MAX = 32
RELATED_CACHED = 4_096
# Who speaks in a chat with a model: no name to be asked for, and no word of what was said.
ROLES = frozenset({"user", "assistant", "system", "tool", "human", "ai", "model"})


class Texts:
    """Analyses with the shipped static model, and with a chosen one beside it when it answers."""

    def __init__(
        self,
        static: Embedder,
        lexicon: Lexicon,
        chosen: FallibleEmbedder | None = None,
        *,
        asks_chosen: bool = True,
    ) -> None:
        self._static = static
        # Memories have its vectors all the same, so that it can be asked from one moment on.
        self._asks_chosen = asks_chosen
        self._lexicon = lexicon
        self._related_to = lru_cache(maxsize=RELATED_CACHED)(self._find_related)
        self.chosen = chosen

    @property
    def model(self) -> str:
        """The model of which every memory has a vector."""
        return self._static.model

    @property
    def asked(self) -> tuple[str, ...]:
        """The models that questions are put to."""
        chosen = (self.chosen.model,) if self.chosen and self._asks_chosen else ()
        return self._static.model, *chosen

    def analyse(self, memories: Sequence[Indexed]) -> list[Analysis]:
        """Return what each memory is found by."""
        if not memories:
            return []
        with phase("analysing texts"):
            return self._analyses(memories)

    def _analyses(self, memories: Sequence[Indexed]) -> list[Analysis]:
        memories = [_with_speaker(memory) for memory in memories]
        texts = [memory.content for memory in memories]
        vectors = {self._static.model: self._static.embed(texts)}
        chosen = self.chosen.try_embed([_said(one) for one in memories]) if self.chosen else None
        if self.chosen and chosen is not None:
            vectors[self.chosen.model] = chosen
        return [
            Analysis(
                packed_terms(memory),
                traits(memory.content),
                {model: rows[i] for model, rows in vectors.items()},
            )
            for i, memory in enumerate(memories)
        ]

    def chosen_vectors(
        self, memories: Sequence[Indexed]
    ) -> "Mapping[int, NDArray[np.float32]] | None":
        """Return vectors of the chosen model by memory, or None when it does not answer."""
        texts = [_said(_with_speaker(memory)) for memory in memories]
        rows = self.chosen.try_embed(texts) if self.chosen else None
        if rows is None:
            return None
        return {memory.id: row for memory, row in zip(memories, rows, strict=True)}

    def probe(self, question: str, *, whole: bool = False) -> "Probe":
        """Return a question as a search needs it: the part that asks, or whole as it is."""
        with phase("analysing the question"):
            return self._probe(question, whole=whole)

    def _probe(self, question: str, *, whole: bool) -> "Probe":
        from milepost.ranking.candidates import Probe, Word
        from milepost.text.asking import the_part_that_asks
        from milepost.text.questions import asks, asks_of_the_past, names

        question = question if whole else the_part_that_asks(question)
        rest, days = _apart_from_days(question)
        asked = [*question_terms(rest), *((said, (term,)) for said, term in days)][:WORDS_MAX]
        static = self._static.embed([question, *(text for text, _ in asked)])
        vectors = {self._static.model: static[0]}
        chosen = self._asked_of_chosen(question)
        if self.chosen and chosen is not None:
            vectors[self.chosen.model] = chosen
        named = names(question)
        words = tuple(
            Word(
                text,
                term_key(alike[0]),
                self._lexicon.rank(text),
                text in named,
                self._lexicon.knows(text),
            )
            for text, alike in asked
        )
        terms, kinship = self._kinship(asked)
        return Probe(
            question,
            words,
            static[1:],
            terms,
            kinship,
            self._static.model,
            vectors,
            frozenset(label_key("author", text) for text, _ in asked if text not in ROLES),
            asks(question),
            asks_of_the_past(question),
        )

    def _asked_of_chosen(self, question: str) -> "NDArray[np.float32] | None":
        from milepost.text.questions import in_english

        if self.chosen is None or not self._asks_chosen:
            return None
        if self.chosen.english_alone and not in_english(question):
            return None
        vector = self.chosen.try_embed_query(question)
        if vector is None:
            rests_on("a model that is away")
        return vector

    def likeness(self, text: str, others: Sequence[str]) -> list[float]:
        """Return how near each of some texts is to one in meaning, by the static model."""
        rows = self._static.embed([text, *others])
        near: list[float] = (rows[1:] @ rows[0]).tolist()
        return near

    def _kinship(
        self, asked: Sequence[tuple[str, tuple[str, ...]]]
    ) -> "tuple[NDArray[np.uint32], NDArray[np.float32]]":
        """Return all terms that mean something to the words, and what each means to each."""
        import numpy as np

        kin = [self._related_to(text, alike) for text, alike in asked]
        terms = sorted({term for found in kin for term in found})
        place = {term: i for i, term in enumerate(terms)}
        table = np.zeros((len(terms), max(len(asked), 1)), np.float32)
        for column, found in enumerate(kin):
            for term, similarity in found.items():
                table[place[term], column] = similarity
        return np.array(terms, np.uint32), table

    def _find_related(self, word: str, alike: tuple[str, ...]) -> dict[int, float]:
        kin: dict[int, float] = {}
        for other, similarity in self._lexicon.related(word):
            kin.setdefault(other, similarity)
        return kin | {term_key(term): 1.0 for term in alike}

    def problems(self) -> list[str]:
        """Return what is wrong with the embedders, for people."""
        state = self.chosen.status() if self.chosen else None
        if state is None or state.healthy:
            return []
        return [f"{state.model} is away, the static model serves alone ({state.note})"]


def _said(memory: Indexed) -> str:
    """Return a memory with who said it, which a transformer reads as part of the sentence."""
    author = memory.author
    if author is None or author.casefold() in ROLES:
        return memory.content
    return f"{author}: {memory.content}"


def _apart_from_days(question: str) -> tuple[str, list[tuple[str, str]]]:
    if not any(map(str.isdigit, question)):
        return question, []
    # Most questions name no day, and whoever asks one should not wait for what reads dates.
    from milepost.text.dates.stated import apart_from_days

    return apart_from_days(question)


def _with_speaker(memory: Indexed) -> Indexed:
    """Return a memory that names who speaks as if its author had been given apart."""
    if memory.author is not None:
        return memory
    author, content = spoken(memory.content)
    return memory._replace(author=author, content=content) if author else memory


def day_keys(created_us: int) -> list[int]:
    """Return the keys of the terms by which a memory of a day is found."""
    from milepost.text.dates.stated import date_words

    when = datetime.fromtimestamp(created_us / 1e6, UTC)
    return [term_key(term) for term in terms(date_words(when))]


def packed_terms(memory: Indexed) -> bytes:
    """Return the keys of the terms a memory is found by, four bytes each: author, dates, text."""
    from milepost.text.dates.stated import date_words, stated_dates

    check_time()
    when = datetime.fromtimestamp(memory.created_us / 1e6, UTC)
    author = memory.author if memory.author and memory.author.casefold() not in ROLES else ""
    about, content = terms(f"{author} {date_words(when)}"), terms(memory.content)
    if dates := stated_dates(memory.content, when, content):
        # What the text has itself tells as much as once more.
        known = {*about, *content}
        about += [term for term in dict.fromkeys(terms(" ".join(dates))) if term not in known]
    return array("I", [term_key(term) for term in about + content]).tobytes()
