"""Source code: each function and method by itself, with the path of its symbol and its line."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from milepost.documents.values import Document, Section
from milepost.reading import grammars
from milepost.reading.source import Source
from milepost.values import NamedTuple

_LINES_MAX = 200_000
# A line that defines something, in languages that no grammar is there for.
_DEFINES = re.compile(
    r"(?:(?:export|public|private|protected|internal|static|abstract|final|open|async|local|pub|"
    r"override|suspend|inline|create|or|replace)\s+)*"
    r"(?:def|func|fun|function|fn|sub|proc|class|struct|enum|trait|interface|object|protocol|"
    r"extension|impl|module|namespace|type|table|view|procedure|trigger)\s+([\w.:$]+)",
    re.IGNORECASE,
)
_SHELL = re.compile(r"([\w-]+)\s*\(\)\s*\{?")
_ALONE = re.compile(r"[\s{}()\[\];,]*(?:end)?[\s{}()\[\];,]*$")


class Definition(NamedTuple):
    """Something with a name; lines are counted from one. What holds others is not whole."""

    symbol: str
    first: int
    last: int
    is_whole: bool


def read(source: Source) -> Document:
    """Read source code."""
    text = source.text()
    lines = text.split("\n")
    if len(lines) > _LINES_MAX:
        source.note(f"read up to line {_LINES_MAX:,} of {len(lines):,}")
        lines = lines[:_LINES_MAX]
        text = "\n".join(lines)
    sections = tuple(_sections(lines, definitions_of(source, text, lines)))
    return Document("code", source.name, sections)


def definitions_of(source: Source, text: str, lines: Sequence[str]) -> list[Definition]:
    """Return what code defines, in order."""
    ending = source.name.rpartition(".")[2].lower()
    if ending in {"py", "pyi"}:
        try:
            return _python(text)
        except (SyntaxError, ValueError):
            source.note("no valid Python of this version: cut by its lines")
    elif grammars.knows(ending):
        found = [Definition(*told) for told in grammars.definitions(ending, text)]
        if found:
            return found
    return _by_lines(lines)


def _python(text: str) -> list[Definition]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    return list(_defined(tree.body, ""))


def _defined(body: Sequence[ast.stmt], above: str) -> Iterator[Definition]:
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        symbol = f"{above}{node.name}"
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        is_whole = not isinstance(node, ast.ClassDef)
        yield Definition(symbol, first, node.end_lineno or node.lineno, is_whole)
        if not is_whole:
            yield from _defined(node.body, f"{symbol}.")


def _by_lines(lines: Sequence[str]) -> list[Definition]:
    """Return what begins at the margin with a word that defines, each up to the next one."""
    starts = []
    for number, line in enumerate(lines, 1):
        if line[:1].strip() and (found := _DEFINES.match(line[:200]) or _SHELL.match(line[:200])):
            starts.append((number, found[1]))
    ends = [number - 1 for number, _ in (*starts, (len(lines) + 1, ""))][1:]
    return [Definition(name, at, end, True) for (at, name), end in zip(starts, ends, strict=True)]


def _sections(lines: Sequence[str], found: Sequence[Definition]) -> Iterator[Section]:
    """Cut code where its definitions begin and end; the rest goes with what holds it."""
    owners: list[tuple[str, bool]] = [("", False)] * (len(lines) + 1)
    for definition in found:
        owner = (definition.symbol, definition.is_whole)
        for number in range(definition.first, min(definition.last, len(lines)) + 1):
            owners[number] = owner
    begin = 1
    for number in range(2, len(lines) + 2):
        if number <= len(lines) and owners[number] == owners[begin]:
            continue
        text = "\n".join(lines[begin - 1 : number - 1])
        blank = len(text) - len(text.lstrip("\n"))
        if not _ALONE.fullmatch(text[:2_000]):
            yield Section(
                text.strip("\n"), line=begin + blank, kind="code", symbol=owners[begin][0]
            )
        begin = number
