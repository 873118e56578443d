"""What mended a failure: the changes between it and the same command going well."""

from __future__ import annotations

import re

from milepost.text.commands import Command, commands, is_shell, main_command
from milepost.text.failures import error_line, signature, tells
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A fix further away than this is rather another thing that was done; looking does not count.
_REACH = 12
_CHANGES_MAX = 3
_NEAR = 3
# To take back what was tried is to give it up, not to find another way.
_TAKING_BACK = (
    r"\b(?:undo|rollback|revert|reset|restore|abort|cancel|kill|uninstall|rm|delete|down|stop)\b"
)
# What only writes down what was changed mends nothing but what writes it down.
_BOOKKEEPING = frozenset(("git add", "git commit", "git push", "git tag"))


class Act(NamedTuple):
    """Something that was done, and what came of it; error is the signature of a failure."""

    did: Command
    ok: bool
    output: str = ""
    tool: str = "bash"
    error: str = ""


class Mending(NamedTuple):
    """The places of a failure, of what was changed then, and of what shows that it helped.

    What shows it may fail with another error: then this one is out of the way.
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
        mending = None if failure.ok else _mending(acts, place)
        if mending is not None:
            # A later failure with the same error stands nearer to what mended it.
            found[failure.did.name, failure.error] = mending
    return list(found.values())


def attempts(acts: Sequence[Act]) -> list[Mending]:
    """Return what was changed after a failure and did not help: the same came again."""
    found = []
    for place, failure in enumerate(acts):
        rest = _within_reach(acts, place)
        again = next((there for there in rest if _name(acts[there]) == _name(failure)), None)
        if not failure.ok and again is not None and acts[again].error == failure.error:
            changes = _changes(acts, place, again)
            found += [Mending(place, changes, again)] if changes else []
    return found


def next_run(acts: Sequence[Act], place: int) -> int | None:
    """Return where the same command runs again after a failure, whatever came of it."""
    rest = range(place + 1, len(acts))
    return next((there for there in rest if _settles(acts, place, there)), None)


def _mending(acts: Sequence[Act], place: int) -> Mending | None:
    rest = _within_reach(acts, place)
    again = next((there for there in rest if _settles(acts, place, there)), None)
    if again is None:
        return _other_way(acts, place, rest)
    changes = _changes(acts, place, again)
    if acts[again].ok or (changes and _got_past(acts, place, acts[again])):
        return Mending(place, changes, again)
    return None  # the failure after this one is the one that was mended


def _blamed(line: str, error: str) -> Command:
    """Return the command that failed: the one its error begins with, else the last check."""
    every = commands(line)
    shell = r"(?:\S*sh: )?(?:(?:line )?\d+: )?(?:\S*/)?"
    named = [
        did for did in every if re.match(rf"{shell}{re.escape(did.name.split()[0])}\b[:\[ ]", error)
    ]
    checks = [did for did in every if did.effect == "checks"]
    return [main_command(line), *checks, *named][-1]


def _within_reach(acts: Sequence[Act], place: int) -> list[int]:
    rest: list[int] = []
    steps = 0
    for there in range(place + 1, len(acts)):
        steps += acts[there].did.effect != "looks"
        if steps > _REACH:
            break
        rest.append(there)
    return rest


def _name(done: Act) -> str:
    return done.did.name.replace(" run ", " ")


def _settles(acts: Sequence[Act], place: int, there: int) -> bool:
    """Tell whether how an act ended says what became of a failure."""
    failure, later = acts[place], acts[there]
    if _name(failure) != _name(later) or not _covers(later, failure):
        return False
    return not later.ok or _is_same_command(failure, later) or bool(_changes(acts, place, there))


def _covers(later: Act, failure: Act) -> bool:
    """Tell whether an act is about what failed: about everything, the same, or what was named."""
    mine, other = _unnumbered(failure.did.objects), _unnumbered(later.did.objects)
    if not other or mine & other:
        return True
    return any(thing.split("::")[0] in failure.output for thing in later.did.objects)


def _unnumbered(words: Iterable[str]) -> set[str]:
    # A version in a name need not be the same.
    return {re.sub(r"\d+", "", word) for word in words}


def _is_same_command(failure: Act, later: Act) -> bool:
    """Tell whether a command is another with something added, left out or numbered otherwise."""
    mine, other = (_unnumbered(done.did.words) for done in (failure, later))
    return not is_shell(later.tool) or mine <= other or other <= mine


def _changes(acts: Sequence[Act], place: int, there: int) -> tuple[int, ...]:
    """Return what was changed between two acts; looking, checking and failing mend nothing."""
    between = [n for n in range(place + 1, there) if acts[n].ok and acts[n].did.changes]
    if not acts[place].did.name.startswith("git "):
        between = [n for n in between if acts[n].did.name not in _BOOKKEEPING]
    return tuple(between[-_CHANGES_MAX:])


def _got_past(acts: Sequence[Act], place: int, later: Act) -> bool:
    """Tell whether what fails now is something new, and the failure never came back."""
    failure = acts[place]
    kinds = {error.partition(":")[0] for error in (failure.error, later.error)}
    if not tells(later.error) or len(kinds) < 2:
        return False
    return not _meets(acts[:place], later) and not _meets(acts[place + 1 :], failure)


def _meets(acts: Sequence[Act], failure: Act) -> bool:
    return any((_name(a), a.error) == (_name(failure), failure.error) for a in acts)


def _other_way(acts: Sequence[Act], place: int, rest: Sequence[int]) -> Mending | None:
    """Take the next thing done with the same tool for the other way that was found."""
    failure = acts[place]
    for there in rest[:_NEAR] if failure.did.effect != "checks" else ():
        other = acts[there]
        if other.tool != failure.tool or not other.did.changes:
            continue
        another = _name(other) != _name(failure) and _has_same_aim(failure, other)
        if not other.ok or not another or re.search(_TAKING_BACK, other.did.action):
            return None
        return Mending(place, _changes(acts, place, there), there)
    return None


def _has_same_aim(failure: Act, other: Act) -> bool:
    """Tell whether two commands share more than their verbs; everything is done with the shell."""
    mine, wanted = (
        done.did.words.difference(done.did.name.split()) | done.did.objects
        for done in (failure, other)
    )
    return not is_shell(other.tool) or any(len(word) > 2 for word in mine & wanted)
