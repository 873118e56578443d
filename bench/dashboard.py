"""How quickly the dashboard comes up, and how fluent its graph is with 500 nodes.

Prints the median of some runs in the system's Chromium, each as a browser of its own, on loopback:
milliseconds and bytes until Home shows what it shows; milliseconds of the page's own work until the
graph lies still, and for drawing it once more. Targets: 1 s, 300 kB, and 16 ms a drawing.
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "dashboard"))
sys.path.insert(0, str(Path(__file__).parent))
from pages import Remote, Screen, chromium

from common import save, table
from demo_store import fill
from milepost.app import Milepost, open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running

NODES, MORE, RUNS = 500, 250, 5
KINDS = "service package person place file decision version".split()
# What the page's scripts spend in callbacks of frames, in which all of the graph is laid and drawn.
COUNTED = (
    "window.spent = []; const asked = window.requestAnimationFrame.bind(window);"
    "window.requestAnimationFrame = work => asked(at => {"
    "const began = performance.now(); work(at); window.spent.push(performance.now() - began); });"
)
LOADED = (
    "[performance.now(), ['navigation', 'resource'].flatMap(type =>"
    "performance.getEntriesByType(type)).reduce((sum, each) => sum + each.transferSize, 0)]"
)


def main() -> None:
    """Measure and write down."""
    figures: dict[str, Any] = {"nodes": NODES, "relations": NODES - 1 + MORE, "runs": RUNS}
    with tempfile.TemporaryDirectory() as home, chromium(Path(home) / "chromium") as browser:
        shop = Path(home) / "shop.db"
        fill(shop)
        with _served(shop) as (_, url):
            figures |= first_view(browser, url)
        with _served(Path(home) / "graph.db") as (memory, url):
            _relate(memory)
            figures |= graph(browser, url)
    figures = {name: round(value, 1) for name, value in figures.items()}
    print(table(["figure", "value"], figures.items()))
    save("dashboard", figures)


@contextmanager
def _served(path: Path) -> Iterator[tuple[Milepost, str]]:
    settings = settings_for(path)._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings) as url:
        yield memory, url


def first_view(browser: Remote, url: str) -> dict[str, float]:
    """Open Home as somebody does for the first time."""
    seen = []
    for _ in range(RUNS):
        context = browser.new_context()
        screen = Screen(context.new_page(), url).open()
        screen.see(".feed")
        seen.append(screen.page.evaluate(LOADED))
        context.close()
    times, sizes = zip(*seen, strict=True)
    return {"first_view_ms": statistics.median(times), "first_view_bytes": max(sizes)}


def graph(browser: Remote, url: str) -> dict[str, float]:
    """Let the graph come to rest, then go through it."""
    laid, drawn, apart = [], [], []
    for _ in range(RUNS):
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.add_init_script(COUNTED)
        screen = Screen(page, url).open("graph")
        for _ in range(2):
            page.get_by_role("button", name="More").click()
        screen.see("[role=status]", f"{NODES}")
        screen.wait("document.querySelector('canvas').dataset.still === 'true'")
        spent = page.evaluate("spent")
        laid.append(sum(spent))
        apart.append(sorted(spent)[int(len(spent) * 0.95)])
        page.locator("canvas").focus()
        page.evaluate("spent.length = 0")
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp") * 4:
            screen.press(key)
        screen.see(".detail h2")
        drawn.append(statistics.median(page.evaluate("spent")))
        context.close()
    return {
        "graph_at_rest_ms": statistics.median(laid),
        "graph_frame_p95_ms": statistics.median(apart),
        "graph_step_ms": statistics.median(drawn),
    }


def _relate(memory: Milepost) -> None:
    """State so many relations between as many entities, a tree with some ways across."""
    dice = Random(3)
    names = [f"{KINDS[n % len(KINDS)]}-{n}" for n in range(NODES)]
    pairs = [(names[n], names[int(n * dice.random() ** 2)]) for n in range(1, NODES)]
    pairs += [(a, b) for a, b in (dice.sample(names, 2) for _ in range(MORE))]
    entities = [{"type": "entity", "name": n, "entityType": n.partition("-")[0]} for n in names]
    relations = [{"type": "relation", "from": a, "to": b, "relationType": "uses"} for a, b in pairs]
    memory.import_graph([*entities, *relations])


if __name__ == "__main__":
    main()
