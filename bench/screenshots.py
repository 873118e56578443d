"""Make the pictures of the dashboard that the documentation shows, from a store of demo_store.py.

Takes the system's Chromium and Playwright, as the tests do: python bench/screenshots.py [NAME …]
"""

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "dashboard"))
sys.path.insert(0, str(Path(__file__).parent))
from pages import CHROMIUM, Remote, Screen, chromium
from PIL import Image

from demo_store import fill
from milepost.app import Milepost, open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running

FOLDER = Path(__file__).parents[1] / "docs" / "images"
DESK, PHONE = (1180, 740), (360, 740)
BYTES_MAX = 150_000


class Picture(NamedTuple):
    """A view as it is shown: what is opened, what is waited for, and which keys are pressed."""

    view: str
    waits_for: str
    params: dict[str, str] | None = None
    keys: tuple[str, ...] = ()
    colours: str = "light"
    size: tuple[int, int] = DESK


def pictures(memory: Milepost) -> dict[str, Picture]:
    """Return by name what is to be shown of the store."""
    hash_ = memory.search("which database did we choose?").memories[0].hash
    episode = memory.list_episodes(outcome="success").episodes[1].id
    pattern = memory.list_patterns(kind="recovery").patterns[0].id
    plan = memory.consolidate(dry_run=True).run_id
    asked = {"q": "which database did we choose?"}
    return {
        "home": Picture("home", ".plot rect"),
        "search": Picture("search", ".results > li:nth-child(2) .gain", asked),
        "browse": Picture("browse", ".detail .content", {"hash": hash_}),
        "time": Picture("time", ".reward-terms", {"open": episode}, ("n", "n"), "dark"),
        "patterns": Picture("time", ".arithmetic", {"mode": "patterns", "open": pattern}),
        "graph": Picture("graph", ".detail .feed", {"entity": "billing-service"}, ("e",)),
        "consolidation": Picture(f"consolidation/{plan}", ".run h2"),
        "costs": Picture("costs", ".plot rect"),
        "admin": Picture("admin/keys", "table"),
        "phone": Picture("time", ".entry", size=PHONE, colours="dark"),
    }


def take(browser: Remote, url: str, name: str, picture: Picture) -> int:
    """Take a picture and return how many bytes it has."""
    width, height = picture.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=picture.colours,
        reduced_motion="reduce",
    )
    screen = Screen(context.new_page(), url).open(picture.view, **(picture.params or {}))
    screen.see(picture.waits_for)
    screen.press(*picture.keys)
    screen.page.wait_for_timeout(1_500)
    path = FOLDER / f"dashboard-{name}.png"
    screen.page.screenshot(path=str(path))
    context.close()
    # Of 256 colours, as a page has hardly more, it has a third of the bytes.
    with Image.open(path) as taken:
        taken.convert("RGB").quantize(256).save(path, optimize=True)
    return path.stat().st_size


def main(names: list[str]) -> None:
    """Take the pictures that are named, or all."""
    if CHROMIUM is None:
        raise SystemExit("There is no Chromium here; sh tests/dashboard/install.sh installs it.")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.db"
        fill(path)
        settings = settings_for(path)._replace(port=0)
        with (
            open_memory(settings) as memory,
            running(memory, settings) as url,
            chromium(Path(folder) / "chromium") as browser,
        ):
            for name, picture in pictures(memory).items():
                if not names or name in names:
                    size = take(browser, url, name, picture)
                    print(f"{name} {size:,} bytes")
                    if size > BYTES_MAX:
                        raise SystemExit(f"{name} is larger than {BYTES_MAX:,} bytes.")


if __name__ == "__main__":
    main(sys.argv[1:])
