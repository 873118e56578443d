"""Learning from real runs: is the lesson that helped found, and is the way that worked named?

usage: python bench/reflexion.py --data ../shared/data [--judge MODEL_FOLDER]

The data are the published runs of Reflexion (see `reflexion_runs.py` for what they hold and lack).
A reflection after which the next trial of its task succeeded is a lesson *known to be useful*.
Tasks are split into halves by a hash of their names. Nothing was fitted to the second ("held
out"), but its figures were seen while rules were chosen, so it is not blind.

Lessons. The memory holds every trial that left a lesson, also those that did not help and those of
tasks that were never solved. The question is the task in words. The trial that solved the task is
left out: it is the one for which the lesson is looked for.

- *same task*: the task is tried again. A hit is its useful reflection, word for word, among the
  first three (several environments of ALFWorld have the very same task: the useful reflection of
  any of them counts). All trials of a task have the same task text, so any ranking finds the task;
  the question is which of its up to fourteen reflections it shows.
- *most similar task*: all trials of the task are left out. A hit is the useful reflection of the
  most similar other task that has one, among the first three. Which task that is says a judge that
  the rankings do not use: a transformer over the task descriptions (--judge), or how alike the
  solutions and tests of tasks are, of which no ranking is told. Only programming tasks have both.

The floor is BM25 over the raw text of the episodes with a lesson. Between it and Milepost stands
BM25 with one result per task, its latest, which shows what part of the gain is only that.
*Milepost* is `similar_episodes` on a memory in which all runs were recorded with `create_episode`,
`add_steps` and `complete_episode`; what a question leaves out is deleted before it and recorded
again after it.

Ways. For each ALFWorld environment that left a plan, `recommend` is asked for the task within 300
tokens, on a memory that holds the trials of all other environments. The numbered steps of that
text are compared with two sequences of action types: the environment's own plan before it
succeeded, and the steps that its family of tasks is defined by (ALFRED). Recall and precision are
the longest common subsequence over the length of either; "whole" is the share of environments all
of whose steps are named in order. The floor is the plan of the nearest other environment by BM25
over the tasks. "Family given" makes both from the environments of the same family only, as when
the kind of task is known.

Salience. All runs are recorded with several thresholds (below zero everything is salient), and the
lessons asked for again.

Patterns. Sequences, recoveries, traps and decisions are extracted from the HotpotQA runs of one
half and scored on the other: how often they applied and held, and how much more than expected.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from bm25 import BM25
from common import save, table
from milepost.experience.closing import SALIENCE_MIN
from milepost.experience.patterns.kinds import compare, extract, validate
from milepost.experience.patterns.pattern import merge
from milepost.experience.steps import common, contains
from milepost.experience.values import Episode, Pattern
from reflexion_judges import Pairs, by_code, by_description
from reflexion_memories import Floor, Ranking, Recorded
from reflexion_runs import CODING, Trial, load

SOURCES = (*CODING, "hotpot", "alfworld")
THRESHOLDS = (-1.0, 0.0, SALIENCE_MIN, 0.4, 0.5, 0.6)

# What each family of ALFWorld tasks is defined by.
FAMILIES = {
    "put": ("take", "put"),
    "clean": ("take", "clean", "put"),
    "heat": ("take", "heat", "put"),
    "cool": ("take", "cool", "put"),
    "look": ("take", "use"),
    "two": ("take", "put", "take", "put"),
}
Hits = list[tuple[Trial, float]]


class Questions:
    """What is asked, and what has to be left out for it."""

    def __init__(self, trials: Sequence[Trial], judge: Path | None) -> None:
        self.useful = [trial for trial in trials if trial.useful]
        self.alike: dict[str, Pairs] = {"by code": by_code(trials)}
        if judge:
            self.alike["by a transformer"] = by_description(trials, judge)
        self._trials: dict[tuple[str, str], list[Trial]] = defaultdict(list)
        self._solutions: dict[str, list[Trial]] = defaultdict(list)
        self._lessons: dict[str, set[str]] = defaultdict(set)
        for trial in trials:
            self._trials[trial.source, trial.task].append(trial)
            if trial.episode.outcome == "success":
                self._solutions[trial.episode.task].append(trial)
            if trial.useful:
                self._lessons[trial.episode.task].add(trial.reflection)

    def same_task(self, rank: Ranking) -> Hits:
        """Ask for the lesson of a task that is tried again."""
        return [
            (trial, self._hit(rank(trial, self._solutions[trial.episode.task]), trial))
            for trial in tqdm(self.useful, desc="same task", unit="task", leave=False)
        ]

    def similar_task(self, rank: Ranking, judged: Pairs) -> Hits:
        """Ask for the lesson of the task most like one that was never tried."""
        return [
            (trial, self._hit(rank(trial, self.trials_of(trial)), like))
            for trial, like in tqdm(judged, desc="most similar task", unit="task", leave=False)
        ]

    def trials_of(self, trial: Trial) -> list[Trial]:
        """Return all trials of a task."""
        return self._trials[trial.source, trial.task]

    def _hit(self, shown: Sequence[Trial], wanted: Trial) -> float:
        task = wanted.episode.task
        lessons = self._lessons[task]
        return float(any(t.episode.task == task and t.reflection in lessons for t in shown))


def tuned(trial: Trial) -> bool:
    """Tell whether a task is in the half that choices were made on."""
    return blake2b(trial.task.encode()).digest()[0] % 2 == 0


def halves(hits: Hits) -> dict[str, Any]:
    """Return the mean in percent over both halves and all, and how many there are."""
    groups = {
        "tuned": [hit for trial, hit in hits if tuned(trial)],
        "held out": [hit for trial, hit in hits if not tuned(trial)],
        "all": [hit for _, hit in hits],
    }
    return {
        name: {"tasks": len(group), "percent": round(100 * sum(group) / max(len(group), 1), 1)}
        for name, group in groups.items()
    }


def lessons(trials: Sequence[Trial], asked: Questions) -> dict[str, Any]:
    """Measure how often the useful lesson is among the first three."""
    floor, recorded = Floor(trials), Recorded(trials)
    rankings: dict[str, Ranking] = {
        "BM25": floor.best,
        "BM25, one per task": floor.best_once,
        "Milepost": recorded.similar,
    }
    figures: dict[str, Any] = {}
    for name, rank in tqdm(rankings.items(), desc="lessons", unit="ranking"):
        same = asked.same_task(rank)
        figures[name] = {"same task": halves(same)}
        for source in SOURCES:
            mine = [(trial, hit) for trial, hit in same if trial.source == source]
            figures[name][f"same task, {source}"] = halves(mine)
        for how, judged in asked.alike.items():
            hits = asked.similar_task(rank, judged)
            figures[name][f"most similar task {how}"] = halves(hits)
    return figures


def thresholds(trials: Sequence[Trial], asked: Questions) -> list[dict[str, Any]]:
    """Measure what each threshold of salience keeps, and what that does to finding lessons."""
    repeated = _repeated(trials)
    silent = {trial.episode.id for trial in trials if not trial.episode.insights}
    judged = list(asked.alike.values())[-1]
    figures = []
    for least in tqdm(THRESHOLDS, desc="salience", unit="threshold"):
        recorded = Recorded(trials, least)
        kept = {name for name, value in recorded.salience.items() if value > least}
        figures.append(
            {
                "threshold": least,
                "kept": len(kept),
                "of": len(trials),
                "without a lesson": len(kept & silent),
                "repeated word for word": len(kept & repeated),
                "same task": halves(asked.same_task(recorded.similar)),
                "most similar task": halves(asked.similar_task(recorded.similar, judged)),
            }
        )
    return figures


def _repeated(trials: Sequence[Trial]) -> set[str]:
    said: set[str] = set()
    again = set()
    for trial in trials:
        if trial.reflection in said:
            again.add(trial.episode.id)
        said |= {trial.reflection} - {""}
    return again


def ways(trials: Sequence[Trial]) -> dict[str, Any]:
    """Measure whether the playbook of a household task names the actions that lead to success."""
    runs = [t for t in trials if t.source == "alfworld"]
    solved = [t for t in runs if len(t.episode.steps) > 1]
    named: dict[str, Callable[[Trial], Sequence[str]]] = {
        "BM25": lambda t: _nearest_plan(solved, t),
        "Milepost": lambda t: _recommended(runs, t),
        "BM25, family given": lambda t: _nearest_plan(_family(solved, t), t),
        "Milepost, family given": lambda t: _recommended(_family(runs, t), t),
    }
    figures: dict[str, Any] = {"environments": len(solved)}
    for name, steps in named.items():
        found = [(t, _types(steps(t))) for t in tqdm(solved, desc=f"ways, {name}", unit="task")]
        figures[name] = {
            "own plan": _compared([(t, way, _types(_actions(t))) for t, way in found]),
            "family": _compared([(t, way, FAMILIES[t.judge]) for t, way in found]),
        }
    return figures


def _family(trials: Sequence[Trial], trial: Trial) -> list[Trial]:
    return [other for other in trials if other.judge == trial.judge]


def _recommended(trials: Sequence[Trial], trial: Trial) -> list[str]:
    """Return the steps that are recommended when the task itself was never tried."""
    text = Recorded([other for other in trials if other.task != trial.task]).recommended(trial)
    return re.findall(r"^\d+\. (.*)$", text, re.MULTILINE)


def _nearest_plan(solved: Sequence[Trial], trial: Trial) -> list[str]:
    others = [other for other in solved if other.task != trial.task]
    return _actions(others[BM25([t.episode.task for t in others]).rank(trial.episode.task)[0]])


def _actions(trial: Trial) -> list[str]:
    return [step.action for step in trial.episode.steps]


def _types(actions: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of actions: their verbs, examining with a lamp being its use."""
    kinds = ["use" if a.startswith("examine") else a.split()[0] for a in actions]
    return tuple(kind for place, kind in enumerate(kinds) if kinds[place - 1 : place] != [kind])


def _compared(
    found: Sequence[tuple[Trial, Sequence[str], Sequence[str]]],
) -> dict[str, Any]:
    return {
        "recall": halves([(t, common(gold, way) / len(gold)) for t, way, gold in found]),
        "precision": halves([(t, common(gold, way) / max(len(way), 1)) for t, way, gold in found]),
        "whole": halves([(t, float(contains(way, gold))) for t, way, gold in found]),
    }


def patterns_held_out(trials: Sequence[Trial]) -> dict[str, Any]:
    """Extract patterns from the steps of one half of the questions and score them on the other."""
    runs = [t for t in trials if t.source == "hotpot"]
    seen = [t.episode for t in runs if tuned(t)]
    unseen = [t.episode for t in runs if not tuned(t)]
    groups: dict[str, list[Episode]] = defaultdict(list)
    for episode in seen:
        groups[episode.task].append(episode)
    shared = [p for group in (seen, *groups.values()) for p in compare(group)]
    found = _merged([*(p for e in seen for p in extract(e)), *shared])
    checked = validate([p for p in found if p.kind != "context"], unseen)
    figures: dict[str, Any] = {
        "episodes seen": len(seen),
        "episodes held out": checked.episodes,
        "base rate": round(checked.base_rate, 3),
    }
    for kind in ("sequence", "recovery", "trap", "decision"):
        mine = [c for c in checked.checked if c.kind == kind]
        applied = [c for c in mine if c.applied]
        times = sum(c.applied for c in applied)
        figures[kind] = {
            "patterns": len(mine),
            "applied at all": len(applied),
            "times applied": times,
            "held": round(sum(c.held for c in applied) / max(times, 1), 3),
            "lift": round(sum(c.lift * c.applied for c in applied) / max(times, 1), 3),
        }
    return figures


def _merged(patterns: Sequence[Pattern]) -> list[Pattern]:
    known: dict[str, Pattern] = {}
    for pattern in patterns:
        before = known.get(pattern.id)
        known[pattern.id] = merge(before, pattern) if before else pattern
    return list(known.values())


def report(figures: dict[str, Any]) -> None:
    """Print the tables."""
    rows = [
        [
            name,
            question,
            *(f"{f[h]['percent']}" for h in ("tuned", "held out", "all")),
            f["all"]["tasks"],
        ]
        for name, measured in figures["lessons"].items()
        for question, f in measured.items()
    ]
    print("\nThe useful lesson among the first three, percent")
    print(table(["ranking", "question", "tuned", "held out", "all", "tasks"], rows))
    rows = [
        [name, gold, measure, *(f"{f[h]['percent']}" for h in ("tuned", "held out", "all"))]
        for name, golds in figures["ways"].items()
        if name != "environments"
        for gold, measures in golds.items()
        for measure, f in measures.items()
    ]
    print(f"\nWays named for {figures['ways']['environments']} household tasks, percent")
    print(table(["steps by", "against", "measure", "tuned", "held out", "all"], rows))
    rows = [
        [
            f["threshold"],
            f"{f['kept']} of {f['of']}",
            f["without a lesson"],
            f["repeated word for word"],
            f["same task"]["all"]["percent"],
            f["most similar task"]["all"]["percent"],
        ]
        for f in figures["salience"]
    ]
    print("\nWhat a threshold of salience keeps, and lessons found then")
    print(table(["threshold", "kept", "no lesson", "repeated", "same task", "similar task"], rows))
    print("\nPatterns of HotpotQA runs on held-out questions")
    kinds = {k: v for k, v in figures["patterns"].items() if isinstance(v, dict)}
    print(
        table(["kind", *next(iter(kinds.values()))], [[k, *v.values()] for k, v in kinds.items()])
    )


def main() -> None:
    """Measure everything."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--judge", type=Path, help="folder of a transformer in ONNX")
    options.add_argument("--dry", action="store_true", help="print, but write no results")
    given = options.parse_args()
    trials = load(given.data)
    asked = Questions(trials, given.judge)
    figures = {
        "episodes": dict(Counter(trial.source for trial in trials)),
        "lessons": lessons(trials, asked),
        "ways": ways(trials),
        "salience": thresholds(trials, asked),
        "salient from": SALIENCE_MIN,
        "patterns": patterns_held_out(trials),
    }
    report(figures)
    if not given.dry:
        print(save("reflexion", figures))


if __name__ == "__main__":
    main()
