"""What is asked for lessons: Milepost through its operations, and BM25 as the floor."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tqdm import tqdm

from bm25 import BM25
from milepost import connect
from milepost.experience import closing as judging
from milepost.experience.closing import SALIENCE_MIN, salience
from milepost.experience.values import RETRY_OF, Episode, Step
from reflexion_runs import Trial

TOP = 3
BUDGET = 300
# Returns the trials to show for a task as if others had never taken place.
Ranking = Callable[[Trial, Sequence[Trial]], list[Trial]]


class Floor:
    """BM25 over the raw text of the episodes with a lesson."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        self._trials = [trial for trial in trials if trial.episode.insights]
        self._index = BM25([raw(trial.episode) for trial in self._trials])

    def best(self, trial: Trial, left_out: Sequence[Trial]) -> list[Trial]:
        """Return the trials whose text has most to do with the task."""
        return self._ranked(trial, left_out)[:TOP]

    def best_once(self, trial: Trial, left_out: Sequence[Trial]) -> list[Trial]:
        """Return the latest trials of the tasks that have most to do with the task."""
        latest: dict[tuple[str, str], Trial] = {}
        for other in self._ranked(trial, left_out):
            best = latest.setdefault((other.source, other.task), other)
            if best.episode.created < other.episode.created:
                latest[other.source, other.task] = other
        return list(latest.values())[:TOP]

    def _ranked(self, trial: Trial, left_out: Sequence[Trial]) -> list[Trial]:
        names = {other.episode.id for other in left_out}
        without = {i for i, t in enumerate(self._trials) if t.episode.id in names}
        return [self._trials[i] for i in self._index.rank(trial.episode.task, without)]


class Recorded:
    """Runs in a Milepost, recorded and asked through its operations."""

    def __init__(self, trials: Sequence[Trial], salient: float = SALIENCE_MIN) -> None:
        self._salient = salient
        self._memory = connect("memory://")
        self._by_id = {trial.episode.id: trial for trial in trials}
        self.salience: dict[str, float] = {}
        for trial in tqdm(trials, desc="record", unit="episode", leave=False):
            self._record(trial)

    def similar(self, trial: Trial, left_out: Sequence[Trial]) -> list[Trial]:
        """Return what `similar_episodes` shows for a task as if some trials never took place."""
        for other in reversed(left_out):
            self._memory.delete_episode(other.episode.id)
        shown = self._memory.similar_episodes(trial.episode.task, limit=TOP).episodes
        for other in left_out:
            self._record(other)
        return [self._by_id[episode.id] for episode in shown]

    def recommended(self, trial: Trial) -> str:
        """Return the text of `recommend` for a task, with the patterns learned until then."""
        self._memory.extract_patterns()
        return self._memory.recommend(trial.episode.task, budget=BUDGET).text

    def _record(self, trial: Trial) -> None:
        episode = trial.episode
        self._memory.create_episode(
            episode.task,
            episode.context,
            task_type=episode.task_type,
            id=episode.id,
            retry_of=dict(episode.relations).get(RETRY_OF),
            wait=False,
        )
        if episode.steps:
            self._memory.add_steps(episode.id, [_as_given(step) for step in episode.steps])
        with self._as_it_was(episode.id):
            self._memory.complete_episode(
                episode.id, str(episode.outcome), episode.verdict, wait=False
            )
            kept = self._memory.get_episode(episode.id, steps=False)
        self.salience[episode.id] = kept.salience or 0.0

    @contextmanager
    def _as_it_was(self, name: str) -> Iterator[None]:
        """Judge salience by the threshold of this memory, and what is recorded again as before."""
        known = self.salience.get(name)
        judging.SALIENCE_MIN = self._salient
        if known is not None:
            judging.salience = lambda *_: known
        yield
        judging.SALIENCE_MIN, judging.salience = SALIENCE_MIN, salience


def raw(episode: Episode) -> str:
    """Return the text of an episode as it was logged: the task, the actions, the reflection."""
    return "\n".join([episode.task, *(step.action for step in episode.steps), episode.verdict])


def _as_given(step: Step) -> dict[str, object]:
    names = ("tool", "action", "observation", "success", "number")
    return {name: getattr(step, name) for name in names}
