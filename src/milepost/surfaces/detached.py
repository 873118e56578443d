"""Start processes of our own that outlive the one that starts them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

# On Windows a process of its own group, without a console that would show or end with it.
_DETACHED = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(
    subprocess, "CREATE_NEW_PROCESS_GROUP", 0
)


def start_detached(*arguments: str, url: str) -> subprocess.Popen[bytes]:
    """Run a command of ours in the background, in a session of its own and without a terminal.

    url: the store; others see the arguments of a process, and it may hold a password.
    """
    process = subprocess.Popen(  # noqa: S603 -- this very program
        # -P: a module in the folder that this was started in must not be taken for one of ours.
        [sys.executable, "-P", "-m", "milepost", *arguments],
        env=os.environ | {"MILEPOST_URL": url},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/" if os.name == "posix" else None,
        creationflags=_DETACHED,
    )
    # Should it end before this process does, it must not stay behind as a zombie.
    threading.Thread(target=process.wait, daemon=True).start()
    return process
