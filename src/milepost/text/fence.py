"""Keep text from memory what it is for a model: data that cannot pose as anything else."""

import re

# What a model may take for a frame of its client's, of its own or of ours; a type's parameters, as
# in list<str>, are left alone.
_FRAME = re.compile(
    r"(?<!\w)[<\uff1c\u2329\u3008\u27e8](?=\s*[^\W\d])|[<\uff1c\u2329\u3008\u27e8](?=\s*[/|!%<])"
    r"|[<\uff1c](?=\W*(?:milepost|system|user|assistant|human|function|tool|invoke|antml)\b)",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")


def as_data(text: str) -> str:
    """Return a text on one line that cannot end the fence it stands in, nor open another."""
    plain = "".join(c if c.isprintable() or c.isspace() else " " for c in text)
    return _FRAME.sub("‹", _SPACES.sub(" ", plain)).strip()
