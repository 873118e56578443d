"""Write plain data as YAML that readers of versions 1.1 and 1.2 understand alike."""

import json
import math
import re
from typing import Any

import yaml

from milepost.text.disguise import escaped
from milepost.text.fence import cleaned

# Words that need no quotes: they begin with a letter and hold nothing that YAML reads otherwise.
_PLAIN = re.compile(r"[^\W\d_](?:[\w .,/()+-]*[\w./()+-])?")
_RESERVED = frozenset("null true false yes no on off y n nan inf".split())
# Text that may stand as it is below a `|`.
_BLOCK = re.compile("\\S[^\x00-\x08\x0b-\x1f\ufffe\uffff]*")
# Readers look for the colon after a name within 1,024 characters, and an escape takes ten.
_NAME_CHARS_MAX = 100


def to_yaml(data: Any) -> str:
    """Return a document, without a line break at its end."""
    text: str = yaml.dump(data, None, _Dumper, width=math.inf, allow_unicode=True, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # PyYAML says nothing of its types
    """Lets no value be taken for another one, by readers or by whoever sees the text."""

    def ignore_aliases(self, _data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow)  # the items of a list stand to the right of its name

    def check_simple_key(self) -> bool:
        return len(self.event.value) < _NAME_CHARS_MAX

    def choose_scalar_style(self) -> str:
        style: str = self.event.style or ""
        return '"' if style == "|" and self.simple_key_context else style

    def write_double_quoted(self, text: str, _split: bool = True) -> None:
        self.write_indicator(escaped(json.dumps(text, ensure_ascii=False), "\\U{:08x}"), True)

    def represent_text(self, text: str) -> Any:
        return self.represent_scalar("tag:yaml.org,2002:str", text, _style(text))


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_multi_representer(str, _Dumper.represent_text)


def _style(text: str) -> str | None:
    """Return how a text is written: as it is, as it is below a `|`, or in quotes."""
    if cleaned(text) == text:
        if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED:
            return None
        *lines, last = text.removesuffix("\n").split("\n")
        if lines and last and _BLOCK.fullmatch(text) and not any(map(str.isspace, (*lines, last))):
            return "|"
    return '"'
