"""Start processes of our own that outlive the one that starts them."""

from __future__ import annotations

import os
import subprocess
import sys


def start_detached(*arguments: str) -> subprocess.Popen[bytes]:
    """Run a command of ours in the background, in a session of its own and without a terminal."""
    return subprocess.Popen(  # noqa: S603 -- this very program
        # -P: a module in the folder that this was started in must not be taken for one of ours.
        [sys.executable, "-P", "-m", "milepost", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/" if os.name == "posix" else None,
    )
