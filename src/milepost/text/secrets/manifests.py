"""Secrets of Kubernetes: whatever a manifest of that kind holds, under whatever name."""

from __future__ import annotations

import re

from milepost.text.expressions import lazy
from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.signs import Signs

_KIND = lazy(r"\bkind\\*[\"']?:\s*\\*[\"']?Secret\b")
_PARTING = lazy(r"(?m)(^---.*$)")
# Everything that is indented further than the line that announces it.
_DATA = lazy(
    r"(?m)^(?P<head>(?P<indent>[ \t]*)(?:data|stringData):[ \t]*\n)"
    r"(?P<body>(?:(?P=indent)[ \t]+\S.*(?:\n|\Z)|[ \t]*\n)+)"
)
# A value on the line of its name, and the lines of a block that goes on below it.
_VALUE = lazy(
    r"(?m)^(?P<name>(?P<indent>[ \t]+)[\w.\"'/-]+:[ \t]*)"
    r"\S.*(?:\n(?P=indent)[ \t]+\S.*)*(?P<end>$)"
)
_JSON_DATA = lazy(
    r"(?P<head>\\*[\"'](?:data|stringData)\\*[\"']\s*:\s*\{)(?P<body>[^{}]{0,100000})"
)
_JSON_VALUE = lazy(r"(?P<name>:\s*\\*\")[^\"\\]*(?P<end>\\*\")")


def hide(text: str, _signs: Signs) -> str:
    """Return a text in which the values of manifests of secrets are replaced."""
    if not _KIND.search(text):
        return text
    parts = _PARTING.split(text)
    return "".join(_emptied(part) if _KIND.search(part) else part for part in parts)


def _emptied(manifest: str) -> str:
    yaml = _DATA.sub(lambda part: part["head"] + _VALUE.sub(_value, part["body"]), manifest)
    return _JSON_DATA.sub(lambda part: part["head"] + _JSON_VALUE.sub(_value, part["body"]), yaml)


def _value(value: re.Match[str]) -> str:
    return f"{value['name']}{SECRET}{value['end']}"
