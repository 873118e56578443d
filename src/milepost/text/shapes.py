"""What the spelling of a name in code tells: symbols, files, and where a path in a text ends."""

from __future__ import annotations

from milepost.text.expressions import lazy

NAMED_FILES = frozenset(
    "Makefile Dockerfile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile Justfile".split()
)
# What stands after a dot in the names of files and hosts, and is no member of anything.
ENDINGS = frozenset(
    "py pyi js jsx ts tsx mjs cjs json md rst txt toml yaml yml sh rs go java kt cs swift cc cpp "
    "hpp rb php sql tf html css scss xml csv lock log db png svg pdf com org net io dev".split()
)
JOINTS = lazy(r"\.|::|->|#")
_OPENED = {")": "(", "]": "["}
_LINE = lazy(r"(?::\d+(?:[:-]\d+)*|#L\d+(?:-L?\d+)?)$")
_EXTENSION = lazy(r"\.[A-Za-z][A-Za-z0-9_]{0,9}$")
_HUMP = lazy(r"[a-z0-9][A-Z]")


def is_code(name: str) -> bool:
    """Whether a name is written as none but names in code are: snake_case, camelCase, a.member."""
    if "." in name or ":" in name or ">" in name or "#" in name:
        return min(map(len, JOINTS.split(name))) > 1
    if "_" in name.strip("_"):
        return True
    return _HUMP.search(name) is not None


def is_file(name: str) -> bool:
    """Whether a name is one that only files have, or ends as those of files do."""
    return name in NAMED_FILES or _EXTENSION.search(name) is not None


def bare_path(token: str) -> str:
    """Return a path without the line it names and the signs of the sentence around it."""
    path = _LINE.sub("", token.lstrip("([@").rstrip(".:!"))
    # (see src/a.py) has a bracket that app/(shop)/page.tsx has not.
    while path[-1:] in _OPENED and path.count(path[-1]) > path.count(_OPENED[path[-1]]):
        path = _LINE.sub("", path[:-1].rstrip(".:!"))
    return path
