"""Secrets of Kubernetes: whatever a manifest of that kind holds, under whatever name."""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def without_manifests(text: str, secret: str) -> str:
    """Return a text in which the values of manifests of secrets are replaced."""
    if "Secret" not in text or "ata" not in text or not _kind().search(text):
        return text
    parts = re.split(r"(?m)(^---.*$)", text)
    return "".join(_hidden(part, secret) if _kind().search(part) else part for part in parts)


def _hidden(manifest: str, secret: str) -> str:
    def emptied(found: re.Match[str]) -> str:
        return found["head"] + _value().sub(_replaced(secret), found["body"])

    def emptied_json(found: re.Match[str]) -> str:
        return found["head"] + _json_value().sub(_replaced(secret), found["body"])

    return _json_data().sub(emptied_json, _data().sub(emptied, manifest))


def _replaced(secret: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{found['name']}{secret}{found['end']}"


@cache
def _kind() -> re.Pattern[str]:
    return re.compile(r"\bkind\\*[\"']?:\s*\\*[\"']?Secret\b")


@cache
def _data() -> re.Pattern[str]:
    # Everything that is indented further than the line that announces it.
    return re.compile(
        r"(?m)^(?P<head>(?P<indent>[ \t]*)(?:data|stringData):[ \t]*\n)"
        r"(?P<body>(?:(?P=indent)[ \t]+\S.*(?:\n|\Z)|[ \t]*\n)+)"
    )


@cache
def _value() -> re.Pattern[str]:
    # A value on the line of its name, and the lines of a block that goes on below it.
    return re.compile(
        r"(?m)^(?P<name>(?P<indent>[ \t]+)[\w.\"'/-]+:[ \t]*)"
        r"\S.*(?:\n(?P=indent)[ \t]+\S.*)*(?P<end>$)"
    )


@cache
def _json_data() -> re.Pattern[str]:
    return re.compile(
        r"(?P<head>\\*[\"'](?:data|stringData)\\*[\"']\s*:\s*\{)(?P<body>[^{}]{0,100000})"
    )


@cache
def _json_value() -> re.Pattern[str]:
    return re.compile(r"(?P<name>:\s*\\*\")[^\"\\]*(?P<end>\\*\")")
