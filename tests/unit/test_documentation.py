"""The documentation holds: links lead somewhere, examples run and print what stands below them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running
from support import RunPython

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DEPLOY = (ROOT / "deploy").rglob("*.md")
PAGES = [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *DEPLOY, ROOT / "bench" / "README.md"]
# What stands in code is no link, and the other way round.
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# What differs from run to run.
_CHANGING = re.compile(r"\b(?:\d{4}-\d\d-\d\d|ep_\w+|pt_\w+)")
# Examples that need a server, or memories of which the page shows only what comes out.
_SERVER, _PROGRAM = "http://127.0.0.1:8765", "execute_code("


class Example(NamedTuple):
    """A Python example of a page."""

    page: Path
    line: int
    code: str

    @property
    def printed(self) -> re.Pattern[str]:
        """What its comments say that it prints, where a `…` stands for anything."""
        lines = re.findall(r"^# ?(.*)$", self.code, re.MULTILINE)
        return re.compile(re.escape(settled("\n".join(lines))).replace("…", ".*"), re.DOTALL)


def settled(text: str) -> str:
    return _CHANGING.sub("?", text.strip())


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def examples(page: Path) -> list[Example]:
    text = page.read_text("utf-8")
    blocks = [at for at in _FENCED.finditer(text) if at[1] == "python"]
    return [Example(page, text.count("\n", 0, at.start()) + 1, at[2]) for at in blocks]


def prose(page: Path) -> str:
    return _FENCED.sub("", page.read_text("utf-8"))


def links(page: Path) -> list[str]:
    return [link for link in _LINK.findall(_CODE.sub("code", prose(page))) if "://" not in link]


def anchors(page: Path) -> set[str]:
    """Return what the headings of a page are linked by."""
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(prose(page))]
    return {heading.replace(" ", "-") for heading in plain}


def linked(page: Path, link: str) -> Path:
    path = link.partition("#")[0]
    return (page.parent / path).resolve() if path else page


# The reference is derived from the code, and its examples name memories that nobody has.
ALL = [
    example
    for page in [ROOT / "README.md", *DOCS.rglob("*.md")]
    if page.parent.name != "reference"
    for example in examples(page)
]
SERVED = [example for example in ALL if _SERVER in example.code]
PROGRAMS = [example for example in ALL if _PROGRAM in example.code]
EXAMPLES = [example for example in ALL if example not in (*SERVED, *PROGRAMS)]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    dead = [link for link in links(page) if not linked(page, link).exists()]
    lost = [
        link
        for link in links(page)
        if "#" in link and link.partition("#")[2] not in anchors(linked(page, link))
    ]

    assert dead + lost == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached, ahead = set[Path](), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page.suffix == ".md" and page not in reached:
            reached.add(page)
            ahead += [linked(page, link) for link in links(page)]

    assert set(DOCS.rglob("*.md")) <= reached


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda at: f"{named(at.page)}:{at.line}")
@pytest.mark.usefixtures("default_memory")
def test_an_example_runs_and_prints_what_its_comments_say(
    example: Example, run_python: RunPython, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    told = settled(run_python(example.code).stdout)

    if example.printed.pattern:
        assert example.printed.fullmatch(told), told


@pytest.mark.parametrize("example", SERVED, ids=lambda at: f"{named(at.page)}:{at.line}")
def test_an_example_with_a_server_runs(
    example: Example, run_python: RunPython, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = settings_for(tmp_path / "m.db")._replace(port=0)

    with open_memory(settings) as memory, running(memory, settings) as url:
        run_python(example.code.replace(_SERVER, url))


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda at: f"{named(at.page)}:{at.line}")
@pytest.mark.usefixtures("default_memory", "sandbox")
def test_an_example_of_a_program_answers_with_a_receipt(
    example: Example, run_python: RunPython
) -> None:
    notes = [
        {"content": f"We decided on {part} {n}", "kind": "decision", "tags": [part]}
        for part in ("mobile", "auth", "deploy")
        for n in range(3)
    ]
    lines = ["from milepost import execute_code, store_batch", f"store_batch({notes})"]

    answer = run_python("\n".join((*lines, f"print({example.code.strip()}\n)"))).stdout

    assert re.fullmatch(r"\[\('mobile', 3\), .*\]\n\[1 calls, 9 rows, .*\]\n", answer), answer


def test_the_picture_shows_every_concept() -> None:
    picture = ElementTree.parse(DOCS / "concepts.svg")
    shown = {text.strip() for text in picture.getroot().itertext()}
    concepts = _HEADING.findall(prose(DOCS / "concepts.md"))[1:-1]

    assert {concept.lower() for concept in concepts} <= shown


def places(page: str) -> set[str]:
    """Files and folders that a page names in code."""
    named = re.findall(r"`([\w/*.]+(?:/|\.py|\.md|\.sql))`", (ROOT / page).read_text())
    return {place for place in named if "*" not in place}


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_place_that_a_page_names_exists(page: str) -> None:
    source = [path.as_posix() for path in (ROOT / "src/milepost").rglob("*")]

    def exists(place: str) -> bool:
        return (ROOT / place).exists() or any(p.endswith(f"/{place.rstrip('/')}") for p in source)

    assert [place for place in places(page) if not exists(place)] == []


def test_a_change_is_made_in_at_most_three_places() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text().split("| to … | change |")[1].split("\n\n")[0]
    rows = [row for row in table.splitlines() if row.startswith("| ") and "`" in row]

    assert len(rows) >= 15
    assert [row for row in rows if len(set(re.findall(r"`[\w/.]+(?:\.py|/)`", row))) > 3] == []
