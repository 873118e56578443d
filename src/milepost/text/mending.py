"""What mended a failure: the changes between it and the same command going well."""

from __future__ import annotations

import re

from milepost.text.commands import Command, commands, is_shell, main_command
from milepost.text.failures import error_line, signature, tells
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A fix further away than this is rather another thing that was done.
_REACH = 12
_CHANGES_MAX = 3
_NEAR = 3
# To take back what was tried is to give it up, not to find another way.
_TAKING_BACK = (
    r"\b(?:undo|rollback|revert|reset|restore|abort|cancel|kill|uninstall|rm|delete|down|stop)\b"
)
# To write down what was changed mends nothing but what writes it down.
_BOOKKEEPING = frozenset(("git add", "git commit", "git push", "git tag"))


class Act(NamedTuple):
    """Something that was done, and what came of it; error is the signature of a failure."""

    did: Command
    ok: bool
    output: str = ""
    tool: str = "bash"
    error: str = ""

    @property
    def key(self) -> str:
        """Return what is the same when the same is done again."""
        return self.did.name.replace(" run ", " ")


class Mending(NamedTuple):
    """Where a failure stands, what was changed then, and what shows that it helped.

    That may fail with another error: then this one is out of the way.
    """

    failure: int
    changes: tuple[int, ...]
    success: int


def act(did: Command, output: str, tool: str, *, ok: bool) -> Act:
    """Return something that was done, with the error that it met."""
    return Act(did, ok, output, tool, "" if ok else signature(output) or "no message")


def ran(line: str, output: str, tool: str = "bash", *, ok: bool) -> list[Act]:
    """Return what the commands of a line did; of those that only look the first if all do.

    When a line fails, what stands before the command that is to blame went well, and what stands
    behind it did not happen.
    """
    every = commands(line) or (main_command(line),)
    acting = [did for did in every if did.effect != "looks"] or [every[0]]
    if ok:
        return [act(did, output, tool, ok=True) for did in acting]
    blamed = _blamed(line, error_line(output))
    before = [did for did in every[: every.index(blamed)] if did in acting]
    return [*(act(did, "", tool, ok=True) for did in before), act(blamed, output, tool, ok=False)]


def mendings(acts: Sequence[Act]) -> list[Mending]:
    """Return what mended the failures among some acts, one for each command and error."""
    found: dict[tuple[str, str], Mending] = {}
    for place, failure in enumerate(acts):
        if not failure.ok and (mending := _mending(acts, place)):
            # A later failure with the same error stands nearer to what mended it.
            found[failure.key, failure.error] = mending
    return list(found.values())


def attempts(acts: Sequence[Act]) -> list[Mending]:
    """Return what was changed after a failure and did not help: the same came again."""
    found = []
    for place, failure in enumerate(acts):
        rest = range(place + 1, min(place + 1 + _REACH, len(acts)))
        again = next((there for there in rest if acts[there].key == failure.key), place)
        changes = _changes(acts, place, again)
        if not failure.ok and changes and acts[again].error == failure.error:
            found.append(Mending(place, changes, again))
    return found


def next_run(acts: Sequence[Act], place: int) -> int | None:
    """Return where the same command runs again after a failure, whatever comes of it.

    That another passes which has nothing in common with it but the name shows nothing.
    """
    failure = acts[place]
    for there in range(place + 1, len(acts)):
        later = acts[there]
        if later.key != failure.key or not _covers(later, failure):
            continue
        if not later.ok or _is_variant(later, failure) or _changes(acts, place, there):
            return there
    return None


def _mending(acts: Sequence[Act], place: int) -> Mending | None:
    again = next_run(acts, place)
    if again is None or again > place + _REACH:
        return _other_way(acts, place)
    changes, later = _changes(acts, place, again), acts[again]
    # Else the failure after this one is the one that was mended.
    mended = later.ok or (changes and _got_past(acts, place, later))
    return Mending(place, changes, again) if mended else None


def _blamed(line: str, error: str) -> Command:
    """Return the command that failed: the one its error begins with, else the last check."""
    start = r"(?:\S*sh: )?(?:(?:line )?\d+: )?(?:\S*/)?{}\b[:\[ ]"
    every = commands(line)
    named = [c for c in every if re.match(start.format(re.escape(c.name.split()[0])), error)]
    return [main_command(line), *(c for c in every if c.effect == "checks"), *named][-1]


def _covers(later: Act, failure: Act) -> bool:
    """Tell whether an act is about what failed: about everything, the same, or what was named."""
    objects = later.did.objects
    same = _unnumbered(objects) & _unnumbered(failure.did.objects)
    return not objects or bool(same) or any(o.split("::")[0] in failure.output for o in objects)


def _is_variant(later: Act, failure: Act) -> bool:
    """Tell whether a command is another with something added, left out or numbered otherwise."""
    mine, other = _unnumbered(later.did.words), _unnumbered(failure.did.words)
    return not is_shell(later.tool) or mine <= other or other <= mine


def _unnumbered(words: Iterable[str]) -> set[str]:
    return {re.sub(r"\d+", "", word) for word in words}


def _changes(acts: Sequence[Act], place: int, there: int) -> tuple[int, ...]:
    """Return what was changed between two acts; looking, checking and failing mend nothing."""
    idle = () if acts[place].key.startswith("git ") else _BOOKKEEPING
    between = range(place + 1, there)
    changes = [n for n in between if acts[n].ok and acts[n].did.changes and acts[n].key not in idle]
    return tuple(changes[-_CHANGES_MAX:])


def _got_past(acts: Sequence[Act], place: int, later: Act) -> bool:
    """Tell whether what fails now is something new, and the failure never came back."""
    error, met = acts[place].error, [(act.key, act.error) for act in acts]
    if not tells(later.error) or error.partition(":")[0] == later.error.partition(":")[0]:
        return False
    return (later.key, later.error) not in met[:place] and met[place] not in met[place + 1 :]


def _other_way(acts: Sequence[Act], place: int) -> Mending | None:
    """Take the next thing done with the same tool for the other way that was found."""
    failure = acts[place]
    near = range(place + 1, min(place + 1 + _NEAR, len(acts)))
    alike = [n for n in near if acts[n].tool == failure.tool and acts[n].did.changes]
    if not alike or failure.did.effect == "checks":
        return None
    other = acts[alike[0]]
    given_up = re.search(_TAKING_BACK, other.did.action) or other.key == failure.key
    if not other.ok or given_up or not _has_same_aim(other, failure):
        return None
    return Mending(place, _changes(acts, place, alike[0]), alike[0])


def _has_same_aim(other: Act, failure: Act) -> bool:
    """Tell whether two commands share more than their verbs; everything is done with the shell."""
    shared = (other.did.words & failure.did.words).difference(failure.did.name.split())
    shared |= other.did.objects & failure.did.objects
    return not is_shell(other.tool) or any(len(word) > 2 for word in shared)
