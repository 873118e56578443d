"""Whether what is installed has known holes, as a database of advisories says (OSV)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from milepost.errors import InvalidInput
from milepost.transport.connections import Address, Request, Transport, TransportError
from milepost.upkeep.values import BROKEN, NOTE, OK, Check

# Where advisories are asked for, unless a file has them; it is told names and versions, no more.
_HOST, _PATH = "api.osv.dev", "/v1/querybatch"
_ANSWER_S = 5.0
_ECOSYSTEM = "PyPI"
_BYTES_MAX = 512 << 20


def examine(file: str) -> Iterator[Check]:
    """Compare what Milepost uses with known holes."""
    installed = _installed()
    if file:
        found, source = _by_file(Path(file), installed), file
    else:
        try:
            found, source = _by_asking(installed), _HOST
        except (TransportError, ValueError, KeyError, TypeError) as problem:
            finding = f"known holes could not be asked for: {_HOST} {problem}"
            repair = "name a file with advisories in OSV format: --advisories FILE"
            yield Check("dependencies", NOTE, finding, repair)
            return
    for name, holes in sorted(found.items()):
        finding = f"{name} {installed[name]} has known holes: {', '.join(sorted(holes))}"
        yield Check(f"dependency {name}", BROKEN, finding, f"pip install --upgrade {name}")
    if not found:
        yield Check("dependencies", OK, f"{len(installed)} packages, no known hole in {source}")


def _installed() -> dict[str, str]:
    """Return the versions of what is installed beside Milepost."""
    named = ((each.metadata["Name"], each.version) for each in distributions())
    return {_normal(name): version for name, version in named if name}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _by_asking(installed: Mapping[str, str]) -> dict[str, set[str]]:
    names = sorted(installed)
    queries = [
        {"package": {"name": name, "ecosystem": _ECOSYSTEM}, "version": installed[name]}
        for name in names
    ]
    transport = Transport(Address(True, _HOST, None, ""), _ANSWER_S)
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"queries": queries}).encode()
    try:
        reply = transport.ask(Request("POST", _PATH, headers, body))
    finally:
        transport.close()
    if reply.status != 200:
        raise ValueError(f"answers with status {reply.status}")
    results = json.loads(reply.body)["results"]
    told = zip(names, results, strict=True)
    found = {name: {hole["id"] for hole in each.get("vulns", ())} for name, each in told}
    return {name: holes for name, holes in found.items() if holes}


def _by_file(file: Path, installed: Mapping[str, str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for advisory in _read(file):
        for affected in advisory.get("affected", ()):
            package = affected.get("package", {})
            name = _normal(str(package.get("name", "")))
            known = package.get("ecosystem") == _ECOSYSTEM and name in installed
            if known and not advisory.get("withdrawn") and _is_hit(affected, installed[name]):
                found.setdefault(name, set()).add(str(advisory.get("id")))
    return found


def _read(file: Path) -> list[Mapping[str, Any]]:
    """Return the advisories of a file: one, a list of them, or one a line."""
    try:
        if file.stat().st_size > _BYTES_MAX:
            raise InvalidInput(f"{file} is too large for a file of advisories.")
        text = file.read_text(encoding="utf-8")
        try:
            told = json.loads(text)
        except ValueError:
            told = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError) as problem:
        raise InvalidInput(f"Advisories cannot be read from {file}: {problem}.") from problem
    advisories = told.get("vulns", [told]) if isinstance(told, dict) else told
    return [each for each in advisories if isinstance(each, dict)]


def _is_hit(affected: Mapping[str, Any], version: str) -> bool:
    if version in affected.get("versions", ()):
        return True
    ranges = (each for each in affected.get("ranges", ()) if each.get("type") == "ECOSYSTEM")
    return any(_is_within(each.get("events", ()), _parts(version)) for each in ranges)


def _is_within(events: Any, version: tuple[object, ...]) -> bool:
    """Whether a version lies in a range: from what is introduced to what is fixed."""
    is_hit = False
    for event in events:
        if "introduced" in event:
            is_hit = is_hit or event["introduced"] == "0" or _parts(event["introduced"]) <= version
        elif "fixed" in event:
            is_hit = is_hit and version < _parts(event["fixed"])
        elif "last_affected" in event:
            is_hit = is_hit and version <= _parts(event["last_affected"])
    return is_hit


def _parts(version: str) -> tuple[object, ...]:
    """Return a version as it is compared: numbers by value, and a release above what led to it."""
    release, rest = _VERSION.fullmatch(version.lower().strip().partition("+")[0]).groups()  # type: ignore[union-attr]
    numbers = [int(part) for part in release.split(".") if part]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    words = [word for word in _WORD.findall(rest) if word]
    rank = 0 if not words else 1 if words[0] in ("post", "-") else -1
    return tuple(numbers), rank, tuple((not word.isdigit(), word.zfill(8)) for word in words)


_VERSION = re.compile(r"v?(?:\d+!)?([\d.]*)(.*)", re.DOTALL)
_WORD = re.compile(r"\d+|[a-z]+|-")
