"""The page at /docs in a real browser: what it offers to try works, under its own policy."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from milepost.app import Milepost, open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running
from support import PATIENCE_S

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
]
# Fill in a form as a person does, send it, and wait for what it tells.
TRY = """(async () => {
  const form = document.querySelector(`form[data-tool="%s"]`);
  for (const [name, value] of Object.entries(%s)) form.elements[name].value = value;
  const told = form.querySelector("output");
  form.querySelector("button").click();
  while (["", "…"].includes(told.textContent)) await new Promise(done => setTimeout(done, 10));
  return told.textContent;
})()"""


class Browser:
    """A Chromium without a window, told what to do through its debugging pipe."""

    def __init__(self, home: Path) -> None:
        to_it, self._writing = os.pipe()
        self._reading, from_it = os.pipe()
        flags = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage"
        script = (
            f'exec "$0" {flags} --remote-debugging-pipe "--user-data-dir=$1" about:blank '
            f"3<&{to_it} 4>&{from_it}"
        )
        assert CHROMIUM is not None
        self._process = subprocess.Popen(
            ["bash", "-c", script, CHROMIUM, str(home)],
            pass_fds=(to_it, from_it),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"HOME": str(home)},
        )
        os.close(to_it)
        os.close(from_it)
        self._held, self._last = b"", 0
        self._session: str | None = None
        self.said: list[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._last:
            if answer.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
                self.said.append(json.dumps(answer["params"]))
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, url: str) -> None:
        self.ask("Page.navigate", url=url)
        loaded = "new Promise(done => addEventListener('load', () => done(true)))"
        assert self.evaluate(f"document.readyState === 'complete' || {loaded}")

    def evaluate(self, code: str) -> Any:
        given = {"expression": code, "awaitPromise": True, "returnByValue": True}
        result = self.ask("Runtime.evaluate", **given)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._held:
            part = os.read(self._reading, 1 << 16)
            assert part, "the browser is gone"
            self._held += part
        line, _, self._held = self._held.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message

    def close(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_S)
        os.close(self._writing)
        os.close(self._reading)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    browser = Browser(tmp_path)
    yield browser
    browser.close()


@pytest.fixture
def site(path: Path) -> Iterator[tuple[str, Milepost]]:
    settings = settings_for(path)._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings) as url:
        yield url, memory


def test_search_and_store_are_tried_on_the_page(
    browser: Browser, site: tuple[str, Milepost]
) -> None:
    url, memory = site
    browser.open(f"{url}/docs")

    def tried(tool: str, **given: str) -> str:
        return str(browser.evaluate(TRY % (tool, json.dumps(given))))

    assert tried("search", query="which database?") == "no matching memory"
    name = tried("store", content="We chose <b>PostgreSQL</b>", tags="db, decision")
    assert sorted(memory.get(name).tags) == ["db", "decision"]
    assert "PostgreSQL" in tried("search", query="which database?", limit="3")
    assert browser.evaluate("document.querySelectorAll('output b').length") == 0
    assert browser.said == []
    assert "limit" in tried("search", query="which database?", limit="many")
