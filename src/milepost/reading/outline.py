"""Sections that are put together line by line, under the headings above them."""

from __future__ import annotations

from milepost.documents.values import Section


class Outline:
    """Collects the lines of a document into sections."""

    def __init__(self, above: tuple[str, ...] = (), page: int | None = None) -> None:
        self._above, self.page = above, page
        self._headings: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._line: int | None = None
        self._kind = "text"
        self.sections: list[Section] = []

    @property
    def path(self) -> tuple[str, ...]:
        """The headings that what comes now stands under."""
        return self._above + tuple(title for _, title in self._headings)

    def heading(self, level: int, title: str) -> None:
        """Begin what stands under a heading, one being the highest level."""
        self.end()
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        if title:
            self._headings.append((level, title))

    def add(self, text: str, line: int | None = None, kind: str = "text") -> None:
        """Add a line; one of another kind than that before it begins a section."""
        if kind != self._kind:
            self.end()
            self._kind = kind
        if not self._lines:
            if not text.strip():
                return
            self._line = line
        self._lines.append(text)

    def block(self, text: str, line: int | None = None, kind: str = "text") -> None:
        """Add a section that is whole by itself."""
        self.end()
        self.add(text, line, kind)
        self.end()

    def end(self) -> None:
        """End the section that lines are added to."""
        text = "\n".join(self._lines).rstrip()
        if text.strip():
            place = {"heading": self.path, "page": self.page, "line": self._line}
            self.sections.append(Section(text, kind=self._kind, **place))  # type: ignore[arg-type]
        self._lines, self._line, self._kind = [], None, "text"
