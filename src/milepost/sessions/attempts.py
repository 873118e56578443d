"""Tasks of a session as episodes: what was asked, what was done, how it ended.

A task is a prompt with all that follows until the next one. What only answers to it (a nod, an
objection, more words while something still fails) belongs to it and tells how it went.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import accumulate

from milepost.experience.values import ABANDONED, BY_AGENT, BY_USER, Episode, Step
from milepost.sessions.causes import best_cause, is_refuted
from milepost.sessions.claims import boasts
from milepost.sessions.commits import commits, is_commit
from milepost.sessions.edits import edit_of, stem
from milepost.sessions.notes import safe_turns
from milepost.sessions.reactions import (
    asks_nothing,
    is_nod,
    objects,
    praises,
    takes_back,
    undoes,
)
from milepost.sessions.statements import kind_of
from milepost.sessions.troubles import acts_of
from milepost.text.failures import error_line
from milepost.text.lines import clip, clip_at_word
from milepost.text.secrets import without_secrets
from milepost.text.sentences import sentences
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from milepost.sessions.values import Turn
    from milepost.text.mending import Act

TASK_TYPE = "coding"
# More tasks than this are not kept of one session, nor more steps of one task.
TASKS_MAX, STEPS_MAX = 40, 60
_TASK_CHARS, _SAID_CHARS, _OBJECTION_CHARS = 400, 280, 160
_ACTION_CHARS, _ERROR_CHARS, _SEEN_CHARS = 400, 1_000, 160
_ENDS = (".", "!", "?", "…", "。", "！", "？", "؟")
_TAGS_MAX, _FILES_MAX = 6, 20
_TAKEN_BACK = "It was taken back."
# To write down what was done before is no task of its own.
_BOOKKEEPING = ("git add", "git commit", "git push", "git tag", "git stash")
_LANGUAGES = {
    "py": "python", "ts": "typescript", "tsx": "typescript", "js": "javascript",
    "jsx": "javascript", "go": "go", "rs": "rust", "java": "java", "kt": "kotlin", "rb": "ruby",
    "php": "php", "c": "c", "h": "c", "cpp": "c++", "cc": "c++", "cs": "c#", "swift": "swift",
    "sql": "sql", "sh": "shell", "tf": "terraform", "dart": "dart", "ex": "elixir",
    "scala": "scala",
}  # fmt: skip


class Standing(NamedTuple):
    """How a task stands by what was run last: green, red, or partial when red was committed."""

    colour: str = ""
    failed: Act | None = None

    def after(self, act: Act) -> Standing:
        """Return how it stands after something more was done."""
        if edit_of(act.step):
            return self
        if not act.ok:
            return Standing("red", act)
        if is_commit(act.step):
            return Standing("partial" if self.failed else "green", self.failed)
        checks = act.did.effect == "checks"
        if checks if self.failed is None else _settles(act, self.failed):
            return Standing("green")
        return self


def _settles(act: Act, failed: Act) -> bool:
    """Whether that one act went well means that what had failed no longer does."""
    if act.key == failed.key:
        return True
    other_check = act.did.effect == "checks" and not act.key.endswith((" -c", " -e"))
    return other_check and failed.did.effect != "checks"


class Task(NamedTuple):
    """A prompt and what followed it; acts are what was done that more than looks."""

    turns: list[Turn]
    acts: list[Act]
    standing: Standing = Standing()

    @property
    def is_bookkeeping(self) -> bool:
        """Whether nothing was done but to write down what had been done before."""
        return bool(self.acts) and all(act.key.startswith(_BOOKKEEPING) for act in self.acts)

    @property
    def is_committed(self) -> bool:
        """Whether it was committed."""
        return any(is_commit(act.step) for act in self.acts)

    @property
    def subject(self) -> str:
        """What its last commit says of it."""
        made = [dict(note.about).get("subject", "") for _, note in commits(self.turns)]
        return made[-1] if made else ""

    @property
    def is_taken_back(self) -> bool:
        """Whether the user did not want it, and nothing was done since but to undo it."""
        place = max((p for p, turn in self._answers if objects(turn.text)), default=0)
        if not place:
            return False
        if takes_back(self.turns[place].text):
            # What follows at once is the undoing, with whatever tool.
            later = [p for p, turn in self._answers if p > place]
            return not any(
                edit_of(act.step) for act in self.acts if later and act.number > later[0]
            )
        undone = any(undoes(act.did.text) for act in self.acts if act.number > place)
        return undone and not any(edit_of(act.step) for act in self.acts if act.number > place)

    @property
    def _answers(self) -> list[tuple[int, Turn]]:
        return [(p, turn) for p, turn in enumerate(self.turns) if p and turn.role == "user"]

    def going_on(self, turns: Sequence[Turn]) -> Task:
        """Return the task after more turns, which are added to its own."""
        standing = self.standing
        for turn in turns:
            for act in acts_of(turn):
                self.acts.append(act._replace(number=len(self.turns), step=turn))
                standing = standing.after(self.acts[-1])
            self.turns.append(turn)
        return self._replace(standing=standing)


def attempts_of(
    turns: Sequence[Turn], session: str, where: Mapping[str, str | None], now_s: float
) -> list[Episode]:
    """Return the tasks of a session of which it is seen how they ended, each with its steps.

    where: the project and the branch. now_s: when what has no time of its own took place.
    """
    tasks = _tasks(safe_turns(turns))
    committed = max((place for place, task in enumerate(tasks) if task.is_committed), default=-1)
    about = {**where, "session": session}
    by_name: dict[str, Episode] = {}
    for place, task in enumerate(tasks):
        outcome = _outcome(task, last=task is tasks[-1])
        # What was changed before a commit, and not found wanting, is in it.
        if outcome is None and task.acts and place < committed:
            outcome = "success"
        prompt = task.turns[0].text
        asked = task.subject if asks_nothing(prompt) else _asked(prompt)
        if outcome and asked and not task.is_bookkeeping:
            name = _name(session, prompt)
            by_name[name] = _episode(name, asked, task, outcome, about, now_s)
    return list(by_name.values())[-TASKS_MAX:]


def is_taken_back(turns: Sequence[Turn]) -> bool:
    """Whether the user did not want what was done last."""
    worked = [task for task in _tasks(turns) if task.acts]
    return bool(worked) and worked[-1].is_taken_back


def beginnings(turns: Sequence[Turn]) -> list[int]:
    """Return where each task of a session begins."""
    first = next((place for place, turn in enumerate(turns) if turn.role == "user"), 0)
    return list(accumulate((len(task.turns) for task in _prompted(turns)), initial=first))[:-1]


def _tasks(turns: Sequence[Turn]) -> list[Task]:
    """Return the tasks; what is only written down belongs to the last that did something."""
    tasks: list[Task] = []
    worked: int | None = None
    for task in _prompted(turns):
        if worked is not None and task.is_bookkeeping:
            tasks[worked] = tasks[worked].going_on(task.turns)
            continue
        tasks.append(task)
        worked = len(tasks) - 1 if task.acts else worked
    return tasks


def _prompted(turns: Sequence[Turn]) -> Iterator[Task]:
    """Yield prompts with what follows; what stands before the first prompt belongs to none."""
    task: Task | None = None
    for turn in turns:
        begins = turn.role == "user" and (task is None or not _belongs(turn, task))
        if begins and task is not None:
            yield task
        if begins:
            task = Task([turn], [])
        elif task is not None:
            task = task.going_on([turn])
    if task is not None:
        yield task


def _belongs(prompt: Turn, task: Task) -> bool:
    """Whether a prompt goes on with a task and does not begin another."""
    if is_nod(prompt.text) or task.standing.colour == "red":
        return True
    if not task.acts:
        said = task.turns[-1]
        return said.role == "assistant" and said.text.rstrip().endswith("?")
    return objects(prompt.text)


def _outcome(task: Task, *, last: bool) -> str | None:
    """Return how a task ended, as far as that was seen."""
    if not task.acts:
        return None
    said = [place for place, turn in enumerate(task.turns) if place and turn.role == "user"]
    answered = bool(said) and task.acts[-1].number < said[-1]
    reaction = task.turns[said[-1]].text if answered else ""
    if task.is_taken_back:
        return "failure"
    if task.standing.colour == "red" or objects(reaction):
        return ABANDONED if last and task.turns[-1].role != "assistant" else "failure"
    if task.standing.colour == "partial":
        return "partial"
    return "success" if task.standing.colour == "green" or praises(reaction) else None


def _episode(
    name: str, asked: str, task: Task, outcome: str, about: dict[str, str | None], now_s: float
) -> Episode:
    files = list(dict.fromkeys(e.path for turn in task.turns if (e := edit_of(turn))))
    times = [turn.at for turn in task.turns if turn.at is not None] or [now_s]
    context = about | {"language": _language(files)}
    steps = tuple(_steps(task, times[0]))
    return Episode(
        id=name,
        task=asked,
        task_type=TASK_TYPE,
        context={key: value for key, value in context.items() if value},
        tags=_tags(task, files),
        outcome=outcome,
        verdict=_verdict(task),
        artifacts=tuple(files[:_FILES_MAX]),
        created=min(times),
        completed=max(times),
        step_count=len(steps),
        steps=steps,
    )


def _name(session: str, prompt: str) -> str:
    """Return the same name for the same task, whenever and however much of it is read."""
    text = f"{session}\n{' '.join(prompt.split())}"
    return f"ep_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _asked(prompt: str) -> str:
    """Return what a prompt asks for: what was said, without code and what was pasted."""
    whole = " ".join(sentences(prompt))
    if len(whole) <= _TASK_CHARS:
        return whole
    # Before what was pasted, or after it, stands what is to be done with it.
    parts = [part for part in prompt.split("\n\n") if part.strip()]
    half = _TASK_CHARS // 2
    return " ".join(dict.fromkeys(clip_at_word(part, half) for part in (parts[0], parts[-1])))


def _steps(task: Task, began_s: float) -> Iterator[Step]:
    """Yield what was done, one step for each use of a tool; of very many the first and the last."""
    turns = list({id(act.step): act.step for act in task.acts}.values())
    if len(turns) > STEPS_MAX:
        turns = [*turns[: STEPS_MAX // 2], *turns[-STEPS_MAX // 2 :]]
    wrong = {id(act.step) for act in task.acts if not act.ok}
    for number, turn in enumerate(turns, 1):
        edit, ok = edit_of(turn), id(turn) not in wrong
        yield Step(
            number,
            "edit" if edit else "bash",
            "edit" if edit else clip(turn.input, _ACTION_CHARS),
            {"path": edit.path, "change": edit.what} if edit else {},
            "" if edit else _seen(turn.text, ok=ok),
            ok,
            at=turn.at or began_s,
        )


def _seen(output: str, *, ok: bool) -> str:
    """Return what is to be seen in an output: its last line, or what tells of the failure."""
    if ok:
        return without_secrets(clip(output.strip().rpartition("\n")[2], _SEEN_CHARS))
    if len(output) <= _ERROR_CHARS:
        return output
    return f"{error_line(output)}\n…\n{output[-_ERROR_CHARS // 2 :]}"


def _verdict(task: Task) -> str:
    """Return what was said of trouble on the way, in its order: by the agent, and by the user."""
    objections = [
        (place, BY_USER + _one_sentence(turn.text))
        for place, turn in enumerate(task.turns)
        if place and turn.role == "user" and _says_why(turn.text)
    ]
    failed = next((act for act in reversed(task.acts) if not act.ok), None)
    said = [(place, turn.text) for place, turn in enumerate(task.turns) if turn.role == "assistant"]
    after = [each for each in said if each[0] > (failed.number if failed else 0)] or said
    if task.standing.failed:
        # What was seen outweighs what is claimed.
        after = [each for each in after if not boasts(each[1])]
    if failed is None and not objections and not any(_tells_cause(text) for _, text in after):
        return ""
    place, closing = _closing(task, after, failed.output if failed else "")
    parts = [(place, f"{BY_AGENT if objections else ''}{closing}")] if closing else []
    told = [text for _, text in sorted([*parts, *objections[-1:]])]
    return " ".join([*told, _TAKEN_BACK] if task.is_taken_back else told)


def _says_why(prompt: str) -> bool:
    return takes_back(prompt) or (objects(prompt) and not is_nod(prompt))


def _closing(task: Task, said: Sequence[tuple[int, str]], error: str) -> tuple[int, str]:
    """Return the cause that the agent stated, else its longest words, and where it did."""
    sound = [(place, text) for place, text in said if not is_refuted(task.turns, place)]
    at, cause = best_cause([text for _, text in sound], error)
    if cause:
        return sound[at][0], cause
    # The longest explains; others say that it was committed.
    place, text = max(said, key=lambda each: len(each[1]), default=(0, ""))
    return place, clip_at_word(" ".join(sentences(text)), _SAID_CHARS)


def _one_sentence(text: str) -> str:
    """Return the words of a user so that they are quoted as one sentence."""
    *before, last = list(sentences(text)) or [text]
    said = clip_at_word("; ".join([*(one.rstrip(".") for one in before), last]), _OBJECTION_CHARS)
    return said if said.endswith(_ENDS) else f"{said}."


def _tells_cause(text: str) -> bool:
    return any(kind_of(sentence, "assistant") == "insight" for sentence in sentences(text))


def _language(files: Sequence[str]) -> str | None:
    kinds = (_LANGUAGES.get(path.rpartition(".")[2]) for path in files)
    most = Counter(filter(None, kinds)).most_common(1)
    return most[0][0] if most else None


def _tags(task: Task, files: Sequence[str]) -> tuple[str, ...]:
    """Return the files and the programs that a task was about."""
    ran = [act.did.name.split(" ", 1)[0] for act in task.acts if not edit_of(act.step)]
    names = [*map(stem, files), *(stem(program) for program in ran if program != "git")]
    return tuple(dict.fromkeys(name[:60] for name in names if name))[:_TAGS_MAX]
