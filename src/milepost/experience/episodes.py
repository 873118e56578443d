"""Write down what is tried, step by step, and look at what was tried before."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from milepost.errors import InvalidInput, NotFound
from milepost.experience.ids import new_name
from milepost.experience.learning import IDLE_US, close, forget_lessons, renewed
from milepost.experience.lookup import (
    SALIENT,
    analysed,
    entry_hash,
    episode_entry,
    episode_name,
    episodes_beside,
    find,
    find_episode,
    label,
    lined_up,
    nearest,
)
from milepost.experience.recording import Recorder, beginning, stepping
from milepost.experience.summaries import compact, fit_rows, handover, shortened
from milepost.experience.values import (
    ABANDONED,
    OPEN,
    OUTCOMES,
    Checkpoint,
    Completion,
    Episode,
    EpisodeChanges,
    EpisodeFilter,
    EpisodeList,
    Event,
    Handover,
    Reward,
    Step,
    Timeline,
)
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.intake import Intake
from milepost.memory.validation import Moment
from milepost.memory.values import Deleted, Filter
from milepost.operation import operation
from milepost.upkeep.jobs import Worker

TASK_CHARS = 4_000
ACTION_CHARS = 4_000
VERDICT_CHARS = 10_000
# Of what a tool said, the beginning and the end are kept: what it is and how it ended.
OBSERVATION_CHARS = 20_000
STEPS_MAX = 10_000
ARTIFACTS_MAX = 100
# As the salience of episodes knows it.
_RETRY_OF, _FOLLOWS = "retry of", "follows"


class Episodes(Service):
    """The operations about what is tried."""

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
        intake = here.intake()
        related = ((_RETRY_OF, retry_of), (_FOLLOWS, follows))
        relations = [
            (name, find_episode(here, other).id) for name, other in related if other is not None
        ]
        now = here.clock()
        given = intake.metadata(context, "context")
        labels = (*intake.tags(tags), *intake.tags(given.get("tags")))
        begun = Episode(
            id=new_name(now) if id is None else episode_name(intake, id),
            task=intake.text("task", task, TASK_CHARS),
            task_type=intake.name("task_type", task_type),
            context=given,
            tags=tuple(dict.fromkeys(labels)),
            outcome=None,
            verdict="",
            artifacts=(),
            created=now / 1e6,
            completed=None,
            reward=None,
            insights=(),
            salience=None,
            relations=tuple(relations),
            step_count=0,
        )
        waiting, recorder = validation.flag("wait", wait), here.part(Recorder)
        entry = analysed(here.texts, [episode_entry(here.space, begun)])[0]
        write = beginning(here.space, begun, entry, now + IDLE_US)
        if waiting:
            recorder.write([write])
        else:
            recorder.put(write)
            recorder.remember((here.space, begun.id), 0)
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
        again is ignored.

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
        given = {
            "tool": tool,
            "action": action,
            "parameters": parameters,
            "observation": observation,
            "success": success,
            "latency_ms": latency_ms,
            "tokens": tokens,
            "number": number,
        }
        intake, name = context.intake(), _asked(context, episode)
        step = _step(intake, given, context.clock())
        if validation.flag("wait", wait):
            return intake.told(_written(context, name, [step])[0])
        key, recorder = (context.space, name), context.part(Recorder)
        following = recorder.next_step(key)
        if following is None:
            raise _unknown(name)
        recorder.put(stepping(context.space, name, [step]))
        recorder.remember(key, taken := step.number or following)
        return intake.told(taken)

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
        name, now = _asked(context, episode), context.clock()
        given = [_fields(step) for step in steps]
        if len(given) > STEPS_MAX:
            raise InvalidInput(f"give at most {STEPS_MAX:,} steps at once, not {len(given):,}.")
        if not given:
            find_episode(context, name)
        intakes = [context.intake() for _ in given]
        made = [_step(*each, now) for each in zip(intakes, given, strict=True)]
        numbers = _written(context, name, made)
        return [intake.told(number) for intake, number in zip(intakes, numbers, strict=True)]

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
        ended, why = _outcome(outcome), _verdict(intake, verdict)
        made, waiting = _artifacts(intake, artifacts), validation.flag("wait", wait)
        found = _whole(context, episode)
        if found.outcome in (None, ABANDONED) and found.outcome != ended:
            then = found._replace(
                outcome=ended, verdict=why, artifacts=made, completed=context.clock() / 1e6
            )
            found = _closed(context, then, waiting=waiting)
        if found.outcome != ended:
            raise InvalidInput(
                f"{found.id} ended as {found.outcome} already; begin another with "
                f"create_episode(…, retry_of={found.id!r})."
            )
        return intake.told(_completion(found))

    @operation(
        "episode",
        example='get_episode("ep_04wzxy3m8kq2")',
        read_only=True,
        aliases=("view_episode",),
    )
    def get_episode(self, episode: str, steps: bool = True, budget: int | None = None) -> Episode:
        """Show an episode with its steps, its reward and its reflection.

        episode: the id of the episode.
        steps: whether to show its steps.
        budget: ceiling in tokens for its text; steps in the middle are then left out.
        """
        context = self._context
        ceiling = validation.budget(budget)
        if not validation.flag("steps", steps):
            return find_episode(context, episode)
        found = _whole(context, episode)
        return found if ceiling is None else shortened(found, ceiling)

    @operation(
        "episode",
        example='list_episodes(outcome="failure", limit=5)',
        read_only=True,
    )
    def list_episodes(
        self,
        outcome: str | None = None,
        task_type: str | None = None,
        domain: str | None = None,
        tags: str | Sequence[str] | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        limit: int = 20,
        budget: int | None = None,
    ) -> EpisodeList:
        """List the newest episodes.

        outcome: only those that ended so: success, partial, failure, abandoned; or open.
        task_type: only this kind of task.
        domain: only this domain.
        tags: only those with all of these tags.
        after: only those begun at or after this time.
        before: only those begun before this time.
        limit: how many to show at most.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        count, ceiling, now = validation.limit(limit), validation.budget(budget), context.clock()
        named = context.lenient().intake()
        where = EpisodeFilter(
            context.space,
            None if outcome is None else _outcome_or_open(outcome),
            named.optional_name("task_type", task_type),
            validation.optional_name("domain", domain),
            named.tags(tags),
            validation.moment("after", after, now),
            validation.moment("before", before, now),
        )
        context.part(Recorder).flush()
        found = context.store.episodes.find(where, count)
        total = len(found) if len(found) < count else context.store.episodes.count(where)
        return _shown([compact(episode) for episode in found], total, "", ceiling)

    @operation(
        "episode",
        example='search_episodes("login test fails now and then", limit=3)',
        read_only=True,
    )
    def search_episodes(
        self,
        query: str,
        limit: int = 5,
        outcome: str | None = None,
        task_type: str | None = None,
        domain: str | None = None,
        tags: str | Sequence[str] | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        include_minor: bool = False,
        budget: int | None = None,
    ) -> EpisodeList:
        """Find episodes by what they were about and what they taught, best first.

        query: what to look for, in words.
        limit: how many to show at most.
        outcome: only those that ended so: success, partial, failure, abandoned; or open.
        task_type: only this kind of task.
        domain: only this domain.
        tags: only those with all of these tags.
        after: only those begun at or after this time.
        before: only those begun before this time.
        include_minor: also those that taught nothing new.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        text, count = validation.query(query), validation.limit(limit)
        ceiling, now = validation.budget(budget), context.clock()
        minor = validation.flag("include_minor", include_minor)
        labels = [] if minor else [SALIENT]
        labels += [] if outcome is None else [label("outcome", _outcome_or_open(outcome))]
        named = context.lenient().intake()
        where_from = validation.optional_name("domain", domain)
        labels += [] if where_from is None else [label("domain", where_from)]
        labels += [label("tag", tag) for tag in named.tags(tags)]
        where = Filter(
            episodes_beside(context.space),
            now,
            tags=tuple(labels),
            match_all=True,
            kind=named.optional_name("task_type", task_type),
            after=validation.moment("after", after, now),
            before=validation.moment("before", before, now),
        )
        context.part(Recorder).flush()
        found = find(context, context.texts.probe(text), where, count)
        return _ranked(context, found, text, ceiling)

    @operation(
        "episode",
        example='similar_episodes("the login test fails now and then", limit=3)',
        read_only=True,
    )
    def similar_episodes(
        self,
        episode: str,
        limit: int = 5,
        outcome: str | None = None,
        budget: int | None = None,
    ) -> EpisodeList:
        """Find the episodes most like another one, or most like a task in words.

        episode: the id of an episode, or a task in words.
        limit: how many to show at most.
        outcome: only those that ended so: success, partial, failure, abandoned.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        given = validation.text("episode", episode, TASK_CHARS)
        count, ceiling = validation.limit(limit), validation.budget(budget)
        labels = [SALIENT]
        labels += [] if outcome is None else [label("outcome", _outcome(outcome))]
        space = episodes_beside(context.space)
        where = Filter(space, context.clock(), tags=tuple(labels), match_all=True)
        context.part(Recorder).flush()
        known = context.store.episodes.named(context.space, [given])
        if known:
            entry = analysed(context.texts, [episode_entry(context.space, known[0])])[0]
            return _ranked(context, nearest(context, entry, where, count), given, ceiling)
        probe = context.texts.probe(given)
        found = lined_up(context, given, probe, where, count, all_of_them=True)
        rows = [compact(episode, round(score, 3)) for episode, score in found]
        return _shown(rows, len(rows), given, ceiling)

    @operation("episode", example='episode_timeline("ep_04wzxy3m8kq2")', read_only=True)
    def episode_timeline(self, episode: str, budget: int | None = None) -> Timeline:
        """Show what happened in an episode in the order of time.

        episode: the id of the episode.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        ceiling = validation.budget(budget)
        found = _whole(context, episode)
        events = sorted(_events(found), key=lambda event: event.after_s)
        result = Timeline(found.id, found.task, tuple(events), len(events))
        if ceiling is None:
            return result
        return fit_rows(result, result.events, ceiling, lambda rows: result._replace(events=rows))

    @operation(
        "episode",
        example='update_episode("ep_04wzxy3m8kq2", tags=["flaky"])',
        idempotent=True,
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
        given = None if context is None else dict(intake.metadata(context, "context"))
        changes = EpisodeChanges(
            task=None if task is None else intake.text("task", task, TASK_CHARS),
            task_type=intake.optional_name("task_type", task_type),
            context=given,
            tags=None if tags is None else intake.tags(tags),
            verdict=None if verdict is None else _verdict(intake, verdict),
        )
        found = find_episode(here, episode)
        told = {k: v for k, v in changes._asdict().items() if v is not None}
        if told:
            entry = renewed(here, found._replace(**told))
            with here.store.writing() as work:
                work.episodes.change(here.space, found.id, changes, here.clock())
                work.memories.put(entry)
        return intake.told(found.id)

    @operation("episode", example='delete_episode("ep_04wzxy3m8kq2")', destructive=True)
    def delete_episode(self, episode: str) -> Deleted:
        """Delete an episode for good, with its steps and all that rests on it alone.

        episode: the id of the episode.
        """
        context = self._context
        found = find_episode(context, episode)
        with context.store.writing() as work:
            forget_lessons(context, work, found.id)
            entry = work.memories.record(episodes_beside(context.space), entry_hash(found.id))
            work.memories.remove([entry.id] if entry else [])
            work.episodes.remove(context.space, found.id)
        context.part(Recorder).forget((context.space, found.id))
        return Deleted(1, (found.id,))

    @operation(
        "episode",
        example='checkpoint_episode("ep_04wzxy3m8kq2", "the fixture is next")',
        aliases=("checkpoint",),
    )
    def checkpoint_episode(self, episode: str, note: str, agent: str | None = None) -> str:
        """Put an unfinished episode down with a note for whoever takes it up; return its id.

        episode: the id of the episode.
        note: what whoever goes on has to know: what is open, what comes next.
        agent: who puts it down.
        """
        context = self._context
        intake = context.intake()
        text = intake.text("note", note, VERDICT_CHARS)
        who = intake.optional_name("agent", agent)
        found = _open(context, episode)
        now = context.clock()
        point = Checkpoint(now / 1e6, text, who, found.step_count)
        context.store.episodes.change(
            context.space, found.id, EpisodeChanges(checkpoint=point), now
        )
        return intake.told(found.id)

    @operation(
        "episode",
        example='resume_episode("ep_04wzxy3m8kq2", agent="night shift")',
        aliases=("resume",),
    )
    def resume_episode(self, episode: str, agent: str | None = None, budget: int = 400) -> Handover:
        """Take up an unfinished episode: what was done, what failed, what is open.

        episode: the id of the episode.
        agent: who takes it up.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        ceiling, intake = validation.budget(budget) or 400, context.intake()
        who = intake.optional_name("agent", agent)
        _open(context, episode)
        found = _whole(context, episode)
        now = context.clock()
        point = Checkpoint(now / 1e6, "", who, found.step_count)
        context.store.episodes.change(
            context.space, found.id, EpisodeChanges(checkpoint=point), now
        )
        return intake.told(handover(found, ceiling))

    @operation("episode", example='explain_reward("ep_04wzxy3m8kq2")', read_only=True)
    def explain_reward(self, episode: str) -> Reward:
        """Show the terms of an episode's reward, and why each has its value.

        episode: the id of a completed episode.
        """
        context = self._context
        found = find_episode(context, episode)
        worth = context.store.episodes.reward(context.space, found.id)
        if worth is None:
            raise InvalidInput(f"{found.id} is still open; complete_episode gives it a reward.")
        return worth

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
        found, second = find_episode(context, episode), find_episode(context, other)
        if found.id == second.id:
            raise InvalidInput("an episode cannot relate to itself; name another one.")
        changes = EpisodeChanges(relation=(name, second.id))
        context.store.episodes.change(context.space, found.id, changes, context.clock())
        return intake.told(found.id)


def _asked(context: Context, given: object) -> str:
    """Return the id under which an episode was begun."""
    return episode_name(context.lenient().intake(), given)


def _whole(context: Context, given: object) -> Episode:
    found = find_episode(context, given)
    return found._replace(steps=tuple(context.store.episodes.steps(context.space, found.id)))


def _open(context: Context, given: object) -> Episode:
    found = find_episode(context, given)
    if found.outcome not in (None, ABANDONED):
        raise InvalidInput(f"{found.id} ended as {found.outcome}; only an open one is handed over.")
    return found


_FIELDS = ("tool", "action", "parameters", "observation", "success", "latency_ms", "tokens",
           "number")  # fmt: skip


def _fields(given: object) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InvalidInput(f"a step must be a mapping, not {type(given).__name__}.")
    unknown = [str(name) for name in given if name not in _FIELDS]
    if unknown:
        raise InvalidInput(
            f"a step has no field {unknown[0]!r}; the fields are {', '.join(_FIELDS)}."
        )
    return given


def _step(intake: Intake, given: Mapping[str, Any], now: int) -> Step:
    number, tokens = given.get("number"), given.get("tokens")
    return Step(
        number=0 if number is None else validation.whole("number", number, 1, 1_000_000_000),
        tool=intake.name("tool", given.get("tool")),
        action=intake.text("action", given.get("action"), ACTION_CHARS),
        parameters=intake.metadata(given.get("parameters"), "parameters"),
        observation=_observation(intake, given.get("observation")),
        success=validation.flag("success", given.get("success", True)),
        latency_ms=_latency(given.get("latency_ms")),
        tokens=None if tokens is None else validation.whole("tokens", tokens, 0, 1 << 40),
        at=now / 1e6,
    )


def _observation(intake: Intake, given: object) -> str:
    if given is None or given == "":
        return ""
    if isinstance(given, str) and len(given) > OBSERVATION_CHARS:
        head, tail = intake.ends("observation", given, OBSERVATION_CHARS // 2)
        left_out = f"\n… ({len(given) - len(head) - len(tail):,} characters left out) …\n"
        given = head + left_out + tail
    return intake.text("observation", given, 2 * OBSERVATION_CHARS)


def _latency(given: object) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < 1e12:
        raise InvalidInput(f"latency_ms must be a number from 0 on, not {given!r}.")
    return float(given)


def _written(context: Context, name: str, steps: Sequence[Step]) -> list[int]:
    recorder = context.part(Recorder)
    numbers = recorder.write([stepping(context.space, name, [step]) for step in steps])
    if 0 in numbers:
        raise _unknown(name)
    if numbers:
        recorder.remember((context.space, name), max(numbers))
    return numbers


def _unknown(name: str) -> NotFound:
    return NotFound(f"There is no episode {name}; create_episode begins one.")


def _outcome(given: object) -> str:
    if given not in OUTCOMES:
        raise InvalidInput(f"outcome must be one of {', '.join(OUTCOMES)}, not {given!r}.")
    return str(given)


def _outcome_or_open(given: object) -> str:
    return OPEN if given == OPEN else _outcome(given)


def _verdict(intake: Intake, given: object) -> str:
    return "" if given == "" else intake.text("verdict", given, VERDICT_CHARS)


def _artifacts(intake: Intake, given: object) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, str):
        given = given.split(",")
    if isinstance(given, Mapping | bytes) or not isinstance(given, Iterable):
        raise InvalidInput("artifacts must be a string or a list of strings.")
    found = tuple(intake.text("an artifact", one, 1_000) for one in given)
    if len(found) > ARTIFACTS_MAX:
        raise InvalidInput(f"name at most {ARTIFACTS_MAX} artifacts, not {len(found)}.")
    return found


def _closed(context: Context, episode: Episode, *, waiting: bool) -> Episode:
    """Write that an episode ended, and return it as it then is."""
    ended, write = close(context, episode)
    recorder = context.part(Recorder)
    known = False
    if waiting:
        known = recorder.write([write]) == [0]
    else:
        recorder.put(write)
    recorder.forget((context.space, episode.id))
    context.part(Worker).wake()
    # Another may have ended it a moment ago.
    return find_episode(context, episode.id) if known else ended


def _completion(episode: Episode) -> Completion:
    return Completion(
        episode.id,
        episode.outcome or "",
        episode.reward or 0.0,
        episode.insights,
    )


def _ranked(
    context: Context, found: Sequence[tuple[str, float]], query: str, ceiling: int | None
) -> EpisodeList:
    scores = dict(found)
    episodes = context.store.episodes.named(context.space, list(scores))
    rows = [compact(episode, round(scores[episode.id], 3), query) for episode in episodes]
    return _shown(rows, len(rows), query, ceiling)


def _shown(rows: Sequence[Any], total: int, query: str, ceiling: int | None) -> EpisodeList:
    result = EpisodeList(tuple(rows), total, query)
    if ceiling is None:
        return result
    return fit_rows(result, result.episodes, ceiling, lambda few: result._replace(episodes=few))


def _events(episode: Episode) -> list[Event]:
    def at(moment: float) -> float:
        return round(max(moment - episode.created, 0.0), 3)

    events = [Event(0.0, "begun", episode.task)]
    events += [Event(at(step.at), "step", str(step)) for step in episode.steps]
    events += [
        Event(at(p.at), "checkpoint" if p.note else "resumed", p.note or p.agent or "")
        for p in episode.checkpoints
    ]
    if episode.completed is not None:
        ended = f"{episode.outcome} {episode.verdict}".strip()
        events.append(Event(at(episode.completed), "ended", ended))
    return events
