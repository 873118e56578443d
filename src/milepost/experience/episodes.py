"""Write down what is tried, step by step, from its beginning to its end."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from milepost.errors import InvalidInput, NotFound
from milepost.experience import arguments
from milepost.experience.entries import analysed_episode
from milepost.experience.learning import IDLE_US, forget_episode
from milepost.experience.recording import (
    Stepping,
    WrittenSteps,
    beginning,
    checking,
    episode_name,
    find_episode,
    looked_back,
    renewed,
    written_end,
)
from milepost.experience.values import (
    ABANDONED,
    FOLLOWS,
    RETRY_OF,
    Completion,
    Episode,
    EpisodeChanges,
    Step,
)
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.keeping import refuse_held
from milepost.memory.validation import REDACT, Intake
from milepost.memory.values import Deleted
from milepost.once import call_of, settle
from milepost.operation import operation
from milepost.upkeep.jobs import Worker
from milepost.upkeep.names import new_name
from milepost.upkeep.recorder import Keeping, Prepared, Recorder, Write, keeping

if TYPE_CHECKING:
    from milepost.text.mending import Act

STEPS_MAX = 10_000


class RecordEpisodes(Service):
    """The operations that write down what is tried."""

    @operation(
        "episode",
        example=(
            'create_episode("fix the flaky login test", '
            '{"language": "python", "domain": "auth"}, task_type="debugging", id="login-7")'
        ),
        aliases=("start_episode",),
    )
    def create_episode(
        self,
        task: str,
        context: Mapping[str, Any] | None = None,
        task_type: str = "general",
        tags: str | Sequence[str] | None = None,
        retry_of: str | None = None,
        follows: str | None = None,
        id: str | None = None,
        wait: bool = True,
    ) -> str:
        """Begin an episode, a task of which each step is written down, and return its id.

        Without waiting nobody is told how many secrets were hidden in it.

        task: what is to be done, in words.
        context: where: language, framework, domain, complexity (low, medium, high), tags.
        task_type: what kind of task, such as coding, debugging, refactoring.
        tags: words to filter by.
        retry_of: the episode that it tries again.
        follows: the episode that it carries on.
        id: a name of your own; the same one again begins nothing new.
        wait: return when it is on disk; else it is written some milliseconds later.
        """
        here = self._context
        waiting, intake = validation.flag("wait", wait), here.intake()
        check = intake if waiting else checking(here)
        related = ((RETRY_OF, retry_of), (FOLLOWS, follows))
        relations = [
            (name, find_episode(here, other).id) for name, other in related if other is not None
        ]
        now_us = here.clock()
        about = arguments.place(check, context)
        labels = (*check.tags(tags), *check.tags(about.get("tags")))
        begun = Episode(
            id=new_name("ep", now_us) if id is None else episode_name(intake, id),
            task=check.text("task", task, arguments.TASK_CHARS),
            task_type=check.name("task_type", task_type),
            context=about,
            tags=tuple(dict.fromkeys(labels)),
            created=now_us / 1e6,
            relations=tuple(relations),
        )
        recorder = here.part(Recorder)
        keep = keeping(lambda _: intake.told(begun.id), "create_episode")
        if waiting or keep:
            begun = begun if waiting else _hidden(here, begun)
            recorder.write(here.space, [_beginning(here, begun, now_us)], keep)
        else:
            recorder.put(here.space, Prepared(lambda: _prepared(here, begun, now_us)))
            here.part(WrittenSteps).remember((here.space, begun.id), 0)
        return intake.told(begun.id)

    @operation(
        "episode",
        example=(
            'add_step("ep_04wzxy3m8kq2", "bash", "pytest tests/test_login.py", '
            'observation="1 failed", success=False)'
        ),
        aliases=("log_step",),
        renamed={"id": "episode", "episode_id": "episode"},
    )
    def add_step(
        self,
        episode: str,
        tool: str,
        action: str,
        parameters: Mapping[str, Any] | None = None,
        observation: str | None = None,
        success: bool = True,
        latency_ms: float | None = None,
        tokens: int | None = None,
        number: int | None = None,
        wait: bool = True,
    ) -> int:
        """Write down a step of an episode and return its number.

        A number that another step has already gives the step the next free one; the very same step
        again is ignored. Without waiting nobody is told how many secrets were hidden in it.

        episode: the id of the episode.
        tool: what was used.
        action: what was done, such as a command.
        parameters: what it was done with, as JSON.
        observation: what was seen then; of a long one the beginning and the end are kept.
        success: whether it worked.
        latency_ms: how long it took.
        tokens: what it cost.
        number: its place, when steps come out of order; a taken one is not overwritten.
        wait: return when it is on disk; else it is written some milliseconds later.
        """
        context = self._context
        values = tool, action, parameters, observation, success, latency_ms, tokens, number
        fields = dict(zip(arguments.STEP_FIELDS, values, strict=True))
        name, now_s = _asked(context, episode), context.now_s
        if validation.flag("wait", wait) or call_of("add_step"):
            intake = context.intake()
            step = arguments.step(intake, fields, now_s)
            keep = keeping(lambda numbers: intake.told(numbers[0]), "add_step")
            return intake.told(_written(context, name, [step], keep)[0])
        step = arguments.step(checking(context), fields, now_s)
        key, numbers = (context.space, name), context.part(WrittenSteps)
        following = numbers.following(key)
        if following is None:
            raise _unknown(name)
        # Whoever gave them may change them meanwhile.
        fields["parameters"] = step.parameters
        write = Prepared(lambda: _stepping(context, name, fields, now_s))
        context.part(Recorder).put(context.space, write)
        numbers.remember(key, taken := step.number or following)
        return taken

    @operation(
        "episode",
        example=(
            'add_steps("ep_04wzxy3m8kq2", [{"tool": "bash", "action": "ls"}, '
            '{"tool": "edit", "action": "login.py"}])'
        ),
    )
    def add_steps(self, episode: str, steps: Sequence[Mapping[str, Any]]) -> list[int]:
        """Write down many steps of an episode at once and return their numbers.

        episode: the id of the episode.
        steps: mappings with the parameters of add_step.
        """
        context = self._context
        if isinstance(steps, str | bytes | Mapping) or not isinstance(steps, Iterable):
            raise InvalidInput("steps must be a list of mappings with add_step's parameters.")
        name, now_s = _asked(context, episode), context.now_s
        items = [arguments.step_fields(step) for step in steps]
        if len(items) > STEPS_MAX:
            raise InvalidInput(f"give at most {STEPS_MAX:,} steps at once, not {len(items):,}.")
        if not items:
            find_episode(context, name)
        intakes = [context.intake() for _ in items]
        parsed = [arguments.step(*each, now_s) for each in zip(intakes, items, strict=True)]

        def told(numbers: Sequence[int]) -> list[int]:
            return [intake.told(number) for intake, number in zip(intakes, numbers, strict=True)]

        return told(_written(context, name, parsed, keeping(told, "add_steps")))

    @operation(
        "episode",
        example='complete_episode("ep_04wzxy3m8kq2", "success", "the clock was not frozen")',
    )
    def complete_episode(
        self,
        episode: str,
        outcome: str,
        verdict: str = "",
        artifacts: str | Sequence[str] | None = None,
        wait: bool = True,
    ) -> Completion:
        """End an episode; return its reward and what there is to learn from it.

        episode: the id of the episode.
        outcome: success, partial, failure or abandoned.
        verdict: in a sentence, why it ended so; for partial, how much was done.
        artifacts: what came of it, such as files or commits.
        wait: return when it is on disk; else it is written some milliseconds later.
        """
        context = self._context
        intake = context.intake()
        ended, why = arguments.outcome(outcome), arguments.verdict(intake, verdict)
        results, waiting = arguments.artifacts(intake, artifacts), validation.flag("wait", wait)
        known = find_episode(context, episode)
        if known.outcome in (None, ABANDONED) and known.outcome != ended:
            known = known._replace(outcome=ended, verdict=why, artifacts=results)
            known = known._replace(completed=context.now_s)
            known = _closed(context, known, intake, waiting=waiting)
        if known.outcome != ended:
            raise InvalidInput(
                f"{known.id} ended as {known.outcome} already; begin another with "
                f"create_episode(…, retry_of={known.id!r})."
            )
        return intake.told(_completion(known))

    @operation(
        "episode", example='update_episode("ep_04wzxy3m8kq2", tags=["flaky"])', idempotent=True
    )
    def update_episode(
        self,
        episode: str,
        task: str | None = None,
        task_type: str | None = None,
        context: Mapping[str, Any] | None = None,
        tags: str | Sequence[str] | None = None,
        verdict: str | None = None,
    ) -> str:
        """Change what is said about an episode and return its id.

        episode: the id of the episode.
        task: the task it shall have.
        task_type: the kind of task it shall have.
        context: the context it shall have instead.
        tags: the tags it shall have instead.
        verdict: the verdict it shall have.
        """
        here = self._context
        intake = here.intake()
        about = None if context is None else dict(arguments.place(intake, context))
        changes = EpisodeChanges(
            task=None if task is None else intake.text("task", task, arguments.TASK_CHARS),
            task_type=intake.optional_name("task_type", task_type),
            context=about,
            tags=None if tags is None else intake.tags(tags),
            verdict=None if verdict is None else arguments.verdict(intake, verdict),
        )
        known = find_episode(here, episode)
        changed = {k: v for k, v in changes._asdict().items() if v is not None}
        if changed:
            steps = tuple(here.store.episodes.steps(here.space, known.id))
            refuse_held(here, episodes=[known._replace(steps=steps)])
            entry = renewed(here, known._replace(**changed))
            with here.store.writing() as work:
                work.episodes.change(here.space, known.id, changes, here.clock())
                work.memories.put(entry)
        return intake.told(known.id)

    @operation("episode", example='delete_episode("ep_04wzxy3m8kq2")', destructive=True)
    def delete_episode(self, episode: str) -> Deleted:
        """Delete an episode for good, with its steps and all that rests on it alone.

        episode: the id of the episode.
        """
        context = self._context
        found = find_episode(context, episode)
        name = found.id
        deleted = Deleted(1, (name,))
        steps = context.store.episodes.steps(context.space, name)
        refuse_held(context, episodes=[found._replace(steps=tuple(steps))])
        with context.store.writing() as work:
            forget_episode(context, name)
            settle(work, deleted, "delete_episode")
        return deleted

    @operation(
        "episode",
        example='relate_episodes("ep_04wzxy3m8kq2", "retry of", "ep_04wzxw1c7rt9")',
        idempotent=True,
    )
    def relate_episodes(self, episode: str, relation: str, other: str) -> str:
        """Say how an episode relates to another, and return its id.

        episode: the id of the episode.
        relation: such as "retry of", "follows", "blocks".
        other: the id of the other episode.
        """
        context = self._context
        intake = context.intake()
        name = intake.name("relation", relation)
        one, second = find_episode(context, episode).id, find_episode(context, other).id
        if one == second:
            raise InvalidInput("an episode cannot relate to itself; name another one.")
        changes = EpisodeChanges(relation=(name, second))
        context.store.episodes.change(context.space, one, changes, context.clock())
        return intake.told(one)


def _asked(context: Context, value: object) -> str:
    """Return the id under which an episode was begun."""
    return episode_name(context.lenient().intake(), value)


def _hidden(context: Context, begun: Episode) -> Episode:
    """Return an episode that was only checked as it may be written."""
    intake = context.intake()
    return begun._replace(
        task=intake.text("task", begun.task, arguments.TASK_CHARS),
        task_type=intake.name("task_type", begun.task_type),
        context=intake.metadata(begun.context, "context"),
        tags=intake.tags(begun.tags),
    )


def _prepared(context: Context, begun: Episode, now_us: int) -> Write:
    from milepost.experience.closing import task_words

    begun = _hidden(context, begun)
    task_words(begun.task)  # which are remembered until it ends
    return _beginning(context, begun, now_us)


def _beginning(context: Context, begun: Episode, now_us: int) -> Write:
    entry = analysed_episode(context, begun)
    return beginning(context.space, begun, entry, now_us + IDLE_US)


def _stepping(context: Context, name: str, fields: Mapping[str, Any], now_s: float) -> Write:
    from milepost.experience.steps import acts_by
    from milepost.text.mending import marks

    step = arguments.step(context.intake(), fields, now_s)
    # What was read of it is remembered, and need not be read when the episode ends.
    for act in acts_by(step):
        marks(act.did)
    held = context.part(WrittenSteps)

    def hold(steps: Sequence[Step]) -> None:
        for known in steps:
            held.hold((context.space, name), known, acts_by(known))

    return Stepping(context.space, name, [step], hold)


def _written(context: Context, name: str, steps: Sequence[Step], keep: Keeping | None) -> list[int]:
    numbers = context.part(Recorder).write(
        context.space, [Stepping(context.space, name, [step]) for step in steps], keep
    )
    if 0 in numbers:
        raise _unknown(name)
    if numbers:
        context.part(WrittenSteps).remember((context.space, name), max(numbers))
    return numbers


def _unknown(name: str) -> NotFound:
    return NotFound(f"There is no episode {name}; create_episode begins one.")


def _completion(ended: Episode) -> Completion:
    return Completion(ended.id, ended.outcome or "", ended.reward or 0.0, ended.insights)


def _closed(context: Context, episode: Episode, intake: Intake, *, waiting: bool) -> Episode:
    """Write that an episode ended, and return it as it then is."""
    from milepost.experience.closing import redacted

    steps, done = _steps_of(context, episode)
    ended, now_us = looked_back(context, episode._replace(steps=steps), done), context.clock()
    recorder, too_late = context.part(Recorder), False
    keep = keeping(lambda _: intake.told(_completion(ended.episode)), "complete_episode")
    waiting = waiting or keep is not None
    if waiting or context.secrets != REDACT:
        ended = redacted(ended)
    if waiting:
        write = written_end(context, ended, now_us)
        too_late = recorder.write(context.space, [write], keep) == [0]
    else:
        # Who gave the steps is told in their words, which hold no secrets by now.
        ending = Prepared(lambda: written_end(context, redacted(ended), now_us))
        recorder.put(context.space, ending)
    context.part(WrittenSteps).forget((context.space, episode.id))
    context.part(Worker).wake()
    # Another may have ended it a moment ago.
    return find_episode(context, episode.id) if too_late else ended.episode


def _steps_of(context: Context, episode: Episode) -> tuple[tuple[Step, ...], "list[Act] | None"]:
    """Return the steps of an episode, and what they did if that is known."""
    held = context.part(WrittenSteps).held((context.space, episode.id), episode.step_count)
    if held is not None:
        return held
    return tuple(context.store.episodes.steps(context.space, episode.id)), None
