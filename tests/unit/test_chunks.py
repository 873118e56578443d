"""Documents are cut along their structure, and within a sentence only where that must be."""

from __future__ import annotations

import pytest

from milepost.documents.chunks import Chunk, chunked
from milepost.documents.ignored import is_ignored, path_pattern, rules_in
from milepost.documents.values import Document, Section
from milepost.text.tokens import estimate


def cut(*sections: Section, size: int | None = None, title: str = "Guide") -> list[Chunk]:
    return chunked(Document("markdown", title, sections), size)


def body(chunk: Chunk) -> str:
    return chunk.text.partition("\n")[2]


def prose(name: str, count: int) -> str:
    return " ".join(f"Sentence {number} of {name} says something." for number in range(count))


def test_small_sections_under_one_heading_share_a_piece_with_their_own_headings() -> None:
    (chunk,) = cut(
        Section("The first is short.", ("Guide", "Install", "Linux"), line=3),
        Section("The second too.", ("Guide", "Install", "Windows"), line=7),
    )

    assert chunk.text == ("Guide > Install\nLinux\nThe first is short.\n\nWindows\nThe second too.")
    assert (chunk.heading, chunk.line) == (("Guide", "Install"), 3)


def test_sections_of_other_parents_do_not_share_a_piece() -> None:
    chunks = cut(
        Section("One thing.", ("Guide", "Install", "Linux")),
        Section("Another thing.", ("Guide", "Remove", "Linux")),
    )

    assert [chunk.heading for chunk in chunks] == [
        ("Guide", "Install", "Linux"), ("Guide", "Remove", "Linux"),
    ]  # fmt: skip


def test_a_large_section_is_cut_between_sentences_with_its_headings_on_every_piece() -> None:
    chunks = cut(Section(prose("it", 120), ("Guide", "Use"), line=10))

    assert len(chunks) > 2
    assert all(chunk.text.startswith("Guide > Use\n") for chunk in chunks)
    assert all(body(chunk).endswith(".") for chunk in chunks)
    assert all(body(chunk).startswith("Sentence") for chunk in chunks)
    assert " ".join(map(body, chunks)) == prose("it", 120), "nothing is lost"


@pytest.mark.parametrize("size", [40, 150, 600])
def test_pieces_are_about_as_large_as_is_asked_for(size: int) -> None:
    text = "\n\n".join(prose(f"paragraph {number}", 5) for number in range(40))
    sizes = [estimate(body(chunk)) for chunk in cut(Section(text), size=size)][:-1]

    assert max(sizes) <= 1.7 * size
    assert min(sizes) >= 0.4 * size


def test_sections_stay_whole_where_that_is_asked_for() -> None:
    chunks = cut(Section(prose("a", 200), ("A",)), Section(prose("b", 2), ("B",)), size=0)

    assert [body(chunk) for chunk in chunks] == [prose("a", 200), prose("b", 2)]


def test_a_change_leaves_the_pieces_elsewhere_as_they_are() -> None:
    paragraphs = [prose(f"paragraph {number}", 6) for number in range(60)]
    before = {chunk.text for chunk in cut(Section("\n\n".join(paragraphs)))}
    paragraphs.insert(3, prose("what is new", 4))
    after = {chunk.text for chunk in cut(Section("\n\n".join(paragraphs)))}

    assert len(after - before) <= 8


def test_code_in_a_fence_is_not_cut_while_it_is_small() -> None:
    code = "```sh\nmake\n\nmake install\n```"
    chunks = cut(Section(f"{prose('it', 14)}\n\n{code}\n\n{prose('more', 14)}"), size=100)

    assert sum(code in chunk.text for chunk in chunks) == 1


def test_a_function_is_a_piece_and_a_method_says_whose_it_is() -> None:
    one, other = cut(
        Section("def start(self):\n    pass", (), line=4, kind="code", symbol="Server.start"),
        Section("def stop(self):\n    pass", (), line=9, kind="code", symbol="Server.stop"),
        title="app.py",
    )

    assert (one.symbol, one.line) == ("Server.start", 4)
    assert other.text.startswith("app.py > Server.stop\n")


def test_code_is_cut_between_lines() -> None:
    lines = [f"    total += price({number})  # the price of {number}" for number in range(200)]
    text = "def f():\n" + "\n".join(lines)
    chunks = cut(Section(text, line=1, kind="code", symbol="f"), title="a.py")

    assert len(chunks) > 1
    assert [line for chunk in chunks for line in body(chunk).split("\n")] == text.split("\n")
    assert chunks[1].line == 1 + body(chunks[0]).count("\n") + 1


def test_every_part_of_a_table_names_its_columns() -> None:
    rows = "\n".join(f"{number}, berth {number}, {number * 2} euros" for number in range(200))
    chunks = cut(Section(f"no, name, price\n{rows}", kind="table"))

    assert len(chunks) > 1
    assert all(body(chunk).startswith("no, name, price\n") for chunk in chunks)


def test_messages_of_two_people_are_two_pieces() -> None:
    one, other = cut(
        Section("When do we sail?", kind="message", author="Ann"),
        Section("At six.", kind="message", author="Ben"),
    )

    assert (one.author, other.author) == ("Ann", "Ben")


def test_pages_that_end_with_a_sentence_are_apart() -> None:
    one, other = cut(Section("The end of one.", page=1), Section("Another.", page=2))

    assert (one.page, other.page) == (1, 2)


def test_a_text_without_any_place_to_cut_is_cut_all_the_same() -> None:
    chunks = cut(Section("x" * 20_000), size=100)

    assert "".join(map(body, chunks)) == "x" * 20_000


def test_nothing_is_cut_into_nothing() -> None:
    assert cut(Section("  \n ")) == []


@pytest.mark.parametrize(
    ("rule", "path", "ignored"),
    [
        ("*.log", "a/b.log", True),
        ("/made/", "made", True),
        ("/made/", "src/made", False),
        ("made/", "src/made", True),
        ("docs/*.txt", "docs/a.txt", True),
        ("docs/*.txt", "docs/sub/a.txt", False),
        ("docs/**/a.txt", "docs/x/y/a.txt", True),
        ("**/cache", "x/cache", True),
        ("a?c", "abc", True),
        ("[!a]b", "ab", False),
        ("# a", "a", False),
        ("\\#a", "#a", True),
        ("[", "[", True),
    ],
)
def test_what_gitignore_means(rule: str, path: str, ignored: bool) -> None:
    assert is_ignored([("", rules_in(rule))], path, is_folder=rule.endswith("/")) is ignored


def test_the_last_rule_counts_and_a_rule_is_of_its_folder() -> None:
    rules = [("", rules_in("*.log\n!keep.log")), ("/r/sub", rules_in("/keep.log"))]

    assert not is_ignored([("/r", rules[0][1])], "/r/keep.log", is_folder=False)
    assert is_ignored([("/r", rules[0][1]), rules[1]], "/r/sub/keep.log", is_folder=False)


def test_a_pattern_that_takes_long_is_nobodys() -> None:
    assert path_pattern("*a" * 20) is None
