"""Build the documentation as a site of plain files: `make site`.

All pages that README.md leads to, with what they link to; a search that needs no server. It fails
when a link leads nowhere.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from html import escape, unescape
from html.parser import HTMLParser
from itertools import pairwise
from os.path import relpath
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

ROOT = Path(__file__).parents[1]
ASSETS = Path(__file__).with_suffix("")
START, CONTENTS = ROOT / "README.md", ROOT / "docs" / "README.md"
_TAG = re.compile(r"<[^>]+>")
_FORMATTER = HtmlFormatter(nowrap=True)


class Page(NamedTuple):
    """A page that is written."""

    source: Path
    title: str
    body: str
    links: list[Path]


def build(folder: Path) -> list[str]:
    """Write the site into an empty folder; return the links that lead nowhere."""
    pages = _pages()
    for page in pages.values():
        target = folder / written(page.source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_html(page, pages), "utf-8")
        for other in page.links:
            if other.suffix != ".md" and other.is_file():
                copy = folder / other.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(other, copy)
    shutil.copytree(ASSETS, folder / "assets", ignore=shutil.ignore_patterns("__pycache__"))
    entries = json.dumps(list(_entries(pages)), ensure_ascii=False)
    (folder / "assets" / "entries.js").write_text(f"const ENTRIES = {entries};\n", "utf-8")
    return dead_links(folder)


def written(source: Path) -> Path:
    """Return where a page is in the site."""
    place = source.relative_to(ROOT)
    return place.with_name("index.html") if place.stem == "README" else place.with_suffix(".html")


def _pages() -> dict[Path, Page]:
    """Return all pages that the first leads to, in the order in which they are met."""
    pages: dict[Path, Page] = {}
    ahead = [START, CONTENTS]
    while ahead:
        source = ahead.pop(0)
        if source not in pages:
            pages[source] = page = _page(source)
            ahead += [link for link in page.links if link.suffix == ".md" and link.exists()]
    return pages


def _page(source: Path) -> Page:
    markdown = MarkdownIt("commonmark", {"highlight": _highlighted}).enable("table")
    tokens = markdown.parse(source.read_text("utf-8"))
    links = []
    for token in [*tokens, *(child for block in tokens for child in block.children or ())]:
        for name in ("href", "src"):
            if name in token.attrs and (target := _target(source, str(token.attrs[name]))):
                links.append(target)
                token.attrs[name] = _address(source, target, str(token.attrs[name]))
    titles = list(_headings(tokens))
    body = markdown.renderer.render(tokens, markdown.options, {})
    body = body.replace("<table>", '<div class="table"><table>').replace(
        "</table>", "</table></div>"
    )
    return Page(source, titles[0] if titles else source.stem, body, links)


def _headings(tokens: list[Token]) -> Iterator[str]:
    """Give each heading the name by which it is linked, as hosts of repositories do."""
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            plain = "".join(child.content for child in inline.children or ())
            opening.attrs["id"] = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
            yield plain


def _highlighted(code: str, language: str, _: str) -> str:
    try:
        return str(highlight(code, get_lexer_by_name(language), _FORMATTER))
    except ClassNotFound:
        return escape(code)


def _target(source: Path, link: str) -> Path | None:
    """Return the file of this repository that a link means; for a folder its first page."""
    path = unquote(link.partition("#")[0])
    if "://" in link or not path:
        return None
    target = (source.parent / path).resolve()
    return target / "README.md" if (target / "README.md").exists() else target


def _address(source: Path, target: Path, link: str) -> str:
    _, hash_sign, anchor = link.partition("#")
    place = written(target) if target.suffix == ".md" else target.relative_to(ROOT)
    return relpath(place, written(source).parent) + hash_sign + anchor


def _html(page: Page, pages: dict[Path, Page]) -> str:
    def to(place: Path) -> str:
        return escape(relpath(place, written(page.source).parent))

    chapters = [source for source in pages[CONTENTS].links if source in pages]
    rows = [
        f'<li><a href="{to(written(at))}"{_here(at, page)}>{escape(pages[at].title)}</a>'
        for at in dict.fromkeys((START, CONTENTS, *chapters))
    ]
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(page.title)} - Milepost</title>
<link rel="stylesheet" href="{to(Path("assets/style.css"))}">
<script defer src="{to(Path("assets/entries.js"))}"></script>
<script defer src="{to(Path("assets/search.js"))}" data-root="{to(Path())}"></script>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="name" href="{to(written(START))}">Milepost</a>
<input id="search" type="search" placeholder="Search" aria-label="Search the documentation">
<ol id="hits" aria-live="polite"></ol>
</header>
<nav aria-label="Pages"><ul>
{chr(10).join(rows)}
</ul></nav>
<main id="content">
{page.body}</main>
</html>
"""


def _here(source: Path, page: Page) -> str:
    return ' aria-current="page"' if source == page.source else ""


def _entries(pages: dict[Path, Page]) -> Iterator[dict[str, str]]:
    """Yield what can be searched for: each part of a page under its heading."""
    for page in pages.values():
        for part in re.split(r"(?=<h[1-3])", page.body):
            named = re.match(r'<h\d id="([^"]*)">(.*?)</h\d>', part, re.DOTALL)
            if named:
                yield {
                    "page": page.title,
                    "title": unescape(_TAG.sub("", named[2])),
                    "at": f"{written(page.source).as_posix()}#{named[1]}",
                    "text": " ".join(unescape(_TAG.sub(" ", part)).split()),
                }


class _Names(HTMLParser):
    """Collects what a page links to, and by what its parts are linked."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.ids.add(value)


def dead_links(folder: Path) -> list[str]:
    """Return the links within a site that lead nowhere."""
    pages = {path: _Names(path.read_text("utf-8")) for path in folder.rglob("*.html")}
    dead = []
    for path, names in pages.items():
        for link in names.links:
            file, _, anchor = unquote(link).partition("#")
            if "://" in link or link.startswith("mailto:"):
                continue
            target = (path.parent / file).resolve() if file else path
            known = pages[target].ids if target in pages else {""}
            if not target.exists() or (anchor or "") not in known | {""}:
                dead.append(f"{path.relative_to(folder)}: {link}")
    return dead


def main(folder: Path) -> int:
    """Build the site in place of the one that was there; return how the command ends."""
    if (
        folder.exists()
        and any(folder.iterdir())
        and not (folder / "assets" / "entries.js").exists()
    ):
        print(f"{folder} holds something else than a site; name an empty folder", file=sys.stderr)
        return 2
    shutil.rmtree(folder, ignore_errors=True)
    dead = build(folder)
    for link in dead:
        print(f"leads nowhere: {link}", file=sys.stderr)
    print(f"{sum(1 for _ in folder.rglob('*.html'))} pages: {folder / 'index.html'}")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if sys.argv[1:] else "build/site").absolute()))
