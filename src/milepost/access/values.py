"""Who calls, with which keys, and what is known of what they did."""

from __future__ import annotations

from contextvars import ContextVar

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


# Whoever runs this process, which has the store anyway.
OWNER = Caller("owner")
CALLER: ContextVar[Caller] = ContextVar("caller", default=OWNER)


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
    """One deed: who did what to which memories, by which surface, and how it ended."""

    number: int
    at: float
    who: str
    surface: str
    operation: str
    targets: tuple[str, ...]
    outcome: str
    times: int = 1
    key: str = ""

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
    """

    entries: int
    digest: str
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was changed or removed."""
        return not self.problems

    @for_models
    def __str__(self) -> str:
        if self.problems:
            return "\n".join(self.problems)
        return f"{counted(self.entries, 'entry')}, whole; the last has the digest {self.digest}"
