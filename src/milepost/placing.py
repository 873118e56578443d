"""On which store each space is: a map, in a file that is followed as it changes.

A line places one space, or all whose names a pattern fits: `"team-*" = "postgresql://…"`. A name
comes before patterns, these count in their order, `*` last. A space that none fits is where `url`
says.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from milepost.background import Background
from milepost.config import Settings, filled_in
from milepost.errors import ConfigError, MilepostError, SpaceMoved, StoreError
from milepost.location import file_of, is_server, shown
from milepost.memory.context import Context
from milepost.phases import phase
from milepost.secret_sources import revealed

log = logging.getLogger(__name__)

EVERY = "*"
# A store that could not be opened is not tried again for so long.
AWAY_S = 5.0
# So long a space may be read where it was, after it was moved from there: whoever has an old map
# asks the store so often.
MOVED_S = 1.0
# With more spaces than this all are asked for anew.
_SPACES_MAX = 10_000
# How often a process that serves others looks whether all stores are open.
_LOOK_S = 10.0


class Placement(NamedTuple):
    """A name or a pattern, the store of the spaces that it fits, and the line that says so."""

    pattern: str
    url: str
    line: int

    @property
    def rank(self) -> int:
        """In which order placements are looked at: names, patterns, and what fits all."""
        if self.pattern == EVERY:
            return 2
        return int(any(sign in self.pattern for sign in "*?["))


class SpaceMap(NamedTuple):
    """Which spaces are on which store; those that none fits are on the usual one."""

    usual: str
    placements: tuple[Placement, ...] = ()

    def url_of(self, space: str) -> str:
        """Return the address of a space's store, as it is opened."""
        for placement in self.placements:
            if placement.rank == 0 and placement.pattern == space:
                return placement.url
            if placement.rank and fnmatchcase(space, placement.pattern):
                return placement.url
        return self.usual

    def urls(self) -> list[str]:
        """Return the addresses of all stores, the usual one first."""
        return list(dict.fromkeys([self.usual, *(each.url for each in self.placements)]))


class SpacesFile:
    """The file of the map; without one all spaces are on the usual store."""

    def __init__(self, path: str, usual: str) -> None:
        self.path, self._usual = path, usual
        self.problem = ""  # what keeps the newest version of it from being used
        self._stamp: object = None
        self._map: SpaceMap | None = None

    def current(self) -> SpaceMap:
        """Return the map as it is now; one that became unreadable is left as it was."""
        stamp = _stamp(self.path)
        if self._map is None or stamp != self._stamp:
            try:
                self._map, self.problem = self.read(), ""
            except ConfigError as problem:
                if self._map is None:
                    raise
                self.problem = str(problem)
                log.warning("%s", problem)
            self._stamp = stamp
        return self._map

    def read(self) -> SpaceMap:
        """Return what the file says."""
        text = _text(self.path)
        placements = sorted(_placements(self.path, text), key=lambda placement: placement.rank)
        return SpaceMap(self._usual, tuple(placements))

    def place(self, space: str, address: str) -> None:
        """Write down where a space is, as a whole: whoever reads sees it before or after."""
        import tomlkit

        document = tomlkit.parse(_text(self.path))
        document[space] = address
        place = Path(self.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        partial = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            with partial.open("w", encoding="utf-8") as file:
                partial.chmod(place.stat().st_mode & 0o777 if place.exists() else 0o600)
                file.write(tomlkit.dumps(document))
                file.flush()
                os.fsync(file.fileno())
            partial.replace(place)
        finally:
            partial.unlink(missing_ok=True)


def _stamp(path: str) -> object:
    if not path:
        return None
    try:
        about = os.stat(path)  # noqa: PTH116 -- at every call, and pathlib takes longer
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8") if path else ""
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as problem:
        raise ConfigError(f"{path} cannot be read: {problem}.") from problem


def _placements(path: str, text: str) -> Iterator[Placement]:
    import tomllib

    try:
        written = tomllib.loads(text)
    except ValueError as problem:
        raise ConfigError(f"{path} cannot be read: {problem}.") from problem
    for pattern, value in written.items():
        line = _line_of(text, pattern)
        where = f"{path}, line {line}"
        if not isinstance(value, str) or not value.strip():
            raise ConfigError(f'{where}: {pattern!r} must name a store, as "postgresql://…".')
        try:
            url = address_of(value)
        except ConfigError as problem:
            raise ConfigError(f"{where}: {problem}") from problem
        if is_server(url):
            raise ConfigError(
                f"{where}: a space is placed on a file or on postgresql://, not on the server "
                f"{shown(url)}."
            )
        yield Placement(pattern, _beside(path, url), line)


def _beside(path: str, url: str) -> str:
    """Return an address whose file, if it is one, is looked for from the folder of the map."""
    file = file_of(url)
    return url if file is None else str(Path(path).parent / file)


def address_of(value: str) -> str:
    """Return the address that a value names, with the secrets in it that lie elsewhere."""
    return filled_in(revealed("the address", value.strip()).strip())


def _line_of(text: str, pattern: str) -> int:
    for number, line in enumerate(text.splitlines(), 1):
        key = line.partition("=")[0].strip()
        if key in (pattern, f'"{pattern}"', f"'{pattern}'"):
            return number
    return 1


def at_its_store(settings: Settings) -> Settings:
    """Return settings for the one store that their space is on."""
    if not _stamp(settings.spaces_file):
        return settings
    url = SpacesFile(settings.spaces_file, settings.url).read().url_of(settings.space)
    return settings if url == settings.url else settings.alone_at(url)


class PlacedStores:
    """What is open of each store, from when a space of it was first asked for."""

    def __init__(self, file: SpacesFile, open_at: Callable[[str], Context]) -> None:
        self.file = file
        self._open_at = open_at
        self._open: dict[str, Context] = {}
        self._away: dict[str, tuple[float, StoreError]] = {}
        self._here: dict[tuple[str, str], float] = {}  # until when a space is known to be there
        self._contexts: dict[str, tuple[Context, object, Context]] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._then: list[Callable[[Context], None]] = []
        self._background = Background("stores", self._look, self.close, poll_s=_LOOK_S)

    def home(self, space: str) -> Context:
        """Return the store of a space, opened; one that is away fails and no other does."""
        url = self.file.current().url_of(space)
        opened = self._at(url)
        now = time.monotonic()
        if self._here.get((url, space), 0.0) < now:
            self._refuse_moved(space, url, opened)
            if len(self._here) >= _SPACES_MAX:
                self._here.clear()
            self._here[url, space] = now + MOVED_S
        return opened

    def _refuse_moved(self, space: str, url: str, opened: Context) -> None:
        """Raise for who has an old map: what is left there is an old copy."""
        target = opened.store.moved_to(space)
        if target is not None:
            raise SpaceMoved(
                f"The space {space} was moved to {target}, out of {shown(url)}; spaces.toml must "
                "say so here too."
            )

    def context(self, space: str) -> Context:
        """Return what works for a space: the same until its store or its settings are others."""
        home = self.home(space)
        settings = None if home.settings_in is None else home.settings_in(space)
        known = self._contexts.get(space)
        if known is None or known[0] is not home or known[1] is not settings:
            if len(self._contexts) >= _SPACES_MAX:
                self._contexts.clear()
            known = self._contexts[space] = home, settings, home.moved_to(home, space)
        return known[2]

    def is_open(self, space: str) -> bool:
        """Whether the store of a space is open already."""
        return self.file.current().url_of(space) in self._open

    def _at(self, url: str) -> Context:
        opened = self._open.get(url)
        if opened is None:
            with self._locks.setdefault(url, threading.Lock()):
                opened = self._open.get(url)
                if opened is None:
                    opened = self._opened(url)
        return opened

    def _opened(self, url: str) -> Context:
        until, problem = self._away.get(url, (0.0, None))
        if problem is not None and time.monotonic() < until:
            raise problem
        try:
            with phase("opening the store"):
                opened = self._open_at(url)
        except StoreError as problem:
            self._away[url] = (time.monotonic() + AWAY_S, problem)
            raise
        self._away.pop(url, None)
        for act in self._then:
            act(opened)
        self._open[url] = opened
        return opened

    def each(self, act: Callable[[Context], None]) -> None:
        """Do something with every store that is open, and with those that will be."""
        self._then.append(act)
        for opened in list(self._open.values()):
            act(opened)

    def keep_open(self) -> None:
        """Open all that the map names from now on, also those that are away for a while."""
        self._background.ask()

    def open_all(self) -> dict[str, StoreError]:
        """Open what the map names; return by shown address which are away."""
        away: dict[str, StoreError] = {}
        for url in self.file.current().urls():
            try:
                self._at(url)
            except StoreError as problem:
                away[shown(url)] = problem
        return away

    def opened(self) -> list[Context]:
        """Return what is open, of each store once."""
        return list(self._open.values())

    def _look(self) -> None:
        self.open_all()

    def problems(self) -> list[str]:
        """Tell in words what is wrong with the map, and with the stores beside one's own."""
        told = [self.file.problem] if self.file.problem else []
        told += [f"a store is away: {problem}" for _, problem in self._away.values()]
        for opened in list(self._open.values()):
            try:
                told += opened.store.problems()
            except MilepostError as problem:
                told.append(str(problem))
        return told

    def close(self) -> None:
        """Let go of all stores."""
        self._background.close()
        # What one has left to write may belong to a space that is on another by now.
        self._contexts.clear()
        while self._open:
            self._open.pop(next(iter(self._open))).release()
