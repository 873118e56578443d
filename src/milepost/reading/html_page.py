"""HTML: headings, paragraphs, lists, code and tables of what a page is about."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from milepost.documents.values import Document
from milepost.reading.outline import Outline
from milepost.reading.source import Cannot, Source

_CHARSET = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)|<\?xml[^>]+encoding=[\"']([\w-]+)", re.I)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
# What is not the text of a page: programs, and what leads to other pages.
_DROPPED = frozenset(
    "script style noscript template nav aside footer form button select iframe object svg math "
    "canvas dialog head".split()
)
_DROPPED_ROLES = frozenset("navigation banner contentinfo search complementary dialog".split())
_DROPPED_NAMES = frozenset(
    "breadcrumb breadcrumbs cookie-banner footer headerlink menu nav navbar navigation "
    "rst-versions sidebar site-footer site-header skip-link sphinxsidebar toc wy-nav-side".split()
)
_BLOCKS = frozenset(
    "address article blockquote body caption center dd details div dl dt figcaption figure footer "
    "header hr html li main ol p section summary table tbody td tfoot th thead tr ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
# What a page calls its main part is, if it holds so much of its text.
_MAIN_SHARE_MIN = 0.25
_CELLS = ("td", "th")


def read(source: Source) -> Document:
    """Read HTML."""
    charset = _CHARSET.search(source.head)
    named = next((name for name in charset.groups() if name), b"") if charset else b""
    text = source.decoded(source.data(), named.decode("ascii", "ignore"))
    outline = Outline()
    title, facts = add_html(outline, text)
    return Document(
        "html",
        title or source.stem,
        tuple(outline.sections),
        author=facts.get("author", ""),
        metadata={name: facts[name] for name in ("description", "keywords") if name in facts},
    )


def plain_text(text: str) -> str:
    """Return the text of HTML, as of a message."""
    outline = Outline()
    add_html(outline, text)
    return "\n\n".join(
        f"{section.heading[-1]}\n{section.text}" if section.heading else section.text
        for section in outline.sections
    )


def add_html(outline: Outline, text: str) -> tuple[str, dict[str, str]]:
    """Add what HTML says to an outline; return its title, and what it tells of itself."""
    found = _DECLARATION.match(text)
    declared = found.end() if found else 0
    parser = lxml_html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = lxml_html.document_fromstring(text[declared:], parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as problem:
        raise Cannot("it holds no text") from problem
    facts = {meta.get("name", "").lower(): meta.get("content", "") for meta in root.iter("meta")}
    title = " ".join((root.findtext(".//title") or "").split())
    _Walk(outline).add(_main(root))
    return title, facts


def _main(root: Any) -> Any:
    """Return the part of a page that says what it is about."""
    bodies = root.xpath("//body")
    body = bodies[0] if bodies else root
    whole = len(_words(body))
    for path in ("//main", "//*[@role='main']", "//article"):
        parts = root.xpath(path)
        if len(parts) == 1 and len(_words(parts[0])) >= _MAIN_SHARE_MIN * whole:
            return parts[0]
    return body


def _words(element: Any) -> str:
    return " ".join(element.xpath("string()").split())


class _Walk:
    """Goes through a page in the order of its text."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._line: list[str] = []

    def add(self, root: Any) -> None:
        events = etree.iterwalk(root, events=("start", "end"))
        for event, element in events:
            tag = element.tag
            if event == "start":
                if element is not root and self._is_taken(element):
                    events.skip_subtree()
                else:
                    self._begin(tag)
                    self._say(element.text)
            else:
                if tag in _BLOCKS or tag in _HEADINGS:
                    self._end_line()
                if tag in {"p", "ul", "ol", "dl", "blockquote"}:
                    self._outline.add("")
                if element is not root:
                    self._say(element.tail)
        self._end_line()
        self._outline.end()

    def _begin(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._end_line()
        if tag == "li":
            self._line.append("- ")
        elif tag == "br":
            self._end_line()

    def _is_taken(self, element: Any) -> bool:
        """Deal with an element as a whole, if it is one of those; a tail comes at its end."""
        tag = element.tag
        if _is_dropped(element):
            return True
        if tag in _HEADINGS:
            self._end_line()
            self._outline.heading(_HEADINGS[tag], _words(element).rstrip("¶# "))
        elif tag == "pre":
            self._end_line()
            self._outline.block(element.xpath("string()").strip("\n"), kind="code")
        elif tag == "table" and _is_data(element):
            self._end_line()
            rows = [_row(row) for row in element.iter("tr")]
            self._outline.block("\n".join(filter(None, rows)), kind="table")
        else:
            return False
        return True

    def _say(self, text: str | None) -> None:
        if text:
            self._line.append(text)

    def _end_line(self) -> None:
        text = " ".join("".join(self._line).split())
        self._line.clear()
        if text and text != "-":
            self._outline.add(text)


def _is_dropped(element: Any) -> bool:
    tag = element.tag
    if tag in _DROPPED or element.get("hidden") is not None:
        return True
    if element.get("aria-hidden") == "true" or element.get("role") in _DROPPED_ROLES:
        return True
    if tag == "header":
        return not any(above.tag in {"main", "article"} for above in element.iterancestors())
    names = {*element.get("class", "").lower().split(), element.get("id", "").lower()}
    return tag not in {"body", "main", "article"} and not names.isdisjoint(_DROPPED_NAMES)


def _is_data(table: Any) -> bool:
    """Whether a table holds data, and not a page that is laid out by it."""
    if table.find(".//table") is not None or table.find(".//tr") is None:
        return False
    if table.find(".//th") is not None:
        return True
    return table.find(".//td/p") is None and table.find(".//td/div") is None


def _row(row: Any) -> str:
    cells = [_words(cell) for cell in row.iterchildren(*_CELLS)]
    return " | ".join(cells) if any(cells) else ""
