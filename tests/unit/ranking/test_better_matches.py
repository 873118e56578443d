"""A better match never ranks lower, other things equal."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from ranking_parts import score
from small_pools import Note, Search, search

WORDS = ("red", "blue", "green", "amber", "violet")
DIMENSIONS = 16
POOLS = 100


class Case(NamedTuple):
    """A question, the memory that will match it better, those beside it and all others."""

    words: dict[str, float]
    note: Note
    beside: tuple[Note, ...]
    others: tuple[Note, ...]
    options: dict

    def missing(self) -> str:
        return next(word for word in self.words if word not in self.note.text.split())

    def saying(self, text: str) -> "Case":
        return self._replace(note=self.note._replace(text=text))

    def search(self) -> Search:
        return search(self.words, self.note, *self.beside, *self.others, **self.options)

    def judge(self) -> tuple[int, float]:
        """Return how many others stand before the memory, and how likely it is relevant."""
        verdict = self.search().rank(0.0)
        place = verdict.rows.tolist().index(0)
        others = verdict.rows[:place] > len(self.beside)
        return int(others.sum()), float(verdict.chances[place])

    def alone(self, asked: "Case", *, together: bool) -> float:
        """Return how likely the memory is by itself, or the likelier of it and those beside it.

        asked: where what is known of the question as a whole is taken from.
        """
        found, of_question = self.search(), asked.search().features()
        columns = found.features()
        columns |= {name: of_question[name] for name in columns if name.startswith("q_")}
        model = found.model()
        columns |= score.standing(model.ranking.score(columns))
        _, chances = score.likelihoods(model, columns)
        return float(chances[: 1 + len(self.beside) if together else 1].max())


@cache
def case(seed: int) -> Case:
    """Return a memory of some words amid others, in sessions for every other seed."""
    random = np.random.default_rng(seed)
    documents, heaviest = ((43, 5), (1_003, 8))[seed % 4 // 2]
    words = {w: int(random.integers(1, heaviest + 1)) for w in WORDS[: random.integers(2, 6)]}
    in_sessions = bool(seed % 2)

    def some(likely: float, session: str, at: int) -> Note:
        held = [word for word in words if random.random() < likely][: len(words) - 1]
        return Note(
            " other ".join(held),
            pointing(random.uniform(0, 0.5), random),
            session if in_sessions else None,
            at,
            str(random.choice(["user", "assistant"])) if in_sessions else None,
            length=int(random.integers(5, 40)),
        )

    others = [some(0.25, f"s{i % 4}", i // 4) for i in range(random.choice([1, 3, 10, 40]))]
    return Case(
        words,
        some(0.4, "mine", 1),
        tuple(some(0.0, "mine", at) for at in (0, 2)) if in_sessions else (),
        tuple(others),
        {
            "toward": [1.0, *[0.0] * (DIMENSIONS - 1)],
            "word_vectors": [pointing(0.5, random) for _ in words],
            "documents": documents,
        },
    )


def pointing(likeness: float, random: np.random.Generator) -> list[float]:
    """Return a unit vector of some likeness to the question."""
    rest = random.normal(size=DIMENSIONS - 1)
    return [likeness, *(rest / np.linalg.norm(rest) * np.sqrt(1 - likeness**2)).tolist()]


def nearer(note: Note, by: float) -> Note:
    likeness, *rest = note.vector
    scale = np.sqrt((1 - (likeness + by) ** 2) / (1 - likeness**2))
    return note._replace(vector=[likeness + by, *(scale * value for value in rest)])


Pair = tuple[Case, Case]
Improvement = Callable[[Case], Pair | None]


def one_more_word(case: Case) -> Pair:
    return case, case.saying(f"{case.note.text} other {case.missing()}")


def kin_of_a_missing_word(case: Case) -> Pair:
    return with_kin(case, "", "distant")


def closer_kin(case: Case) -> Pair:
    return with_kin(case, "distant", "close")


def the_word_rather_than_its_kin(case: Case) -> Pair:
    return with_kin(case, "close", case.missing())


def with_kin(case: Case, worse: str, better: str) -> Pair:
    missing = case.missing()
    kin = {"distant": {missing: 0.4}, "close": {missing: 0.8}}
    case = case._replace(options=case.options | {"kin": kin})
    text = case.note.text
    return case.saying(f"{text} other {worse}"), case.saying(f"{text} other {better}")


def a_rarer_word(case: Case) -> Pair | None:
    by_weight = sorted(case.words, key=case.words.__getitem__)
    if case.words[by_weight[0]] == case.words[by_weight[-1]]:
        return None
    return case.saying(by_weight[0]), case.saying(by_weight[-1])


def words_side_by_side(case: Case) -> Pair:
    first, second, *_ = case.words
    return case.saying(f"{first} other {second}"), case.saying(f"other {first} {second}")


def words_closer_together(case: Case) -> Pair:
    first, second, *_ = case.words
    far, near = " other" * 90, " other" * 20
    case = case._replace(note=case.note._replace(length=113))
    return (
        case.saying(f"{first}{far} {second}{near}"),
        case.saying(f"{first}{near} {second}{far}"),
    )


def nearer_in_meaning(case: Case) -> Pair:
    return case, case._replace(note=nearer(case.note, 0.2))


def nearer_by_a_chosen_model(case: Case) -> Pair:
    random = np.random.default_rng(len(case.others))

    def seen(note: Note) -> Note:
        return note._replace(chosen=pointing(random.uniform(0.5, 0.8), random))

    case = case._replace(
        note=seen(case.note),
        beside=tuple(map(seen, case.beside)),
        others=tuple(map(seen, case.others)),
        options=case.options | {"toward_chosen": [1.0, *[0.0] * (DIMENSIONS - 1)]},
    )
    nearer_by = nearer(case.note._replace(vector=case.note.chosen), 0.1).vector
    return case, case._replace(note=case.note._replace(chosen=nearer_by))


def the_author_named_rather_than_another(case: Case) -> Pair:
    return by_author(case, "bob")


def the_author_named_rather_than_nobody(case: Case) -> Pair:
    return by_author(case, None)


def by_author(case: Case, other: str | None) -> Pair:
    vectors = case.options["word_vectors"]
    case = case._replace(
        words=case.words | {"ann": 5},
        others=(*case.others, Note("other", nearer(case.note, 0.01).vector, author="ann")),
        options=case.options | {"word_vectors": [*vectors, vectors[0]]},
    )
    return (
        case._replace(note=case.note._replace(author=other)),
        case._replace(note=case.note._replace(author="ann")),
    )


def a_word_before(case: Case) -> Pair | None:
    return beside(case, 0, lambda note: note._replace(text=case.missing()))


def a_word_after(case: Case) -> Pair | None:
    return beside(case, 1, lambda note: note._replace(text=case.missing()))


def beside(case: Case, place: int, better: Callable[[Note], Note]) -> Pair | None:
    if not case.beside:
        return None
    notes = list(case.beside)
    notes[place] = better(notes[place])
    return case, case._replace(beside=tuple(notes))


# A question of three words, memories that hold some of them, and two that hold none.
PLAIN = Case(
    {"red": 5, "blue": 4, "green": 3},
    Note("red", (0.5, 0.6, 0.6), "mine", 1, length=14),
    (Note("other", (0.3, 0.9, 0.3), "mine", 0), Note("other", (0.3, 0.3, 0.9), "mine", 2)),
    (
        Note("blue other green", (0.6, 0, 0.8), "s", 0, length=20),
        Note("red", (0.5, 0.8, 0.3), "s", 1, length=10),
        Note("green", (0.4, 0.9, 0), "t", 0),
        Note("blue", (0.4, 0, 0.9), length=30),
        Note("other", (0.1, 0, 0.99), "t", 1),
        Note("other", (0.1, 0.99, 0)),
    ),
    {"toward": (1, 0, 0), "word_vectors": [(0.6, 0, 0.8)] * 3},
)

IMPROVEMENTS: tuple[Improvement, ...] = (
    one_more_word,
    kin_of_a_missing_word,
    closer_kin,
    the_word_rather_than_its_kin,
    a_rarer_word,
    words_side_by_side,
    words_closer_together,
    nearer_in_meaning,
    nearer_by_a_chosen_model,
    the_author_named_rather_than_another,
    the_author_named_rather_than_nobody,
    a_word_before,
    a_word_after,
)
every_improvement = pytest.mark.parametrize(
    "improve", [pytest.param(each, id=each.__name__.replace("_", " ")) for each in IMPROVEMENTS]
)


def pairs(improve: Improvement) -> list[Pair]:
    return [pair for pair in map(improve, map(case, range(POOLS))) if pair]


@every_improvement
def test_a_better_match_keeps_its_place_in_a_plain_pool(improve):
    worse, better = improve(PLAIN)

    assert better.judge()[0] <= worse.judge()[0]


@every_improvement
def test_a_better_match_is_more_likely_in_a_plain_pool(improve):
    worse, better = improve(PLAIN)

    assert better.judge()[1] > worse.judge()[1]


@every_improvement
def test_a_better_match_keeps_its_place_in_every_pool(improve):
    judged = [(worse.judge()[0], better.judge()[0]) for worse, better in pairs(improve)]

    assert len(judged) >= POOLS // 4
    assert [places for places in judged if places[1] > places[0]] == []


# What becomes a better match here is a candidate too, which has its share of what is likely.
BESIDE = {a_word_before, a_word_after}


@every_improvement
def test_a_better_match_is_less_likely_only_by_what_it_is_measured_with(improve):
    # The best of all that a question finds says how well it is met: q_similar, q_soft, q_covered.
    # A memory that is itself the best raises these with itself: where the nearest comes nearer by
    # 0.2, its odds change by 0.2 · (similar + q_similar), and the second may weigh more than the
    # first and less than nothing. And a memory is said to be as likely as what comes after it,
    # which has a smaller share when the memory is better. But for these two none is less likely.
    together = improve in BESIDE
    lost = [
        (worse, better)
        for worse, better in pairs(improve)
        if better.judge()[1] < worse.judge()[1] - 1e-6
        and better.alone(worse, together=together) < worse.alone(worse, together=together) - 1e-6
    ]

    assert lost == []


def test_a_match_of_everything_comes_before_one_of_nothing_in_every_pool():
    for seed in range(POOLS):
        some = case(seed)
        all_words, no_word = some.saying(" ".join(some.words)).judge(), some.saying("").judge()

        assert all_words[0] <= no_word[0]
        assert all_words[1] > no_word[1]
