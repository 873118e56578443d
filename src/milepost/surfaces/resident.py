"""How much memory this process has."""

import os
import sys
from pathlib import Path


def resident_bytes() -> int:
    """Return how much of this process lies in RAM; its peak or 0 where the system tells no more."""
    pages = Path("/proc/self/statm")
    if pages.exists() and hasattr(os, "sysconf"):
        return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:
        return 0  # Windows does not tell without more
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
