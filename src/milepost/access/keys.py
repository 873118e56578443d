"""Keys: who may come in over HTTP and MCP, what they may do, and in which spaces.

They belong to the store and lie in the space of its own. Of a secret only the SHA-256 is kept: it
is 256 random bits, of which nobody guesses one in a lifetime, so that a slow hash, made for
passwords that people choose, would only cost every request its time.
"""

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from hmac import compare_digest
from typing import Any

from milepost.access.limits import PROGRAMS, REQUESTS, TOKENS
from milepost.access.values import ADMIN, CALLER, READ, SCOPES, Caller, Key, NewKey
from milepost.errors import Ambiguous, Forbidden, InvalidInput, NotFound
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.validation import Intake, Moment
from milepost.memory.values import OWN_SPACE
from milepost.once import settle, witness
from milepost.operation import operation
from milepost.ports import Store, Work
from milepost.stored_time import to_seconds, to_us

PREFIX = "mp_"
_TOPIC = "keys"
_ID_BYTES, _SECRET_BYTES = 4, 32
# How long a process may go by what it has read: a key that is revoked ends everywhere within this.
FRESH_S = 1.0
_NEVER = float("inf")


class Keys(Service):
    """The operations on keys. Who has a key makes others for no more than it is for itself."""

    @operation(
        "key",
        example='create_key("ci", scope="read", spaces="team-a", expires="90d")',
        scope=ADMIN,
        is_secret=True,
    )
    def create_key(
        self,
        name: str = "",
        scope: str | Sequence[str] = READ,
        spaces: str | Sequence[str] | None = None,
        expires: Moment | None = None,
        requests: int | None = None,
        tokens: int | None = None,
        programs: int | None = None,
    ) -> NewKey:
        """Make a key for somebody else, and show its secret this once.

        name: whom or what it is for.
        scope: what it may do: read, write, execute (programs), admin, or several of these.
        spaces: the spaces it is for, by name or as patterns such as team-*, "*" for all; by
            default the one that is worked in.
        expires: when it ends: a date, or a time from now such as 90d; by default never.
        requests: how many calls it may make in a minute; by default any number.
        tokens: how many tokens it may be given in a minute.
        programs: how many programs it may run in a minute.
        """
        context = self._context
        now = context.clock()
        given = {REQUESTS: requests, TOKENS: tokens, PROGRAMS: programs}
        intake = context.intake()
        key = Key(
            _new_id(),
            intake.name("name", name),
            _spaces(intake, context.space if spaces is None else spaces),
            _scopes(scope),
            to_seconds(now),
            _end(expires, now),
            False,
            {what: _number(what, most) for what, most in given.items() if most is not None},
        )
        with _own(context).writing() as work:
            known = read(work)
            _refuse_more(known, key)
            if any(_is_taken(key, other) and _is_good(other, now) for other, _ in known.values()):
                raise InvalidInput(f"There is a key {key.name!r} already; rotate or revoke it.")
            made = _made(work, known, key)
            witness(work, made, "create_key", space=OWN_SPACE)
        return intake.told(made)

    @operation("key", example="list_keys()", read_only=True, scope=ADMIN)
    def list_keys(self) -> list[Key]:
        """Show the keys there are, without their secrets."""
        caller = CALLER.get()
        known = read(_own(self._context))
        return [key for key, _ in known.values() if _is_within(caller, key)]

    @operation("key", example='rotate_key("build", overlap_hours=24)', scope=ADMIN, is_secret=True)
    def rotate_key(self, name: str, overlap_hours: float = 24.0) -> NewKey:
        """Make a new secret for a key; the old one is good for some time more.

        name: the key's name or id.
        overlap_hours: for how long the old secret is good beside the new one.
        """
        context = self._context
        now, hours = context.clock(), _number("overlap_hours", overlap_hours, least=0)
        until = to_seconds(now + int(hours * 3_600_000_000))
        with _own(context).writing() as work:
            known = read(work)
            old = _found(known, name, now)
            ends = until if old.ends is None else min(until, old.ends)
            new = old._replace(id=_new_id(), created=to_seconds(now))
            _refuse_more(known, new)
            known[old.id] = (old._replace(ends=ends), known[old.id][1])
            made = _made(work, known, new)
            witness(work, made, "rotate_key", space=OWN_SPACE)
        return made

    @operation(
        "key", example='revoke_key("laptop")', destructive=True, idempotent=True, scope=ADMIN
    )
    def revoke_key(self, name: str) -> Key:
        """End a key, with all its secrets, at once.

        name: the key's name or id.
        """
        context = self._context
        now = context.clock()
        with _own(context).writing() as work:
            known = read(work)
            found = _found(known, name, now)
            for other, digest in list(known.values()):
                if _is_of_one(other, found) and _is_good(other, now):
                    ended = other._replace(revoked=True, ends=to_seconds(now))
                    known[other.id] = (ended, digest)
            _keep(work, known)
            key = known[found.id][0]
            settle(work, key, "revoke_key", space=OWN_SPACE)
        return key


# Keys by their ids, each with the digest of its secret.
Known = dict[str, tuple[Key, str]]


def read(work: Work) -> Known:
    """Return the keys of a store."""
    written = json.loads(work.values.get(OWN_SPACE, _TOPIC, "") or "{}")
    return {name: (_key(name, about), about["digest"]) for name, about in written.items()}


def _key(name: str, about: Mapping[str, Any]) -> Key:
    fields = {field: about[field] for field in Key._fields if field in about}
    fields |= {"id": name, "spaces": tuple(about["spaces"]), "scopes": tuple(about["scopes"])}
    return Key(**fields)


def _keep(work: Work, known: Known) -> None:
    told = {name: key._asdict() | {"digest": digest} for name, (key, digest) in known.items()}
    work.values.put(OWN_SPACE, _TOPIC, "", json.dumps(told))


def _made(work: Work, known: Known, key: Key) -> NewKey:
    secret = f"{PREFIX}{key.id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    _keep(work, known | {key.id: (key, _digest(secret))})
    return NewKey(key.id, secret, key)


def _own(context: Context) -> Store:
    """Return the store that keys lie in, as far as it is its own."""
    return context.within(OWN_SPACE).store


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _new_id() -> str:
    return secrets.token_hex(_ID_BYTES)


def _is_good(key: Key, now_us: int) -> bool:
    return not key.revoked and (key.ends is None or now_us < to_us(key.ends))


def _found(known: Known, name: object, now_us: int) -> Key:
    caller = CALLER.get()
    keys = [key for key, _ in known.values() if name in (key.name, key.id)]
    keys = [key for key in keys if _is_within(caller, key)]
    good = [key for key in keys if _is_good(key, now_us)]
    if not keys:
        raise NotFound(f"There is no key {name!r}; list_keys shows those there are.")
    if not good:
        raise NotFound(f"The key {name!r} has ended; create_key makes another.")
    newest = max(good, key=lambda key: key.created)
    others = [key for key in good if not _is_of_one(key, newest)]
    if others:
        ids = ", ".join(sorted({newest.id, *(key.id for key in others)}))
        raise Ambiguous(f"Keys of several spaces are called {name!r}; name one by its id: {ids}.")
    return newest


def _is_of_one(key: Key, other: Key) -> bool:
    """Whether two secrets are of one key, which was rotated."""
    return (key.name, key.spaces) == (other.name, other.spaces)


def _is_taken(key: Key, other: Key) -> bool:
    """Whether a name is in use, as far as who makes the key may know: not in spaces of others."""
    seen = _is_of_one(key, other) or _is_within(CALLER.get(), other)
    return key.name == other.name and seen


def _is_within(caller: Caller, key: Key) -> bool:
    """Whether a key is for no more than a caller may do and see."""
    spaces = caller.spaces is None or set(key.spaces) <= set(caller.spaces)
    return spaces and set(key.scopes) <= set(caller.scopes)


def _refuse_more(known: Known, key: Key) -> None:
    """Refuse a key that would be for more than who makes it, more often, or for longer."""
    caller = CALLER.get()
    own = known[caller.key][0] if caller.key in known else None
    ends = _NEVER if own is None or own.ends is None else own.ends
    is_longer = (_NEVER if key.ends is None else key.ends) > ends
    is_more = any(key.limits.get(what, _NEVER) > most for what, most in caller.limits.items())
    if not _is_within(caller, key) or is_longer or is_more:
        raise Forbidden(
            f"The key {caller.name} makes keys for no more than it is for itself: spaces, scopes, "
            "limits and until when."
        )


def _names(what: str, given: str | Sequence[str]) -> list[str]:
    names = given.replace(",", " ").split() if isinstance(given, str) else list(given)
    if not names:
        raise InvalidInput(f"{what} names none.")
    return names


def _spaces(intake: Intake, given: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(intake.name("spaces", name) for name in _names("spaces", given))


def _scopes(given: str | Sequence[str]) -> tuple[str, ...]:
    names = _names("scopes", given)
    for name in names:
        if name not in SCOPES:
            raise InvalidInput(f"A scope is {', '.join(SCOPES)}, not {name!r}.")
    return tuple(scope for scope in SCOPES if scope in names)


def _number(what: str, value: Any, *, least: int = 1) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < least:
        raise InvalidInput(f"{what} must be a number, {least} or more.")
    return value


def _end(expires: Moment | None, now_us: int) -> float | None:
    """Return when a key ends; an age says how long it is good."""
    moment = validation.moment("expires", expires, now_us)
    if moment is None:
        return None
    return to_seconds(max(moment, 2 * now_us - moment))


class KeyRing:
    """The keys of a store as they were a moment ago, for who lets others in."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: Known = {}
        self._read_at = float("-inf")

    def has_any(self) -> bool:
        """Whether there is a key that lets anybody in."""
        return any(_is_good(key, self._context.clock()) for key, _ in self._all().values())

    def caller(self, secret: str, surface: str) -> Caller | None:
        """Return who comes with a secret; None for nobody that is known."""
        name = secret.removeprefix(PREFIX).partition("_")[0]
        key, digest = self._all().get(name, (None, ""))
        # Compared either way, so that a wrong secret takes as long as an unknown key.
        is_right = compare_digest(_digest(secret), digest or _digest(""))
        if key is None or not is_right or not _is_good(key, self._context.clock()):
            return None
        spaces = None if "*" in key.spaces else key.spaces
        return Caller(key.name, surface, key.id, spaces, key.scopes, key.limits)

    def has_ended(self, name: str) -> bool:
        """Whether a key that let somebody in is good no longer."""
        key, _ = self._all().get(name, (None, ""))
        return key is not None and not _is_good(key, self._context.clock())

    def close(self) -> None:
        """Forget them."""
        self._known = {}

    def _all(self) -> Known:
        now = time.monotonic()
        if now - self._read_at > FRESH_S:
            self._known, self._read_at = read(_own(self._context)), now
        return self._known
