"""E-mail and boxes of it."""

from email.message import EmailMessage


def _message(text="The north gate is locked.", **headers):
    message = EmailMessage()
    message["From"] = "Ines <ines@example.org>"
    message["To"] = "otto@example.org"
    message["Date"] = "Tue, 14 Nov 2023 22:13:20 +0000"
    message["Subject"] = "Gates für alle"
    message.set_content(text)
    return message


def test_a_message_knows_who_wrote_what_when(read):
    message = _message("Locked.\n\nOn Monday, Otto wrote:\n> Which gate?\n> Tell me.\n")
    message.add_attachment(b"x", maintype="a", subtype="b", filename="../../key.png")
    document = read("a.eml", message.as_bytes())
    (section,) = document.sections
    assert (document.media, document.title) == ("email", "Gates für alle")
    assert (section.kind, section.author) == ("message", "Ines <ines@example.org>")
    assert section.created == 1_700_000_000.0
    assert section.text.endswith("\n\nLocked.\n\nAttached: key.png")
    assert "Which gate" not in section.text
    assert set(document.notes) == {"quoted text is left out", "attachments are named, not read"}


def test_a_message_in_html_is_read_as_text(read):
    message = _message()
    message.set_content("<p>The <b>north</b> gate</p><script>x</script>", subtype="html")
    assert read("a.eml", message.as_bytes()).sections[0].text.endswith("\n\nThe north gate")


def test_a_box_is_read_message_by_message(read):
    one = _message("First.\n\nFrom here on it is quiet.\n").as_bytes()
    box = b"".join(
        b"From ines Tue Nov 14 22:13:20 2023\n" + data.replace(b"\nFrom h", b"\n>From h") + b"\n"
        for data in (one, _message("Second.").as_bytes())
    )
    document = read("all.mbox", box)
    assert [s.text.rpartition("\n\n")[2] for s in document.sections] == [
        "From here on it is quiet.",
        "Second.",
    ]
    assert document.sections[0].line == 1
    assert document.sections[1].line == box[: box.index(b"\nFrom ines") + 1].count(b"\n") + 1


def test_headers_that_are_made_to_confuse_are_taken_as_they_are(read):
    data = b"From: \xff\xfe<@@\nDate: never\nSubject: =?utf-8?b?%%%?=\n\nBody\n"
    section = read("a.eml", data).sections[0]
    assert section.created is None
    assert section.text.endswith("Body")
