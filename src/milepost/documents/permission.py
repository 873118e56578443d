"""Who may have files of this machine read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from milepost.access.values import BY_PROGRAM, CALLER, OWNER
from milepost.errors import Forbidden


def is_trusted() -> bool:
    """Whether whoever calls could read the files anyway: this user, by no key, by no program.

    A program runs where no file can be read, whoever has it run.
    """
    caller = CALLER.get()
    return not caller.key and caller.address == OWNER.address and caller.surface != BY_PROGRAM


def refuse_outside(path: str, allowed: Sequence[str]) -> None:
    """Raise unless a real path lies in a folder that the setting ingest_folders allows.

    What is said is the same whether there is anything at the path or not.
    """
    folders = [os.path.realpath(os.path.expanduser(folder)) for folder in allowed]
    if any(path == folder or path.startswith(os.path.join(folder, "")) for folder in folders):
        return
    if not folders:
        raise Forbidden(
            "This server reads no files for others; name the folders that it may read in its "
            "setting ingest_folders, or ingest on the machine itself."
        )
    raise Forbidden("That is outside of the folders that this server's ingest_folders names.")
