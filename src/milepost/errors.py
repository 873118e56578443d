"""Every error Milepost raises, in one tree with stable codes.

MilepostError                 error
├── InvalidInput              invalid_input        (also a ValueError)
├── NotFound                  not_found            (also a LookupError)
├── Ambiguous                 ambiguous            (also a LookupError)
├── ConfigError               config
├── EmbedderError             embedder_unavailable
├── Forbidden                 forbidden
├── Held                      held
├── KeyConflict               key_conflict
├── Overloaded                overloaded
├── OutOfTime                 out_of_time
├── Unreachable               unreachable
├── Unreadable                unreadable
├── SandboxUnavailable        sandbox_unavailable
└── StoreError                store
    ├── StoreUnavailable      store_unavailable
    ├── StoreBusy             store_busy
    │   └── SpaceMoved        space_moved
    ├── StoreEncrypted        store_encrypted
    ├── StoreTooNew           store_too_new
    └── StoreCorrupt          store_corrupt
"""


class MilepostError(Exception):
    """Something went wrong; the message is one sentence that says what to do."""

    code = "error"
    # The id of the request that ended so, by which logs tell more of it.
    request = ""


class InvalidInput(MilepostError, ValueError):
    """An argument cannot be used as given; nothing was changed."""

    code = "invalid_input"


class NotFound(MilepostError, LookupError):
    """No memory goes by that hash."""

    code = "not_found"


class Ambiguous(MilepostError, LookupError):
    """A hash prefix fits several memories."""

    code = "ambiguous"


class ConfigError(MilepostError):
    """A setting cannot be used as given."""

    code = "config"


class EmbedderError(MilepostError):
    """An embedding model cannot be loaded or does not answer."""

    code = "embedder_unavailable"


class Forbidden(MilepostError):
    """Whoever asks may not do that, or not in that space; nothing was changed."""

    code = "forbidden"


class Held(MilepostError):
    """A legal hold keeps what was to be deleted for good; nothing was changed."""

    code = "held"


class KeyConflict(MilepostError):
    """The key of a call was used before: for another call, or its answer is not known."""

    code = "key_conflict"


class Overloaded(MilepostError):
    """Too many calls wait already; nothing was done."""

    code = "overloaded"


class OutOfTime(MilepostError):
    """The time of a program is up; what was not finished was undone."""

    code = "out_of_time"


class Unreachable(MilepostError):
    """A server does not answer, or answers what is not Milepost's."""

    code = "unreachable"


class Unreadable(MilepostError):
    """A document cannot be read, or holds no text; the message says why."""

    code = "unreadable"


class SandboxUnavailable(MilepostError):
    """No program can be run here; the message says why."""

    code = "sandbox_unavailable"


class StoreError(MilepostError):
    """The store failed."""

    code = "store"


class StoreUnavailable(StoreError):
    """The store cannot be opened or reached."""

    code = "store_unavailable"


class StoreBusy(StoreError):
    """Another process held the store longer than we wait."""

    code = "store_busy"


class SpaceMoved(StoreBusy):
    """The space is in another store by now; nothing was changed here."""

    code = "space_moved"


class StoreEncrypted(StoreError):
    """The store is encrypted, and its key was not given or is another; nothing was changed."""

    code = "store_encrypted"


class StoreTooNew(StoreError):
    """The store was written by a newer Milepost."""

    code = "store_too_new"


class StoreCorrupt(StoreError):
    """The store's file is damaged or is not a Milepost store."""

    code = "store_corrupt"


def error_named(code: str) -> type[MilepostError]:
    """Return the class of a code, so that an error raised elsewhere can be raised here."""
    classes = [MilepostError]
    for known in classes:
        classes += known.__subclasses__()
    return next((known for known in classes if known.code == code), MilepostError)


# Of these the words are about the program, a file or the network, and quote nothing.
_PLAIN = (MilepostError, OSError, TypeError, AttributeError, NameError, ImportError, RuntimeError)
# These quote what they were given, which may be a memory.
_QUOTING = (InvalidInput, NotFound, Ambiguous)


def worded(problem: BaseException) -> str:
    """Return what an error is and says; only what it is where it may quote a memory, for logs."""
    if isinstance(problem, _QUOTING):
        return problem.code
    kind = type(problem).__name__
    says = isinstance(problem, _PLAIN) or kind in ("JSONDecodeError", "LookupError")
    if isinstance(problem, MilepostError):
        return str(problem)
    return f"{kind}: {problem}" if says and str(problem) else kind
