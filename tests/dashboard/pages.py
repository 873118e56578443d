"""A real Chromium for tests, one for all of them, told what to do through Playwright.

Playwright runs on a thread of its own: its event loop would be in the way of tests that have one.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import isawaitable
from pathlib import Path
from shutil import which
from typing import Any

from support import wait_until

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage",
]  # fmt: skip
# However busy the machine is, a page is given this long for what it must show.
PATIENCE_MS = 60_000
SERIOUS = ("serious", "critical")


class Remote:
    """An object of Playwright's asynchronous interface, used from another thread."""

    def __init__(self, it: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.it = it
        self.loop = loop

    def __getattr__(self, name: str) -> Any:
        return self._given(getattr(self.it, name))

    def _given(self, value: Any) -> Any:
        if isawaitable(value):
            value = asyncio.run_coroutine_threadsafe(_result(value), self.loop).result()
        if callable(value) and not type(value).__module__.startswith("playwright"):
            return lambda *args, **kwargs: self._called(value, args, kwargs)
        if isinstance(value, list):
            return [self._given(each) for each in value]
        ours = type(value).__module__.startswith("playwright")
        return Remote(value, self.loop) if ours else value

    def _called(self, method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        plain = [arg.it if isinstance(arg, Remote) else arg for arg in args]

        async def call() -> Any:
            answer = method(*plain, **kwargs)
            return await answer if isawaitable(answer) else answer

        return self._given(asyncio.run_coroutine_threadsafe(call(), self.loop).result())


async def _result(value: Any) -> Any:
    return await value


@contextmanager
def chromium(home: Path) -> Iterator[Remote]:
    """Run Chromium, which keeps what it keeps in a folder."""
    from playwright.async_api import async_playwright

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="playwright", daemon=True)
    thread.start()

    def wait(coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result()

    manager = async_playwright()
    driver = wait(manager.__aenter__())
    home.mkdir(parents=True, exist_ok=True)
    browser = wait(
        driver.chromium.launch(
            executable_path=CHROMIUM, args=FLAGS, env={"HOME": str(home), "LANG": "C.UTF-8"}
        )
    )
    try:
        yield Remote(browser, loop)
    finally:
        wait(browser.close())
        wait(manager.__aexit__())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class Screen:
    """A page of the dashboard, and all that it complained of.

    problems: what stood in the console as an error: exceptions, violations of the policy, and
        answers of 4xx and 5xx; and what was asked of anybody else than the server. Tests end with
        none, but for those that they take out.
    """

    def __init__(self, page: Remote, url: str) -> None:
        self.page = page
        self.url = url
        self.problems: list[str] = []
        self.received: list[tuple[str, int]] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        page.on("request", self._asked)
        page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((f"{self.url}/", "data:")):
            self.problems.append(f"asked elsewhere: {request.url}")

    def open(self, view: str = "home", **params: str) -> Screen:
        """Open a view by its name and wait until it shows something."""
        from urllib.parse import urlencode

        query = f"?{urlencode(params)}" if params else ""
        self.page.goto(f"{self.url}/#/{view}{query}")
        self.see(f".view-{view.partition('/')[0]} h1")
        self.wait("!document.querySelector('main [aria-busy]')")
        return self

    def see(self, selector: str, text: str | None = None) -> Remote:
        """Wait until something is seen, and return it."""
        found = self.page.locator(selector)
        if text is not None:
            found = Remote(found.it.filter(has_text=text), found.loop)
        first = found.first
        first.wait_for(state="visible", timeout=PATIENCE_MS)
        return first

    def gone(self, selector: str, text: str | None = None) -> None:
        """Wait until something is seen no more."""
        found = self.page.locator(selector)
        if text is not None:
            found = Remote(found.it.filter(has_text=text), found.loop)
        found.first.wait_for(state="hidden", timeout=PATIENCE_MS)

    def wait(self, condition: str) -> None:
        """Wait until an expression of JavaScript is true in the page.

        Asked again and again from outside: the policy of the page binds what waits in it.
        """
        wait_until(lambda: self.page.evaluate(condition))

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def count(self, selector: str) -> int:
        """Return how many elements there are."""
        return int(self.page.locator(selector).count())

    def text(self, selector: str = "main") -> str:
        """Return the text that stands in an element."""
        return str(self.page.locator(selector).first.inner_text())

    def widest(self) -> int:
        """Return how many pixels the page is wider than its window."""
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(wide))

    def faults(self) -> list[str]:
        """Return what axe finds that is serious."""
        from importlib.resources import files

        if not self.page.evaluate("'axe' in window"):
            # By the debugger, which the policy of the page does not bind.
            self.page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text())
        found = self.page.evaluate("async () => (await axe.run()).violations")
        return [
            f"{fault['id']}: {fault['help']} {[node['html'][:200] for node in fault['nodes'][:3]]}"
            for fault in found
            if fault["impact"] in SERIOUS
        ]
