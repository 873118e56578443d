"""E-mail: who wrote what when; what is quoted is left out, what is attached is named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser

from milepost.documents.values import Document, Section
from milepost.reading.html_page import plain_text
from milepost.reading.moments import moment
from milepost.reading.source import Cannot, Source

_ATTRIBUTION = re.compile(
    r"^(?:On .{6,200} wrote:|Am .{6,200} schrieb .{0,100}:|Le .{6,200} a écrit ?:"
    r"|El .{6,200} escribió:|-{3,} ?(?:Original Message|Ursprüngliche Nachricht) ?-{3,})\s*$"
)
_OUTLOOK = re.compile(r"^-{3,} ?(?:Original Message|Ursprüngliche Nachricht) ?-{3,}\s*$")
_BODY_MAX, _NAMES_MAX = 2_000_000, 20


def read(source: Source) -> Document:
    """Read a message."""
    message = _parsed(source.data())
    section = _section(source, message, None)
    if not section.text:
        raise Cannot("it holds no text")
    title = section.heading[0] if section.heading else source.stem
    return Document("email", title, (section,), author=section.author, created=section.created)


def read_mbox(source: Source) -> Document:
    """Read a box of messages."""
    sections = []
    for line, data in _split(source.data()):
        if source.is_time_up():
            source.note(f"read up to line {line:,}: its time was up")
            break
        section = _section(source, _parsed(data), line)
        if section.text:
            sections.append(section)
    return Document("mbox", source.stem, tuple(sections), metadata={"messages": str(len(sections))})


def _parsed(data: bytes) -> EmailMessage:
    parsed = BytesParser(policy=policy.default).parsebytes(data)
    assert isinstance(parsed, EmailMessage)
    return parsed


def _split(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Return the messages of a box, each with the number of its first line."""
    begins = [
        found.start() for found in re.finditer(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From \S", data)
    ]
    line = 1
    for begin, end in zip(begins, [*begins[1:], len(data)], strict=True):
        message = data[begin:end]
        yield line, re.sub(rb"(?m)^>(>*From )", rb"\1", message.partition(b"\n")[2])
        line += message.count(b"\n")


def _section(source: Source, message: EmailMessage, line: int | None) -> Section:
    subject = _header(message, "subject")
    text = _unquoted(source, _body(source, message))
    if attached := list(_attachments(message)):
        source.note("attachments are named, not read")
        text = f"{text}\n\nAttached: {', '.join(attached)}".strip()
    head = f"Subject: {subject}\n" if subject else ""
    told = head + "".join(
        f"{name.capitalize()}: {value}\n"
        for name in ("from", "to")
        if (value := _header(message, name))
    )
    return Section(
        f"{told}\n{text}" if text else "",
        (subject,) if subject else (),
        line=line,
        kind="message",
        author=_header(message, "from"),
        created=moment(_header(message, "date")),
    )


def _header(message: EmailMessage, name: str) -> str:
    """Return a header in one line; one that cannot be made sense of as it stands."""
    try:
        value = message[name]
    except (ValueError, IndexError, AttributeError, TypeError):
        # The parser of the standard library stumbles over some that are made to do so.
        value = next((raw for key, raw in message.raw_items() if key.lower() == name), "")
    return " ".join(str(value or "").split())[:500]


def _body(source: Source, message: EmailMessage) -> str:
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    text = source.decoded(data[:_BODY_MAX], part.get_content_charset() or "")
    if part.get_content_subtype() == "html":
        try:
            return plain_text(text)
        except Cannot:
            return ""
    return text.strip()


def _unquoted(source: Source, text: str) -> str:
    """Leave out what is quoted of earlier messages."""
    kept: list[str] = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if _OUTLOOK.match(line):
            source.note("quoted text is left out")
            break
        if line.startswith(">"):
            source.note("quoted text is left out")
        elif not (_ATTRIBUTION.match(line) and _is_quoted(lines[number + 1 : number + 3])):
            kept.append(line)
    return "\n".join(kept).strip()


def _is_quoted(lines: list[str]) -> bool:
    return any(line.startswith(">") for line in lines)


def _attachments(message: EmailMessage) -> Iterator[str]:
    """Return the names of what is attached, without the folders they claim."""
    for number, part in enumerate(message.iter_attachments()):
        if number == _NAMES_MAX:
            yield "…"
            return
        name = re.split(r"[\\/]", part.get_filename() or "")[-1] or part.get_content_type()
        yield " ".join(name.split())[:100]


# Loads what the standard library loads on first use: there are no files any more by then.
_parsed(
    b"From: A <a@b.c>\nTo: b@c.d\nSubject: =?utf-8?q?x?=\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n"
    b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain; charset=utf-8\n'
    b"Content-Transfer-Encoding: quoted-printable\n\ntext\n--x\nContent-Type: a/b\n"
    b"Content-Disposition: attachment; filename=n\nContent-Transfer-Encoding: base64\n\neA==\n"
    b"--x--\n"
).get_body()
