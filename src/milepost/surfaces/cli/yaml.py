"""Write plain data as YAML that readers of versions 1.1 and 1.2 understand alike."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from milepost.text.disguise import escaped
from milepost.text.fence import harmless

# Words that need no quotes: they begin with a letter and hold nothing that YAML reads otherwise.
_PLAIN = re.compile(r"[^\W\d_](?:[\w .,/()+-]*[\w./()+-])?")
_RESERVED = frozenset("null true false yes no on off y n nan inf".split())
_NO_CHARACTERS = re.compile("[\ufffe\uffff]")
# Text that may stand as it is below a `|`.
_BLOCK = re.compile(r"\S[^\x00-\x08\x0b-\x1f]*", re.DOTALL)


def to_yaml(data: Any) -> str:
    """Return a document, without a line break at its end."""
    return "\n".join(_lines(data, ""))


def to_yaml_item(data: Any) -> str:
    """Return one item of a list, so that a list can be written while it is made."""
    return "\n".join(_items([data], ""))


def _lines(data: Any, indent: str) -> Iterator[str]:
    """Yield the lines of a value; the first stands where the value begins."""
    if isinstance(data, Mapping) and data:
        yield from _pairs(data, indent)
    elif isinstance(data, list | tuple) and data:
        yield from _items(data, indent)
    else:
        yield from _scalar(data, indent)


def _pairs(data: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in data.items():
        lines = list(_lines(value, f"{indent}  "))
        name = f"{indent}{_word(str(key))}:"
        if _is_nested(value):
            yield name
            yield from lines
        else:
            yield f"{name} {lines[0]}"
            yield from lines[1:]


def _items(data: list[Any] | tuple[Any, ...], indent: str) -> Iterator[str]:
    for value in data:
        lines = list(_lines(value, f"{indent}  "))
        yield f"{indent}- {lines[0].removeprefix(f'{indent}  ')}"
        yield from lines[1:]


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple) and bool(value)


def _scalar(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, str) and _fits_block(value):
        yield "|" if value.endswith("\n") else "|-"
        for line in value.removesuffix("\n").split("\n"):
            yield f"{indent or '  '}{line}" if line else ""
    else:
        yield _word(value)


def _fits_block(text: str) -> bool:
    lines = text.removesuffix("\n").split("\n")
    return (
        len(lines) > 1
        and bool(lines[-1])
        and not any(line and not line.strip() for line in lines)
        and bool(_BLOCK.fullmatch(text))
        and not _NO_CHARACTERS.search(text)
        and harmless(text) == text
    )


def _word(value: Any) -> str:
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return value if _is_plain(value) else _quoted(value)
    return json.dumps(value)


def _is_plain(text: str) -> bool:
    simple = bool(_PLAIN.fullmatch(text)) and text.lower() not in _RESERVED and len(text) < 1_000
    return simple and harmless(text) == text


def _quoted(text: str) -> str:
    return escaped(json.dumps(text, ensure_ascii=False), "\\U{:08x}")


def _number(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    mantissa, mark, exponent = repr(value).partition("e")
    # Readers of version 1.1 take 1e-07 for a text.
    return mantissa + ("" if "." in mantissa or not mark else ".0") + mark + exponent
