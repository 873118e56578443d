"""The parts of an Office document: an archive of XML, read with bounds and without entities."""

from __future__ import annotations

import posixpath
import zipfile
from typing import Any

from lxml import etree

from milepost.reading.source import Cannot, Source

PART_BYTES_MAX, ALL_BYTES_MAX = 200 << 20, 400 << 20
_RATIO_MAX, _SMALL_BYTES = 200, 10 << 20
_PACKAGE = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"


class Package:
    """An Office document."""

    def __init__(self, source: Source) -> None:
        try:
            self._archive = zipfile.ZipFile(source.file)
        except (zipfile.BadZipFile, ValueError, OverflowError) as problem:
            raise Cannot(f"it is damaged or truncated ({problem})") from problem
        self.names = frozenset(self._archive.namelist())
        self._left = ALL_BYTES_MAX
        for info in self._archive.infolist():
            if info.flag_bits & 1:
                raise Cannot("it is encrypted: save it without a password")
            packed = max(info.compress_size, 1)
            if info.file_size > _SMALL_BYTES and info.file_size / packed > _RATIO_MAX:
                raise Cannot(f"it unpacks to {info.file_size / packed:,.0f} times its size")
        if any(name.endswith("vbaProject.bin") for name in self.names):
            source.note("macros are left out")

    def part(self, name: str) -> bytes:
        """Return a part, nothing where there is none."""
        if name not in self.names:
            return b""
        size = self._archive.getinfo(name).file_size
        self._left -= size
        if size > PART_BYTES_MAX or self._left < 0:
            raise Cannot("it unpacks to more than is read of a document")
        try:
            return self._archive.read(name)
        except (zipfile.BadZipFile, EOFError, NotImplementedError) as problem:
            raise Cannot(f"it is damaged ({problem})") from problem

    def xml(self, name: str) -> Any:
        """Return a part as a tree, None where there is none."""
        data = self.part(name)
        if not data:
            return None
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True
        )
        try:
            return etree.fromstring(data, parser)
        except etree.XMLSyntaxError as problem:
            raise Cannot(f"{name} in it is damaged ({problem.msg})") from problem

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Return of a part what it refers to within the document: the kind and the name of each."""
        folder, base = posixpath.split(name)
        tree = self.xml(f"{folder}/_rels/{base}.rels")
        found = {}
        for one in tree.iter(f"{_PACKAGE}Relationship") if tree is not None else ():
            if one.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, one.get("Target", "")))
                kind = one.get("Type", "").rsplit("/", 1)[-1]
                found[one.get("Id", "")] = (kind, target.lstrip("/"))
        return found

    def facts(self) -> dict[str, str]:
        """Return what the document tells of itself: title, creator, created."""
        tree = self.xml("docProps/core.xml")
        if tree is None:
            return {}
        names = {"title": f"{_DC}title", "creator": f"{_DC}creator", "created": f"{_TERMS}created"}
        told = {name: (tree.findtext(tag) or "").strip() for name, tag in names.items()}
        return {name: value for name, value in told.items() if value}
