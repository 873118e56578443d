"""What mended a failure: the changes between it and the same command going well."""

from __future__ import annotations

import re
from functools import lru_cache

from milepost.text.commands import Command, commands, is_shell
from milepost.text.expressions import lazy
from milepost.text.failures import error_line, signature, tells
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# A fix further away than this is rather another thing that was done.
_REACH, _NEAR, _CHANGES_MAX = 12, 3, 3
# To take back what was tried is to give it up, not to find another way.
_TAKING_BACK = (
    r"\b(?:un(?:do|install)|rollback|revert|reset|restore|abort|cancel|kill|rm|delete|down|stop)\b"
)
_NUMBERS = lazy(r"\d+")
# To write down what was changed mends nothing but what writes it down.
_BOOKKEEPING = frozenset(("git add", "git commit", "git push", "git tag"))


class Act(NamedTuple):
    """Something that was done, how it ended, its error's signature, and what it was read from."""

    did: Command
    ok: bool
    output: str = ""
    tool: str = "bash"
    error: str = ""
    number: int = 0
    step: Any = None

    @property
    def action(self) -> str:
        """Return what was done, without what is particular to this run."""
        return self.did.action

    @property
    def key(self) -> str:
        """Return what is the same when the same is done again."""
        return self.did.name.replace(" run ", " ")


class Mending(NamedTuple):
    """A failure, what was changed then, and what shows that it helped, be it another error."""

    failure: Act
    change: tuple[Act, ...]
    success: Act

    @property
    def cause_seen(self) -> bool:
        """Whether something was done otherwise; else all that is known is that it passed later."""
        return bool(self.change) or _way(self.success.did) != _way(self.failure.did)


def _way(did: Command) -> str:
    """Return how a command was run; of a check, which other options do not mend, only by what."""
    checks = did.effect == "checks"
    return did.text.partition(did.name.split(" ", 1)[0])[0] if checks else did.text


def act(did: Command, output: str, tool: str, *, ok: bool) -> Act:
    """Return something that was done, with the error that it met."""
    return Act(did, ok, output, tool, "" if ok else signature(output) or "no message")


def ran(line: str, output: str, tool: str = "bash", *, ok: bool) -> list[Act]:
    """Return what the commands of a line did; of those that only look the first if all do.

    When a line fails, what stands before the command that is to blame went well, and what stands
    behind it did not happen.
    """
    every, acting = run_in(line)
    if ok:
        return [act(did, output, tool, ok=True) for did in acting]
    blamed = _blamed(every, acting[-1], error_line(output))
    before = [did for did in every[: every.index(blamed)] if did in acting]
    return [*(act(did, "", tool, ok=True) for did in before), act(blamed, output, tool, ok=False)]


def run_in(line: str) -> tuple[tuple[Command, ...], tuple[Command, ...]]:
    """Return the commands of a line, and those of them that do something; the first if all look."""
    every = commands(line) or (Command("", "run", frozenset(), "", "looks"),)
    return every, tuple(did for did in every if did.effect != "looks") or every[:1]


def mendings(acts: Sequence[Act]) -> list[Mending]:
    """Return what mended the failures among some acts, one for each command and error."""
    by_failure: dict[tuple[str, str], Mending] = {}
    for place, failure in enumerate(acts):
        if not failure.ok and (mending := _mending(acts, place)):
            # A later failure with the same error stands nearer to what mended it.
            by_failure[failure.key, failure.error] = mending
    return list(by_failure.values())


def attempts(acts: Sequence[Act]) -> list[Mending]:
    """Return what was changed after a failure and did not help: the same came again."""
    tried = []
    for place, failure in enumerate(acts):
        rest = acts[place + 1 : place + 1 + _REACH]
        again = next((n for n, later in enumerate(rest) if later.key == failure.key), 0)
        change = _change(failure, rest[:again])
        if not failure.ok and change and rest[again].error == failure.error:
            tried.append(Mending(failure, change, rest[again]))
    return tried


def next_run(failure: Act, rest: Sequence[Act]) -> int | None:
    """Return where the same command runs again after a failure, whatever comes of it."""
    key = failure.key
    for place, later in enumerate(rest):
        if later.key != key or not _covers(later, failure):
            continue
        # That one passes which shares no more than the name shows nothing.
        if not later.ok or _is_variant(later, failure) or _change(failure, rest[:place]):
            return place
    return None


def passes_later(failure: Act, rest: Sequence[Act]) -> bool:
    """Tell whether a command that failed goes well at some time after, for whatever reason."""
    alike = (act for act in rest if act.key == failure.key and _covers(act, failure))
    return any(act.ok for act in alike)


def _mending(acts: Sequence[Act], place: int) -> Mending | None:
    failure, rest = acts[place], acts[place + 1 : place + 1 + _REACH]
    again = next_run(failure, rest)
    if again is None:
        return _other_way(failure, rest[:_NEAR])
    change, later = _change(failure, rest[:again]), rest[again]
    # Else the failure after this one is the one that was mended.
    mended = later.ok or (change and _got_past(acts, place, later))
    return Mending(failure, change, later) if mended else None


def _blamed(every: Sequence[Command], last: Command, error: str) -> Command:
    """Return the command that failed: the one its error begins with, else the last check."""
    named = [c for c in every if _names(c.name.partition(" ")[0], error)]
    return [last, *(c for c in every if c.effect == "checks"), *named][-1]


@lru_cache(1_024)
def _names(program: str, error: str) -> bool:
    """Tell whether an error begins with the program that met it."""
    start = rf"(?:\S*sh: )?(?:(?:line )?\d+: )?(?:\S*/)?{re.escape(program)}\b[:\[ ]"
    return re.match(start, error) is not None


def _covers(later: Act, failure: Act) -> bool:
    """Tell whether an act is about what failed: about everything, the same, or what was named."""
    about, _, objects = marks(later.did)
    if not objects or about & marks(failure.did)[0]:
        return True
    return any(name.split("::")[0] in failure.output for name in objects)


def _is_variant(later: Act, failure: Act) -> bool:
    """Tell whether a command is another with something added, left out or numbered otherwise."""
    mine, other = marks(later.did)[1], marks(failure.did)[1]
    return not is_shell(later.tool) or mine <= other or other <= mine


@lru_cache(4_096)
def marks(did: Command) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return what a command is known by when it runs again: objects and words without numbers.

    And its objects as they are.
    """
    objects = did.objects
    return _unnumbered(objects), _unnumbered(did.words), objects


def _unnumbered(words: frozenset[str]) -> frozenset[str]:
    # One substitution over all of them costs a third of one for each.
    return frozenset(_NUMBERS.sub("", "\0".join(words)).split("\0")) if words else words


def _change(failure: Act, between: Sequence[Act]) -> tuple[Act, ...]:
    """Return what was changed after a failure; looking, checking and failing mend nothing."""
    idle = () if failure.key.startswith("git ") else _BOOKKEEPING
    changed = [act for act in between if act.ok and act.did.changes and act.key not in idle]
    return tuple(changed[-_CHANGES_MAX:])


def _got_past(acts: Sequence[Act], place: int, later: Act) -> bool:
    """Tell whether what fails now is something new, and the failure never came back."""
    error, met = acts[place].error, [(act.key, act.error) for act in acts]
    if not tells(later.error) or error.partition(":")[0] == later.error.partition(":")[0]:
        return False
    return (later.key, later.error) not in met[:place] and met[place] not in met[place + 1 :]


def _other_way(failure: Act, near: Sequence[Act]) -> Mending | None:
    """Take the next thing done with the same tool for the other way that was found."""
    alike = [n for n, act in enumerate(near) if act.tool == failure.tool and act.did.changes]
    if not alike or failure.did.effect == "checks":
        return None
    other = near[alike[0]]
    given_up = re.search(_TAKING_BACK, other.action) or other.key == failure.key
    if not other.ok or given_up or not _has_same_aim(other, failure):
        return None
    return Mending(failure, _change(failure, near[: alike[0]]), other)


def _has_same_aim(other: Act, failure: Act) -> bool:
    """Tell whether two commands share more than their verbs; everything is done with the shell."""
    shared = (other.did.words & failure.did.words).difference(failure.did.name.split())
    shared |= other.did.objects & failure.did.objects
    return not is_shell(other.tool) or any(len(word) > 2 for word in shared)
