"""Who calls, with which keys, and what is known of what they did."""

from __future__ import annotations

from contextvars import ContextVar

from milepost.errors import Forbidden
from milepost.text.fence import for_models
from milepost.text.lines import counted, day, minute
from milepost.values import NamedTuple, by_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# What a caller may do: each is given by itself.
SCOPES = READ, WRITE, EXECUTE, ADMIN = ("read", "write", "execute", "admin")
# The key of who comes with a token of an issuer begins so; those of keys are hexadecimal.
OAUTH = "oauth-"
# The surface of a program that an agent runs.
BY_PROGRAM = "program"


class Caller(NamedTuple):
    """Who asks, by which surface, and what they may do where.

    spaces: names of spaces, or patterns such as team-*; none stands for all.
    limits: how much of what a key may have in a minute; what is not named is not limited.
    address: where they were seen to be, whatever they say of themselves.
    """

    name: str
    surface: str = "python"
    key: str = ""
    spaces: tuple[str, ...] | None = None
    scopes: tuple[str, ...] = SCOPES
    limits: Mapping[str, int] = {}
    address: str = "this process"

    @property
    def credential(self) -> str:
        """What this one came in with, as messages name it."""
        return f"token of {self.name}" if self.key.startswith(OAUTH) else f"key {self.name}"

    @property
    def only_space(self) -> str | None:
        """The space that is meant when none is named: the one that a key is for."""
        named = self.spaces or ()
        return named[0] if len(named) == 1 and "*" not in named[0] else None

    def may_enter(self, space: str) -> bool:
        """Whether this one may work in a space."""
        if self.spaces is None:
            return True
        from fnmatch import fnmatchcase

        return any(fnmatchcase(space, name) for name in self.spaces)


def admit(caller: Caller, space: str) -> None:
    """Refuse who may not enter a space, in the same words whether there is one of that name."""
    if not caller.may_enter(space):
        raise Forbidden(f"The {caller.credential} is not for the space {space!r}.")


# Whoever runs this process, which has the store anyway.
OWNER = Caller("owner")
CALLER: ContextVar[Caller] = ContextVar("caller", default=OWNER)
# The logger that is told how calls end.
CALLS = "milepost.calls"


@by_name
class Key(NamedTuple):
    """A key as it is known here: without its secret, of which only a digest is kept.

    ends: when it ends to be good, if ever: it expires, was rotated or revoked.
    """

    id: str
    name: str
    spaces: tuple[str, ...]
    scopes: tuple[str, ...]
    created: float
    ends: float | None = None
    revoked: bool = False
    limits: Mapping[str, int] = {}

    @for_models
    def __str__(self) -> str:
        end = "" if self.ends is None else f", until {day(self.ends)}"
        state = ", revoked" if self.revoked else end
        limits = "".join(f", {most} {what} a minute" for what, most in self.limits.items())
        spaces = ", ".join(self.spaces)
        return f"{self.id} {self.name}: {', '.join(self.scopes)} in {spaces}{limits}{state}"


@by_name
class NewKey(NamedTuple):
    """A key with its secret, which is shown this once."""

    id: str
    secret: str
    key: Key

    @for_models
    def __str__(self) -> str:
        return f"{self.secret}\n{self.key}\nIt is shown this once: keep it where secrets are kept."


@by_name
class AuditEntry(NamedTuple):
    """One deed: who did what to which memories, by which surface, and how it ended.

    request: the id by which logs tell more of it; "" where several deeds are counted as one.
    """

    number: int
    at: float
    who: str
    surface: str
    operation: str
    targets: tuple[str, ...]
    outcome: str
    times: int = 1
    key: str = ""
    request: str = ""

    @for_models
    def __str__(self) -> str:
        shown = " ".join(self.targets[:8])
        more = f" and {len(self.targets) - 8} more" if len(self.targets) > 8 else ""
        times = f" x{self.times}" if self.times > 1 else ""
        who = f"{self.who} ({self.key})" if self.key else self.who
        what = f"{self.operation}{times} {shown}{more}".rstrip()
        return f"{self.number} {minute(self.at)} {who} by {self.surface}: {what}: {self.outcome}"


@by_name
class AuditCheck(NamedTuple):
    """Whether the audit of a space is whole.

    digest: of its last entry; kept elsewhere, it shows later that nothing before it was changed.
    problems: what does not fit, the first few.
    own_entries, own_digest: the same of the store itself, whose keys and spaces are of no space;
        told to who may enter all spaces.
    """

    entries: int
    digest: str
    problems: tuple[str, ...] = ()
    own_entries: int = 0
    own_digest: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing was changed or removed."""
        return not self.problems

    @for_models
    def __str__(self) -> str:
        if self.problems:
            return "\n".join(self.problems)
        lines = [f"{counted(self.entries, 'entry')}, whole{_last(self.digest)}"]
        if self.own_entries:
            own = counted(self.own_entries, "entry")
            lines.append(f"and {own} of the store itself, whole{_last(self.own_digest)}")
        return "\n".join(lines)


def _last(digest: str) -> str:
    return f"; the last has the digest {digest}" if digest else ""


@by_name
class ErasureReceipt(NamedTuple):
    """What was erased, or went by a rule of retention; it never says what that said.

    what: what it was asked by: author, session, project, matching, or rules.
    rows: by table, how many went; blanked: rows of which only a part went.
    held: what stays for a legal hold.
    copies: those that were written anew without it; out_of_reach: what was not looked into.
    digests: of the hashes of memories and ids of episodes that went, by the salt, which is shown
        once and kept nowhere.
    digest: over all of this; the audit names it too.
    """

    id: str
    kind: str
    at: float
    who: str
    what: str
    reference: str
    rows: Mapping[str, int]
    blanked: int
    held: int
    copies: tuple[str, ...]
    out_of_reach: tuple[str, ...]
    digests: tuple[str, ...]
    digest: str
    salt: str = ""
    is_whole: bool = True

    @for_models
    def __str__(self) -> str:
        reference = f" for {self.reference}" if self.reference else ""
        lines = [f"{self.id} {minute(self.at)} {self.kind} by {self.what}{reference}, {self.who}"]
        lines += [f"gone: {_counts(self.rows)}; {counted(self.blanked, 'row')} in part"]
        lines += [f"held: {self.held:,}"] if self.held else []
        lines += [f"written anew: {copy}" for copy in self.copies]
        lines += [f"out of reach: {what}" for what in self.out_of_reach]
        lines += [f"digest {self.digest}" if self.is_whole else "THIS RECEIPT WAS CHANGED"]
        lines += [f"salt {self.salt}, shown this once"] if self.salt else []
        return "\n".join(lines)


@by_name
class Erased(NamedTuple):
    """What an erasure took, or would take.

    quoting: memories of others that say the same in the same words, and stay.
    audit: entries that name it; the audit only grows.
    """

    rows: Mapping[str, int]
    blanked: int
    held: int
    quoting: int
    audit: int
    copies: int
    dry_run: bool
    receipt: ErasureReceipt | None = None

    @for_models
    def __str__(self) -> str:
        if self.receipt is not None:
            return f"erased\n{self.receipt}"
        lines = [f"would erase {_counts(self.rows)}; {counted(self.blanked, 'row')} in part"]
        lines += [f"{self.held:,} are held and would stay"] if self.held else []
        said = "memory" if self.quoting == 1 else "memories"
        lines += [f"{self.quoting:,} {said} of others quote it and would stay"] * bool(self.quoting)
        lines += [f"{self.audit:,} entries of the audit name it and stay"] if self.audit else []
        lines += [f"{counted(self.copies, 'copy')} would be written anew"] if self.copies else []
        return "\n".join(lines)


@by_name
class LegalHold(NamedTuple):
    """What is not to be deleted for good, why, who said so and when.

    by: what it is held by: space, project, author or matching; name: which, or which words.
    """

    id: str
    by: str
    name: str
    reason: str
    who: str
    since: float

    @for_models
    def __str__(self) -> str:
        held = f"{self.by} {self.name}".strip()
        return f"{self.id} {held}: {self.reason} (by {self.who}, since {day(self.since)})"


@by_name
class Rule(NamedTuple):
    """For how many days what is of a kind is kept; 0 for good."""

    kind: str
    days: int
    is_usual: bool = False

    def __str__(self) -> str:
        kept = f"{self.days:,} days" if self.days else "for good"
        return f"{self.kind}: {kept}{' (the setting)' if self.is_usual else ''}"


@by_name
class Retention(NamedTuple):
    """The rules of a space, and when they are applied by themselves."""

    rules: tuple[Rule, ...]
    every: str
    due: float | None = None

    @for_models
    def __str__(self) -> str:
        when = "" if self.due is None else f", next {minute(self.due)}"
        return "\n".join([*map(str, self.rules), f"applied: {self.every}{when}"])


@by_name
class Due(NamedTuple):
    """What one rule would delete: how much, and some of it by name."""

    rule: Rule
    rows: int
    held: int
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        some = f" ({' '.join(self.names)}{' …' if self.rows > len(self.names) else ''})"
        held = f", {self.held:,} held" if self.held else ""
        return f"{self.rule}: {self.rows:,}{some if self.names else ''}{held}"


@by_name
class RetentionPlan(NamedTuple):
    """What the rules would delete now."""

    due: tuple[Due, ...]

    @for_models
    def __str__(self) -> str:
        return "\n".join(map(str, self.due)) or "there is no rule"


def _counts(rows: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} of {name}" for name, count in rows.items()) or "nothing"
