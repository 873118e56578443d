"""`milepost hook --explain EVENT`: what would be told, why and by which way; writes nothing."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from milepost.config import Settings, settings_of, trace_settings
from milepost.errors import ConfigError
from milepost.sessions.values import Explained, Reason
from milepost.surfaces import reach, warm
from milepost.surfaces.hooks import INPUT_BYTES_MAX, chain, is_elsewhere, read_fields
from milepost.surfaces.hooks.dialects import dialect_of, translated
from milepost.surfaces.hooks.events import HookEvent, about_start
from milepost.surfaces.hooks.options import Options, load_options
from milepost.text.lines import clip, counted

_WRITERS = {
    "post-tool-use": "leaves a line about the tool's call beside the store, to be read later",
    "stop": "leaves what was said beside the store and has the turn read in the background",
    "session-end": "has the whole session read in the background",
    "pre-compact": "keeps what the context is about to lose; the next session-start gives it back",
}


class WayTried(NamedTuple):
    """A way to the memory, and how it did."""

    way: str
    ms: float
    problem: str
    is_taken: bool


class Explanation(NamedTuple):
    """What a hook would do."""

    event: str
    client: str
    project: str | None
    branch: str
    does: str
    asked: tuple[str, ...]
    ways: tuple[WayTried, ...]
    text: str
    tokens: int
    memories: tuple[Reason, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def explain(name: str, flags: Mapping[str, object] | None = None) -> Explanation:
    """Return what a hook would tell if the client sent what stands on standard input."""
    origins = trace_settings(flags)
    settings, options = settings_of(origins), load_options(origins)
    given = _given(name)
    dialect = dialect_of(given)
    fields = translated(given, dialect)
    until = time.monotonic() + options.timeout_ms / 1e3
    event = HookEvent(fields, settings, options, until, name in dialect.tells, [])
    project = event.project
    known = Explanation(
        name, dialect.client, project.name, project.branch, "", (), (), "", 0, (), _notes(options)
    )
    if name in _WRITERS:
        return known._replace(does=_WRITERS[name])
    asked = about_start(event) if name == "session-start" else _about_prompt(event)
    if not event.is_told:
        note = f"{dialect.client} takes nothing from a hook at this event"
        known = known._replace(notes=(*known.notes, note))
    return _told(known, event, asked)


def _given(name: str) -> dict[str, Any]:
    """Return what the client would send; from a terminal, that a session starts here."""
    if not sys.stdin.isatty():
        return read_fields(sys.stdin.buffer.read(INPUT_BYTES_MAX) or b"{}")
    if name == "prompt-submit":
        raise ConfigError(
            'A prompt is needed: echo \'{"prompt": "why did we …?"}\' | '
            "milepost hook --explain prompt-submit"
        )
    return {"cwd": os.getcwd(), "source": "startup"}


def _notes(options: Options) -> tuple[str, ...]:
    if is_elsewhere(options.python):
        return (f"hooks are answered by {options.python}; this is what this environment says",)
    return ()


def _about_prompt(event: HookEvent) -> dict[str, Any]:
    project = event.project
    about = {"session": event.session, "project": project.name, "folder": project.root or None}
    return {"prompt": event.text("prompt"), **about}


def _told(known: Explanation, event: HookEvent, asked: dict[str, Any]) -> Explanation:
    operation = "brief" if known.event == "session-start" else "remind"
    attempts = [
        chain.tried(way, time.monotonic() + event.options.timeout_ms / 1e3)
        for way in _harmless_ways(event, operation, asked)
    ]
    taken = next((attempt for attempt in attempts if not attempt.problem), None)
    ways = tuple(
        WayTried(a.way, round(a.seconds * 1e3, 1), a.problem, a is taken) for a in attempts
    )
    known = known._replace(ways=ways)
    # A warm process and the store say the same; a plain reading has no reasons to give.
    answers = [attempt.answer for attempt in attempts if not attempt.problem and attempt.answer]
    if not answers:
        return known
    told: Explained = answers[0]
    text, tokens = told.briefing.text, told.briefing.tokens
    return known._replace(text=text, tokens=tokens, asked=told.asked, memories=told.memories)


def _harmless_ways(event: HookEvent, operation: str, asked: dict[str, Any]) -> list[chain.Way]:
    """Return the ways of the chain, each asked something that writes nothing."""
    settings = event.settings
    harmless: dict[str, Callable[[], Explained | None]] = {
        chain.WARM: lambda: _answers(warm.call(settings, "health", (), {})),
        chain.SERVER: lambda: _answers(reach.memory_of(settings).health()),
        chain.STORE: lambda: _rehearsed(settings, operation, asked),
        chain.MCP: lambda: _listed(event.options),
        chain.PLAIN: lambda: Explained(chain.read_plainly(settings, asked)),
    }
    ways = chain.ways(settings, event.options, operation, asked)
    return [chain.Way(way.name, harmless[way.name]) for way in ways]


def _answers(_health: object) -> None:
    """Tell no more than that something answered."""


def _listed(options: Options) -> None:
    from milepost.surfaces.hooks.mcp import connected

    with connected(options.server, time.monotonic() + options.timeout_ms / 1e3) as call:
        call("tools/list", {})


def _rehearsed(settings: Settings, operation: str, asked: dict[str, Any]) -> Explained:
    """Return what an operation tells, and why, in a transaction that is undone."""
    from milepost.sessions.explaining import explain_brief, explain_remind
    from milepost.surfaces.cli.dry_run import rehearsing

    with rehearsing(settings) as opening:
        explained = explain_brief if operation == "brief" else explain_remind
        return explained(opening, asked)


def _lines(known: Explanation) -> Iterator[str]:
    """Yield an explanation as people read it."""
    yield f"event    {known.event}, as {known.client} tells of it"
    yield f"project  {known.project or 'none'}"
    if known.branch:
        yield f"branch   {known.branch}"
    if known.does:
        yield f"does     {known.does}; tells nothing"
    yield from (f"asked    {clip(text, 100)}" for text in dict.fromkeys(known.asked))
    for way in known.ways:
        how = clip(way.problem, 160) or f"answers{', would be taken' if way.is_taken else ''}"
        yield f"way      {way.way}: {how} ({way.ms:.0f} ms)"
    yield from (f"note     {note}" for note in known.notes)
    yield from _memories(known)


def _memories(known: Explanation) -> Iterator[str]:
    if known.does:
        return
    told = [row for row in known.memories if row.is_told]
    yield (
        f"\ntold: {counted(len(told), 'memory')}, about {known.tokens:,} tokens"
        if told
        else ("\n" + (known.text or "told: nothing"))
    )
    yield from map(_memory, told)
    rest = [row for row in known.memories if not row.is_told]
    if rest:
        yield "\nleft out:"
        yield from map(_memory, rest)


def _memory(row: Reason) -> str:
    return f"  {row.hash} {row.likelihood:.2f} {row.why}\n           {row.text}"
