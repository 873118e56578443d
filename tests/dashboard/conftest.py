"""What all tests of the dashboard share: a server with memories, a browser, and its pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pages import CHROMIUM, Remote, Screen, chromium

from milepost.app import Milepost, open_memory
from milepost.config import Settings
from milepost.opening import settings_for
from milepost.surfaces.http import running

PHONE, DESK, WALL = (360, 740), (1280, 800), (3840, 2160)
OpenScreen = Callable[..., Screen]


class Site(NamedTuple):
    """A running server: its address, the memory behind it, and its settings."""

    url: str
    memory: Milepost
    settings: Settings


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser as slow, and skip it where there is none."""
    for item in items:
        if {"screen", "screens"}.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="there is no Chromium here"))
            elif find_spec("playwright") is None:
                item.add_marker(pytest.mark.skip(reason="playwright is not installed"))


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    """One Chromium for all tests of this process."""
    with chromium(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture
def site(path: Path) -> Iterator[Site]:
    """A server over an empty memory."""
    settings = settings_for(path)._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings) as url:
        yield Site(url, memory, settings)


@pytest.fixture
def screens(browser: Remote, request: pytest.FixtureRequest) -> Iterator[OpenScreen]:
    """Opens pages at a server, each as a browser of its own; they must end without a complaint."""
    if "site" in request.fixturenames:
        # It ends after the pages, which follow what happens there.
        request.getfixturevalue("site")
    opened: list[tuple[Remote, Screen]] = []

    def open_screen(url: str, size: tuple[int, int] = DESK, **options: Any) -> Screen:
        viewport = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, reduced_motion="reduce", **options)
        opened.append((context, Screen(context.new_page(), url)))
        return opened[-1][1]

    yield open_screen
    for context, _ in opened:
        context.close()
    assert [problem for _, screen in opened for problem in screen.problems] == []


@pytest.fixture
def screen(screens: OpenScreen, site: Site) -> Screen:
    """A page on a desk, at the server of `site`."""
    return screens(site.url)
