"""The documentation is a site of plain files whose links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from release.conftest import RELEASE, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = built(folder)
    assert done.returncode == 0, done.stderr
    return folder


def built(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RELEASE / "website.py"), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_page_of_the_documentation_is_in_it(site: Path) -> None:
    pages = {page.relative_to(site).with_suffix("").as_posix() for page in site.rglob("*.html")}
    written = {
        page.relative_to(ROOT).with_suffix("").as_posix() for page in ROOT.glob("docs/**/*.md")
    }

    assert {name.replace("README", "index") for name in written} <= pages


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    loaded = [
        address
        for page in site.rglob("*.html")
        for address in re.findall(r'(?:src|<link[^>]+href)="([^"]+)"', page.read_text())
    ]
    assert [address for address in loaded if "://" in address] == []


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(RELEASE)!r}); import website;"
        "print(website.dead_links(website.Path(sys.argv[1])))"
    )
    (tmp_path / "index.html").write_text('<h1 id="a">A</h1><a href="#a">1</a><a href="#b">2</a>')
    (tmp_path / "other.html").write_text('<a href="gone.html">3</a><a href="index.html#a">4</a>')

    told = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() in (
        "['index.html: #b', 'other.html: gone.html']",
        "['other.html: gone.html', 'index.html: #b']",
    )


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")

    done = built(tmp_path)

    assert done.returncode == 2
    assert "holds something else" in done.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine"
