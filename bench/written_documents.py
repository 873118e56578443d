"""Write documents in several formats with the libraries that people write them with."""

from collections.abc import Callable, Sequence
from pathlib import Path


def markdown(path: Path, title: str, paragraphs: Sequence[str]) -> None:
    """Write Markdown, or what a project wrote as such."""
    del title
    path.write_text("\n\n".join(paragraphs) + "\n", "utf-8")


WRITERS: dict[str, Callable[[Path, str, Sequence[str]], None]] = {"md": markdown}
