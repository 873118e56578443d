"""The modules a program may import: there is no file system, so all are loaded at build time."""

from __future__ import annotations

import encodings
import pkgutil
from difflib import get_close_matches

MODULES = tuple(
    """
    abc annotationlib argparse array ast asyncio base64 binascii bisect builtins calendar cmath
    codecs collections collections.abc colorsys concurrent.futures configparser contextlib
    contextvars copy csv dataclasses datetime decimal difflib email.utils enum errno fnmatch
    fractions functools graphlib hashlib heapq hmac html html.entities html.parser inspect io
    ipaddress itertools json keyword locale logging math numbers operator pathlib pickle pprint
    queue random re reprlib secrets shlex statistics string string.templatelib struct sys textwrap
    threading time timeit token tokenize tomllib traceback types typing unicodedata urllib.parse
    uuid warnings weakref xml.etree.ElementTree xml.sax.saxutils zlib zoneinfo __future__ milepost
    milepost.errors milepost.memory.values milepost.sessions.values milepost.experience.values
    milepost.upkeep.values
    """.split()
)

# What CPython and the modules above load only when it is used: a long number becomes text, a
# template string is copied, a syntax tree is written out.
HIDDEN = tuple(
    """
    _ast_unparse _compat_pickle _pylong _strptime asyncio.taskgroups asyncio.timeouts
    concurrent.futures.thread email.generator email.policy linecache rlcompleter tracemalloc
    xml.parsers.expat xml.sax.expatreader
    """.split()
)

# Codecs of another system, or of a library that is not built in.
_FOREIGN = frozenset({"bz2_codec", "mbcs", "oem", "_win_cp_codecs"})


def codecs() -> list[str]:
    """Return the modules of all encodings, each of which is loaded when text is first in it."""
    names = (module.name for module in pkgutil.iter_modules(encodings.__path__))
    return [f"encodings.{name}" for name in names if name not in _FOREIGN]


_INSTEAD = {
    "numpy": "use statistics, math and lists",
    "pandas": "use collections.Counter, defaultdict, itertools.groupby and csv",
    "scipy": "use statistics and math",
    "sklearn": "use statistics, math and difflib",
    "dateutil": "use datetime.fromisoformat and timedelta",
    "pytz": "use zoneinfo",
    "yaml": "use json or tomllib",
    "os": "there are no files, processes or variables here; pathlib.PurePath works on names",
    "shutil": "there are no files here",
    "glob": "there are no files here",
    "tempfile": "there are no files here; io.StringIO keeps text in memory",
    "sqlite3": "call the functions of the memory instead",
    "subprocess": "no other program can be run here",
    "multiprocessing": "no other process can be started here",
    "socket": "there is no network here",
    "ssl": "there is no network here",
    "requests": "there is no network here",
    "httpx": "there is no network here",
    "aiohttp": "there is no network here",
    "urllib.request": "there is no network here",
    "http": "there is no network here",
    "ctypes": "there is no native code here",
    "signal": "a program is stopped from outside when its time is up",
}


def importable(name: str) -> bool:
    """Whether a module, or a package on the way to one, is on the list."""
    return any(name == known or known.startswith(f"{name}.") for known in MODULES)


def instead(name: str) -> str:
    """Return what to do without a module."""
    advice = _INSTEAD.get(name) or _INSTEAD.get(name.partition(".")[0])
    near = get_close_matches(name, MODULES, n=1, cutoff=0.8)
    if advice:
        said = f"{advice[0].upper()}{advice[1:]}. "
    else:
        said = f"Did you mean {near[0]}? " if near else ""
    return f"{said}Available: {', '.join(m for m in MODULES if m[0] != '_')}."
