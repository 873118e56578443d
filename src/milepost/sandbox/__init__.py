"""Where programs of agents run: CPython as WASM, in worker processes that can do nothing else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from milepost.sandbox.runner import Sandbox


def open_sandbox(
    cache_folder: Path, *, workers: int = 2, waiting_max: int = 64, strict: bool = False
) -> Sandbox:
    """Return a sandbox; nothing starts before `prepare` or the first run.

    cache_folder: a private folder for the guest compiled for this machine.
    strict: refuse to run where one of the six layers is not available.
    """
    from milepost.errors import SandboxUnavailable

    why = why_not()
    if why:
        raise SandboxUnavailable(f"Programs cannot be run: {why}.")
    from milepost.sandbox.runner import Sandbox

    return Sandbox(cache_folder, workers, waiting_max, strict)


def why_not() -> str:
    """Return why no program can run on this system, whatever is installed; nothing if some can."""
    import os
    from importlib.util import find_spec

    if os.name != "posix" or find_spec("fcntl") is None or find_spec("resource") is None:
        return f"they need a POSIX system, and this is {os.name}"
    return ""


def can_compile(cache_folder: Path) -> bool:
    """Whether the guest is still to be compiled for this machine, and can be."""
    if why_not():
        return False
    from milepost.sandbox import guest_cache

    return not guest_cache.why_not() and not guest_cache.Cache(cache_folder).has_compiled()


def compile_ahead(cache_folder: Path, *, beside_others: bool = False) -> None:
    """Compile the guest for this machine unless that was done; takes some seconds.

    beside_others: leave it to whoever is at it already, instead of waiting for them.
    """
    import os

    from milepost.sandbox.guest_cache import Cache

    if can_compile(cache_folder):
        cache = Cache(cache_folder)
        if not (beside_others and cache.is_being_compiled()):
            os.close(cache.open())
