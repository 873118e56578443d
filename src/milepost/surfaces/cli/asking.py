"""Ask whoever sits at the terminal before something is changed for good."""

import sys

from milepost.surfaces.cli.command import Misuse


def agreed(question: str) -> bool:
    """Ask whether to go on; where nobody can be asked, the call must have said so."""
    if not sys.stdin.isatty():
        raise Misuse("nobody can be asked here: give --yes, or --dry-run to only see the changes")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
