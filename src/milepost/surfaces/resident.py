"""How much memory this process has."""

import os
from pathlib import Path


def resident_bytes() -> int:
    """Return how much of this process lies in RAM; its peak where the system tells no more."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
