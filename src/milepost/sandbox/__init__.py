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
    import os

    from milepost.errors import SandboxUnavailable

    if os.name != "posix":
        raise SandboxUnavailable(f"Programs run on POSIX systems only, and this is {os.name}.")
    from milepost.sandbox.runner import Sandbox

    return Sandbox(cache_folder, workers, waiting_max, strict)


def can_compile(cache_folder: Path) -> bool:
    """Whether the guest is still to be compiled for this machine, and can be."""
    import os

    if os.name != "posix":
        return False
    from milepost.sandbox.guest_cache import Cache, why_not

    return not why_not() and not Cache(cache_folder).has_compiled()


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
