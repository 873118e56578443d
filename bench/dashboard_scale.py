"""How fast the dashboard shows a large memory: its first view, a long list, and leaps in it.

usage: python bench/dashboard_scale.py [--memories 100000] [--store FILE]

A real Chromium looks at a real server on loopback. A view is seen when its first memories or
figures stand there, and complete when nothing is on its way. Frames are those of a list of all
memories that is scrolled for some seconds at the speed of a wheel; a leap is a pull of the scroll
bar to a place whose rows are fetched then. Writes `bench/results/dashboard_scale.json`.
"""

import argparse
import random
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from common import p50_p95, save, table
from milepost.app import Milepost, open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running

AT_ONCE, DAYS = 5_000, 300
WORDS = (
    "checkout billing search index login page deploy pipeline cache mobile app warehouse uses "
    "depends moved tested monitored fails slower owned retry timeout latency token budget flags"
).split()
VIEWS = {"home": ".feed", "browse": ".row:not(.waiting)", "search": ".summary"}
SIZES = (
    "['navigation', 'resource'].flatMap(type => performance.getEntriesByType(type))"
    ".map(each => each.transferSize)"
)
SEEN = """selector => new Promise(done => { const look = () => document.querySelector(selector)
  ? done(performance.now()) : requestAnimationFrame(look); look(); })"""
SCROLLED = """async ([seconds, speed]) => {
  const list = document.querySelector('.virtual'), gaps = [];
  const end = performance.now() + seconds * 1000;
  for (let last = await new Promise(requestAnimationFrame); last < end;) {
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    list.scrollTop += speed * (now - last) / 1000;
    last = now;
  }
  return gaps;
}"""
LEAPED = """async part => {
  const list = document.querySelector('.virtual'), began = performance.now();
  list.scrollTop = list.scrollHeight * part;
  for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
  while (document.querySelector('.row.waiting')) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


def fill(memory: Milepost, count: int) -> None:
    """Store so many short memories of the last months."""
    chance, now = random.Random(3), time.time()
    for at in range(0, count, AT_ONCE):
        memory.store_batch([
            {
                "content": f"{' '.join(chance.choice(WORDS) for _ in range(18))} {at + number}",
                "tags": chance.sample(["db", "ops", "perf", "auth"], 2),
                "project": chance.choice(["shop", "billing"]),
                "created": now - chance.random() * DAYS * 86_400,
            }
            for number in range(min(AT_ONCE, count - at))
        ])  # fmt: skip


def first_views(page: Page, url: str) -> dict[str, dict[str, float]]:
    """Return for each view, in a browser that was never there, when it was seen and its size."""
    found = {}
    for view, selector in VIEWS.items():
        times, complete, sizes, requests = [], [], [], 0
        for _ in range(5):
            fresh = page.context.browser.new_context()  # type: ignore[union-attr]
            shown = fresh.new_page()
            shown.goto(f"{url}/#/{view}", wait_until="commit")
            times.append(shown.evaluate(SEEN, selector))
            complete.append(shown.evaluate(SEEN, "main:not(:has([aria-busy]))"))
            received = shown.evaluate(SIZES)
            sizes.append(sum(received))
            requests = len(received)
            shown.wait_for_load_state("networkidle")  # the next one finds nobody else asking
            fresh.close()
        found[view] = {
            "ms": p50_p95(times)[0],
            "complete_ms": p50_p95(complete)[0],
            "bytes": max(sizes),
            "requests": requests,
        }
    return found


def measure(url: str, browser_path: str) -> dict[str, Any]:
    """Look at a server with a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        views = first_views(page, url)
        page.goto(f"{url}/#/browse")
        page.wait_for_selector(".row:not(.waiting)")
        gaps = page.evaluate(SCROLLED, [5, 3_000])
        chance = random.Random(5)
        leaps = [page.evaluate(LEAPED, chance.random()) for _ in range(40)]
        rows = page.locator(".row").count()
        browser.close()
    p50, p95 = p50_p95(gaps)
    return {
        "first_view": views,
        "frames": {"p50_ms": p50, "p95_ms": p95, "max_ms": max(gaps), "of": len(gaps)},
        "leap": dict(zip(("p50_ms", "p95_ms"), p50_p95(leaps), strict=True)),
        "rows_in_page": rows,
    }


def main() -> None:
    """Fill a store, serve it, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--store", type=Path, help="one that is filled already")
    given = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "there is no Chromium here"
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_for(given.store or Path(folder) / "m.db")._replace(port=0)
        with open_memory(settings) as memory:
            if given.store is None:
                fill(memory, given.memories)
            with running(memory, settings) as url:
                figures = {"memories": memory.stats().memories, **measure(url, browser)}
    print(table(
        ("view", "ms", "complete ms", "bytes", "requests"),
        [(view, *each.values()) for view, each in figures["first_view"].items()],
    ))  # fmt: skip
    print({name: each for name, each in figures.items() if name != "first_view"})
    print(save("dashboard_scale", figures))


if __name__ == "__main__":
    main()
