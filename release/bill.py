"""The bill of materials: all that the distributions contain or install, with its licence.

`python release/bill.py [FILE]` writes it as CycloneDX 1.6; what is contained is read off the tables
of THIRD_PARTY_NOTICES.md, what is installed off the metadata of the packages in this environment.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
NOTICES = {
    "milepost": ROOT / "THIRD_PARTY_NOTICES.md",
    "milepost-guest": ROOT / "guest" / "THIRD_PARTY_NOTICES.md",
}
# What developers install is not shipped.
DEVELOPMENT = {"bench", "dev"}
_MARKUP = re.compile(r"[`*]|\[([^\]]+)\]\([^)]*\)")
_CLASSIFIER = "License :: OSI Approved :: "

Json = dict[str, Any]


def bill() -> Json:
    """Return the bill of both distributions."""
    ours, guest = (_package(name) for name in NOTICES)
    contained = [part for name in NOTICES for part in _contained(name)]
    extras = _needed_by_extras()
    installed = [
        _package(name) | {"scope": "optional" if names else "required"} | _for_extras(names)
        for name, names in sorted(extras.items())
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": ours | {"type": "application"}},
        "components": [guest | {"scope": "optional"}, *contained, *installed],
    }


def _contained(distribution_name: str) -> Iterator[Json]:
    """Yield what the tables of a distribution's notices name."""
    for table in re.split(r"\n\n", NOTICES[distribution_name].read_text("utf-8")):
        rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line[:1] == "|"]
        if len(rows) < 3 or "licence" not in rows[0]:
            continue
        at = rows[0].index("licence")
        for row in rows[2:]:
            yield {
                "type": "data" if "where" in rows[0] else "library",
                "name": _plain(row[0]),
                "licenses": [{"license": {"name": _plain(row[at])}}],
                "properties": _properties(contained_in=distribution_name),
            }


def _needed_by_extras() -> dict[str, set[str]]:
    """Return every package that an installation may need, by the extras that ask for it.

    One that is needed in any case has none.
    """
    needed: dict[str, set[str]] = {}
    declared = distribution("milepost").metadata.get_all("Provides-Extra") or []
    for extra in ("", *(set(declared) - DEVELOPMENT - {"all"})):
        for name in _closure("milepost", extra):
            needed.setdefault(name, set()).add(extra)
    return {name: set() if "" in names else names for name, names in needed.items()}


def _closure(root: str, extra: str) -> set[str]:
    reached: set[tuple[str, str]] = set()
    ahead = [(root, extra)]
    while ahead:
        name, asked = ahead.pop()
        if (name, asked) in reached:
            continue
        reached.add((name, asked))
        ahead += [
            (canonicalize_name(found.name), wanted)
            for found in _requirements(name, asked)
            for wanted in ("", *found.extras)
        ]
    return {name for name, _ in reached} - set(NOTICES)


def _requirements(name: str, extra: str) -> Iterable[Requirement]:
    try:
        lines = distribution(name).requires or []
    except PackageNotFoundError:
        return []  # asked for on another system alone
    found = (Requirement(line) for line in lines)
    return [one for one in found if one.marker is None or one.marker.evaluate({"extra": extra})]


def _package(name: str) -> Json:
    """Return a package as it is installed here."""
    try:
        about: Mapping[str, str] = distribution(name).metadata  # type: ignore[assignment]
    except PackageNotFoundError:
        return {"type": "library", "name": name}
    return {
        "type": "library",
        "name": about["Name"],
        "version": about["Version"],
        "purl": f"pkg:pypi/{canonicalize_name(about['Name'])}@{about['Version']}",
        "licenses": [_licence(about)],
    }


def _licence(about: Mapping[str, str]) -> Json:
    if expression := about.get("License-Expression"):
        return {"expression": expression}
    told = about.get_all("Classifier") or []  # type: ignore[attr-defined]
    classified = [line.removeprefix(_CLASSIFIER) for line in told if line.startswith(_CLASSIFIER)]
    # Some keep the whole text in the field.
    short = (about.get("License") or "").strip().partition("\n")[0]
    return {"license": {"name": " OR ".join(classified) or short or "see the package"}}


def _for_extras(names: set[str]) -> Json:
    return {"properties": _properties(extras=" ".join(sorted(names)))} if names else {}


def _properties(**values: str) -> list[Json]:
    return [{"name": f"milepost:{name}", "value": value} for name, value in values.items()]


def _plain(text: str) -> str:
    return _MARKUP.sub(lambda at: at[1] or "", text).strip()


def main(arguments: list[str]) -> None:
    """Write the bill to a file, or to standard output."""
    text = json.dumps(bill(), indent=1, ensure_ascii=False) + "\n"
    if arguments:
        Path(arguments[0]).write_text(text, "utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
