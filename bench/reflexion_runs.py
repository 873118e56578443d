"""The published Reflexion runs as episodes: MBPP, HumanEval, LeetCode, ALFWorld and HotpotQA.

A task that was tried several times is several episodes. The reflection that the agent wrote after a
failed trial is the verdict of that trial's episode; one written right before the trial that
succeeded is known to have been useful. What the logs do not hold is not made up:

- the coding logs have no steps (neither the attempts nor what the tests printed);
- the ALFWorld logs have neither tasks nor actions, only reflections and whether a trial succeeded.
  The task is put together from what the reflections say of it, and the steps of a trial that
  succeeded are the plan in the reflection it was started with. 84 of the 134 environments succeeded
  at once, left no reflection and cannot be used;
- the HotpotQA log has every step, so it is the one to look at steps with.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from milepost.experience.reflection import reflect
from milepost.experience.values import Episode, Step

CODING = {
    "mbpp": "mbpp-py._reflexion_5_gpt-4_pass_at_k_1_py.jsonl",
    "humaneval": "reflexion_humaneval_py_pass_at_1.jsonl",
    "leetcode": "leetcode-hard-py-40-uncontaminated._reflexion_5_gpt-4_pass_at_k_1_py.jsonl",
}
ALFWORLD_TRIALS = (0, 1, 2, 5, 10, 14)


class Trial(NamedTuple):
    """One trial of a task.

    task: names the task in its data set. useful: the next trial succeeded with its reflection.
    judge: a text about the task that no retrieval is given, to tell which tasks are alike.
    """

    source: str
    task: str
    episode: Episode
    useful: bool
    judge: str

    @property
    def reflection(self) -> str:
        """Return what the agent wrote after the trial."""
        return self.episode.verdict


def load(data: Path) -> list[Trial]:
    """Read all runs."""
    folder = data / "reflexion_episodes"
    trials = [trial for source in CODING for trial in coding(folder, source)]
    return [*trials, *hotpot(folder), *alfworld(folder)]


def coding(folder: Path, source: str) -> Iterator[Trial]:
    """Yield the trials of a set of programming tasks."""
    for line in (folder / CODING[source]).read_text().splitlines():
        if line.strip():
            yield from _coding_trials(source, json.loads(line))


def _coding_trials(source: str, row: dict[str, Any]) -> Iterator[Trial]:
    name = str(row.get("name") or row["task_id"])
    task = described(row["prompt"])
    judge = "\n".join(str(row.get(k, "")) for k in ("solution", "canonical_solution", "test"))
    reflections = [*row["reflections"], ""]
    for number, reflection in enumerate(reflections):
        last = number == len(reflections) - 1
        outcome = "success" if last and row["is_solved"] else "failure"
        useful = row["is_solved"] and number == len(reflections) - 2
        episode = _episode(
            f"{source}/{name}#{number}",
            task,
            source,
            {"language": "python", "domain": "programming"},
            outcome,
            reflection,
            created=number,
        )
        yield Trial(source, name, episode, bool(useful), judge)


def described(prompt: str) -> str:
    """Return a programming task in words: what its last docstring says, without examples."""
    names = re.findall(r"def (\w+)\(", prompt)
    texts = re.findall(r'"""(.*?)"""|\'\'\'(.*?)\'\'\'', prompt, re.DOTALL)
    text = next(filter(None, texts[-1])) if texts else prompt
    text = re.split(r">>>|\bExamples?\b|\bFor example\b", text)[0]
    return f"{names[-1] if names else ''}: {' '.join(text.split())}"


def hotpot(folder: Path) -> Iterator[Trial]:
    """Yield the trials of questions; those that were answered are not asked again."""
    text = (folder / "100_questions_5_trials.txt").read_text()
    runs: dict[str, list[tuple[str, list[str], str]]] = {}
    for trial in re.split(r"#+\nBEGIN TRIAL \d+\n", text)[1:]:
        for section in re.split(r"-+ BEGIN (?=CORRECT|INCORRECT|HALTED)", trial)[1:]:
            outcome = "success" if section.startswith("CORRECT") else "failure"
            for block in re.split(r"\n(?=Question: )", section)[1:]:
                question, notes, steps = _hotpot_block(block)
                known = runs.setdefault(question, [])
                if not known or known[-1][0] != "success":
                    known.append((outcome, notes, steps))
    for number, (question, trials) in enumerate(runs.items()):
        yield from _hotpot_trials(f"q{number}", question, trials)


def _hotpot_block(block: str) -> tuple[str, list[str], str]:
    head, _, steps = block.partition("\nThought 1:")
    question, _, notes = head.removeprefix("Question: ").partition("You have attempted")
    bullets = re.findall(r"^- (.*?)(?=^- |\Z)", notes, re.MULTILINE | re.DOTALL)
    return question.strip(' "'), [" ".join(b.split()) for b in bullets], f"Thought 1:{steps}"


def _hotpot_trials(
    name: str, question: str, trials: Sequence[tuple[str, list[str], str]]
) -> Iterator[Trial]:
    for number, (outcome, notes, text) in enumerate(trials):
        after = trials[number + 1] if number + 1 < len(trials) else None
        reflection = " ".join(after[1][len(notes) :]) if after else ""
        episode = _episode(
            f"hotpot/{name}#{number}",
            question,
            "question",
            {"domain": "encyclopedia"},
            outcome,
            reflection,
            created=number,
            steps=_hotpot_steps(text),
        )
        useful = bool(reflection and after and after[0] == "success")
        yield Trial("hotpot", name, episode, useful, "")


def _hotpot_steps(text: str) -> tuple[Step, ...]:
    found = re.findall(
        r"^Action (\d+): (.*?)\n(?:Observation \1: (.*?))?(?=^Thought \d+:|\nCorrect answer|\Z)",
        text,
        re.MULTILINE | re.DOTALL,
    )
    steps = []
    for number, action, answer in found:
        # What is said to an answer is the outcome of the episode, not something that was seen.
        seen = "" if answer.startswith("Answer is") else answer.strip()
        wrong = re.match(r"Could not find|.*no more results", seen, re.IGNORECASE)
        tool = action.partition("[")[0].strip().lower() or "think"
        steps.append(Step(int(number), tool, action.strip(), {}, seen, not wrong))
    return tuple(steps)


def alfworld(folder: Path) -> Iterator[Trial]:
    """Yield the trials of household tasks that needed more than one."""
    runs = [
        json.loads((folder / f"alfworld_env_results_trial_{n}.json").read_text())
        for n in ALFWORLD_TRIALS
    ]
    for env in runs[-1]:
        if env["memory"]:
            yield from _alfworld_trials(env["name"], env["memory"], env["is_success"])


def _alfworld_trials(name: str, memory: Sequence[str], solved: bool) -> Iterator[Trial]:
    plans = [plan for text in memory if len(plan := planned(text)) > 1]
    family, thing, task = household_task(memory, plans)
    steps = _as_steps(plans[-1] if plans else (), thing)
    for number, reflection in enumerate([*memory, ""]):
        last = number == len(memory)
        if last and not solved:
            continue
        episode = _episode(
            f"alfworld/{name}#{number}",
            task,
            family,
            {"domain": "household"},
            "success" if last else "failure",
            reflection.strip(),
            created=number,
            steps=steps if last else (),
        )
        yield Trial("alfworld", name, episode, solved and number == len(memory) - 1, family)


def _as_steps(actions: Sequence[str], thing: str) -> tuple[Step, ...]:
    named = (re.sub(r"\bit\b", thing, action) for action in actions)
    return tuple(Step(n, "alfworld", action, {}, "", True) for n, action in enumerate(named, 1))


_NOUN = r"(?:the |a |an |some |first |second |other |another |clean |cool |hot )*"
_THING = rf"{_NOUN}([a-z]+)(?: \(?[\d-]+\)?)?(?: \d+)?"
_ACTIONS = (
    (rf"(?:take|taken|took|taking) {_THING} from {_THING}", "take {0} from {1}"),
    (rf"(?:take|taken|took|taking) {_THING}", "take {0}"),
    (rf"(?:go|gone|went|going)(?: back)? to {_THING}", "go to {0}"),
    (rf"(?:open|opened) {_THING}", "open {0}"),
    (rf"(clean|heat|cool)(?:ed|ing)? {_THING} with {_THING}", "{0} {1} with {2}"),
    (rf"(clean|heat|cool)(?:ed|ing)? {_THING}", "{0} {1} with *"),
    (rf"(?:put|placed?|putting) {_THING} (?:in/on|in|on|into|under) {_THING}", "put {0} in {1}"),
    (r"(?:put|placed?) (?:it )?there", "put it in *"),
    (rf"(?:examined?|look(?:ed)? (?:at|for)) {_THING} (?:with|under|to examine with) {_THING}",
     "examine {0} with {1}"),
    (r"to examine with (?:the )?(desklamp)", "use {0}"),
    (rf"(?:use|used|turn on|turned on) {_THING}", "use {0}"),
    (rf"(?:find|found|look for|looked for|check|checked) {_THING}", "find {0}"),
)  # fmt: skip
_COMPILED = [(re.compile(pattern), shape) for pattern, shape in _ACTIONS]
_PLAN = re.compile(
    r"\bI (?:should have|will|should)\b(?! (?:also|try|asked|remember|pay|make|double))"
)
_CLAUSE = re.compile(r",? then |, and then |, | and (?=\w+)|\. ")


def planned(reflection: str) -> list[str]:
    """Return the actions of the last plan that a reflection states."""
    best: list[str] = []
    for sentence in re.split(r"(?<=\.) ", reflection.strip()):
        start = _PLAN.search(sentence)
        if start and "stuck in a loop again" not in sentence:
            actions = _plan_actions(sentence[start.end() :])
            if len(actions) >= max(len(best), 2):
                best = actions
    return best


def _plan_actions(text: str) -> list[str]:
    actions: list[str] = []
    thing = ""
    for clause in _CLAUSE.split(text):
        for pattern, shape in _COMPILED:
            found = pattern.search(clause)
            if found:
                words = [thing if word == "it" and thing else word for word in found.groups()]
                action = shape.format(*words)
                if shape.startswith(("take", "find")):
                    thing = words[0]
                if not actions or actions[-1] != action:
                    actions.append(action)
                break
    return actions


_FAMILIES = (
    ("two", re.compile(r"\b(?:first|second) (?!in |then )[a-z]+"), "put two {0} in {1}"),
    ("look", re.compile(r"desklamp"), "look at {0} under the desklamp"),
    ("clean", re.compile(r"\bclean(?:ed|ing)? (?:it|the|some|a|\w+ \d)"), "put a clean {0} in {1}"),
    ("heat", re.compile(r"\bheat"), "put a hot {0} in {1}"),
    ("cool", re.compile(r"\bcool"), "put a cool {0} in {1}"),
    ("put", re.compile(""), "put {0} in {1}"),
)
_NO_THING = frozenset("it lamp desklamp switch place fridge microwave sinkbasin".split())


def household_task(memory: Sequence[str], plans: Sequence[Sequence[str]]) -> tuple[str, str, str]:
    """Return the family of a household task, its object and the task, from its reflections.

    Reflections err, so most of them decide.
    """
    votes = Counter(
        next(family for family in _FAMILIES if family[1].search(text)) for text in memory
    )
    family, _, shape = votes.most_common(1)[0][0]
    actions = [action.split() for plan in plans for action in plan]
    named = [a for a in actions if a[0] not in ("go", "open", "find", "use")] or actions
    things = Counter(a[1] for a in named if a[1] not in _NO_THING)
    places = Counter(a[3] for a in actions if a[0] == "put" and a[3] != "*")
    thing, place = _most(things, "object"), _most(places, "place")
    return family, thing, shape.format(thing, place)


def _most(counts: Counter[str], otherwise: str) -> str:
    return counts.most_common(1)[0][0] if counts else otherwise


def _episode(
    name: str,
    task: str,
    kind: str,
    context: dict[str, Any],
    outcome: str,
    verdict: str,
    created: int,
    steps: tuple[Step, ...] = (),
) -> Episode:
    first = name.partition("#")[0]
    made = Episode(
        id=name,
        task=task,
        task_type=kind,
        context=context,
        tags=(),
        outcome=outcome,
        verdict=verdict,
        artifacts=(),
        created=float(created),
        completed=float(created),
        reward=1.0 if outcome == "success" else 0.0,
        insights=(),
        salience=None,
        relations=(("retry of", f"{first}#{created - 1}"),) if created else (),
        step_count=len(steps),
        steps=steps,
    )
    return made._replace(insights=reflect(made))
