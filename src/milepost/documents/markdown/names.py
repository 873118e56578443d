"""Names of files and folders that every system can hold, made of texts that may say anything."""

import re
import unicodedata
from collections.abc import Container
from hashlib import sha256

_BAD = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|#^\[\]]+')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")
_CHARS_MAX, _BYTES_MAX = 60, 150
SUFFIX, CONFLICT = ".md", ".conflict"


def _safe(text: str) -> str:
    named = unicodedata.normalize("NFC", _BAD.sub(" ", text))
    named = "".join(c for c in named if unicodedata.category(c) not in {"Cf", "Cs", "Co", "Cn"})
    named = " ".join(named.split())[:_CHARS_MAX]
    named = named.encode()[:_BYTES_MAX].decode(errors="ignore").strip(" .-_~`")
    return f"{named} -" if _RESERVED.fullmatch(named) else named


def folder_name(project: str, *, marked: bool = False) -> str:
    """Return the folder of a project, marked where the name cannot stand as it is."""
    named = _safe(project)
    if named and named == project and not marked:
        return named
    return f"{named or 'project'} {sha256(project.encode()).hexdigest()[:6]}"


def stem_of(content: str) -> str:
    """Return what the file of a text is called: the beginning of its first line with words."""
    for line in content.splitlines():
        if named := _safe(line.lstrip("#>*-+ \t")):
            return named
    return "memory"


def free_name(stem: str, full_hash: str, taken: Container[str]) -> str:
    """Return a name that is not taken, whatever the case of its letters."""
    digits = 8
    named = stem
    while folded(named) in taken:
        named, digits = f"{stem} {full_hash[:digits]}", digits + 8
        if digits > len(full_hash) + 8:
            break
    return named


def folded(name: str) -> str:
    """Return a name as systems compare it that know no case and one form of each letter."""
    return unicodedata.normalize("NFC", name).casefold()


def conflict_name(path: str, taken: Container[str]) -> str:
    """Return where the memory's version lies beside a file that it conflicts with."""
    stem, number = path.removesuffix(SUFFIX), 1
    named = f"{stem}{CONFLICT}{SUFFIX}"
    while folded(named) in taken:
        number += 1
        named = f"{stem}{CONFLICT}-{number}{SUFFIX}"
    return named
