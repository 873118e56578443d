"""Receipts: what was erased or went by a rule, when and for whom, without saying what it said.

They are kept with the store's space for good. The digests of what went are made with a salt that is
shown once: who has that and a text can show that it went, and nobody can guess at texts.
"""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b, sha256
from typing import NamedTuple

from milepost.access.values import ErasureReceipt
from milepost.ports import Work
from milepost.stored_time import to_seconds

TOPIC = "receipts"
# They are never trimmed.
_MOST = 1 << 40
_SALT_BYTES, _DIGEST_BYTES = 16, 16
_DIGESTS_MAX = 10_000


class Going(NamedTuple):
    """What went, before all of it is done that a receipt tells.

    by: who, by which key and surface. what: what it was asked by; a rule, or an author, a session.
    digests: of the names of what went, as far as they are kept.
    """

    id: str
    kind: str
    at_us: int
    by: Sequence[str]
    what: str
    reference: str
    rows: Mapping[str, int]
    blanked: int
    held: int
    quoting: int
    audit: int
    digests: Sequence[str]


def salted(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return a salt, and the digests of names by it."""
    salt = secrets.token_hex(_SALT_BYTES)
    return salt, [digest_by(salt, name) for name in names[:_DIGESTS_MAX]]


def digest_by(salt: str, name: str) -> str:
    """Return the digest of the hash of a memory, or of the id of an episode, by a salt."""
    key = bytes.fromhex(salt)
    return blake2b(name.encode(), key=key, digest_size=_DIGEST_BYTES).hexdigest()


def signed(going: Going, copies: Sequence[str], out_of_reach: Sequence[str]) -> ErasureReceipt:
    """Return the receipt of what went, with a digest over all that it says."""
    receipt = ErasureReceipt(
        going.id, going.kind, to_seconds(going.at_us), going.by[0], going.what, going.reference,
        dict(going.rows), going.blanked, going.held, tuple(copies), tuple(out_of_reach),
        tuple(going.digests), "",
    )  # fmt: skip
    return receipt._replace(digest=digest_of(receipt))


def digest_of(receipt: ErasureReceipt) -> str:
    """Return the digest over all that a receipt says but for its digest and its salt."""
    told = receipt._replace(digest="", salt="")._asdict()
    del told["is_whole"]
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def write_receipt(work: Work, space: str, receipt: ErasureReceipt, at_us: int) -> None:
    """Keep a receipt, without its salt."""
    told = receipt._replace(salt="")._asdict()
    work.values.note(space, TOPIC, at_us, [json.dumps(told)], _MOST)


def receipts_in(work: Work, space: str, since_us: int, limit: int) -> Iterator[ErasureReceipt]:
    """Yield the last receipts of a space, and whether each says what it said then."""
    for _, entry in work.values.notes(space, TOPIC, since_us, limit):
        about = json.loads(entry)
        tuples = {name: tuple(about[name]) for name in ("copies", "out_of_reach", "digests")}
        receipt = ErasureReceipt(**about | tuples)
        yield receipt._replace(is_whole=digest_of(receipt) == receipt.digest)
