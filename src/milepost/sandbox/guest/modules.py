"""The modules a program may import: there is no file system, so all are loaded at build time."""

from __future__ import annotations

from difflib import get_close_matches

MODULES = tuple(
    """
    abc argparse array ast asyncio base64 binascii bisect builtins calendar cmath codecs collections
    collections.abc colorsys concurrent.futures configparser contextlib contextvars copy csv
    dataclasses datetime decimal difflib email.utils enum errno fnmatch fractions functools
    graphlib hashlib heapq hmac html html.entities html.parser inspect io ipaddress
    itertools json keyword locale logging math numbers operator pathlib pprint queue random
    re reprlib secrets shlex statistics string struct sys textwrap threading time timeit token
    tokenize tomllib traceback types typing unicodedata urllib.parse uuid warnings weakref
    xml.etree.ElementTree xml.sax.saxutils zlib zoneinfo __future__ milepost milepost.errors
    milepost.model.briefing milepost.model.experience milepost.model.results
    """.split()
)

# What the modules above load only when they are used.
HIDDEN = tuple(
    """
    _strptime encodings.ascii encodings.cp1252 encodings.hex_codec
    encodings.idna encodings.iso8859_1 encodings.iso8859_15 encodings.latin_1 encodings.punycode
    encodings.raw_unicode_escape encodings.rot_13 encodings.unicode_escape encodings.utf_16
    encodings.utf_16_be encodings.utf_16_le encodings.utf_32 encodings.utf_8_sig
    concurrent.futures.thread asyncio.timeouts asyncio.taskgroups linecache rlcompleter
    """.split()
)

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
