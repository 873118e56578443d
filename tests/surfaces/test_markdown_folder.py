"""A folder of Markdown notes that people edit is merged with the memory, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from command_line import Outcome, done, milepost, refused
from hypothesis import given, settings
from hypothesis import strategies as st

import milepost as package
from milepost import Milepost, connect

pytestmark = pytest.mark.slow

LINES = "The release\n\nfirst step\nsecond step\nthird step\nfourth step"


@pytest.fixture(params=["file", "database"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "database":
        return str(request.getfixturevalue("postgres_store_url"))
    return str(tmp_path / "m.db")


class Notes:
    """A memory with the folder of its notes."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder

    def memory(self) -> Milepost:
        opened = connect(self.url, project="everywhere")
        assert isinstance(opened, Milepost)
        return opened

    def export(self, *words: str) -> str:
        flags = ("--format", "markdown", "--to", str(self.folder))
        return done("export", *flags, *words)

    def sync(self, *words: str) -> Outcome:
        return milepost("sync", str(self.folder), *words, "--json")

    def file(self, text: str) -> Path:
        """Return the one file that holds a text."""
        (found,) = [path for path in self.files() if text.encode() in path.read_bytes()]
        return found

    def files(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*.md") if path.is_file())

    def state(self) -> dict[str, bytes]:
        every = (path for path in self.folder.rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in every}

    def texts(self) -> set[str]:
        with self.memory() as memory:
            return {memory.get(one.hash).content for one in memory.list_memories(limit=100)}

    def one(self, text: str) -> package.Memory:
        with self.memory() as memory:
            every = [memory.get(one.hash) for one in memory.list_memories(limit=100)]
        (found,) = [one for one in every if text in one.content]
        return found

    def is_settled(self) -> None:
        """Check that nothing is left to do, and that doing it again changes nothing."""
        before = self.state()
        outcome = self.sync()
        assert (outcome.code, outcome.err) == (0, "")
        assert not any(outcome.data.values()), outcome.data
        assert self.state() == before
        assert done("sync", str(self.folder), "--dry-run") == "would change nothing"


@pytest.fixture
def notes(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notes:
    """A memory of three, and their notes."""
    monkeypatch.setenv("MILEPOST_URL", url)
    monkeypatch.setenv("MILEPOST_PROJECT", "everywhere")
    monkeypatch.chdir(tmp_path)
    made = Notes(url, tmp_path / "notes")
    with made.memory() as memory:
        memory.store(LINES, tags=["release"], kind="decision", project="shop", author="Ines")
        memory.store("The cellar is damp since Thursday")
        memory.store("Café ☕ opens at eight 🎉", tags=["place"], project="../../etc/passwd")
    made.export()
    return made


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_bytes().decode()
    assert before in text
    path.write_bytes(text.replace(before, after).encode())


def test_each_memory_is_a_file_with_a_name_to_read_in_the_folder_of_its_project(
    notes: Notes,
) -> None:
    names = {str(path.relative_to(notes.folder)) for path in notes.files()}
    (other,) = names - {"shop/The release.md", "The cellar is damp since Thursday.md"}
    assert other.startswith("etc passwd ")
    assert other.endswith("/Café ☕ opens at eight 🎉.md")
    text = (notes.folder / "shop/The release.md").read_text("utf-8")
    assert text.startswith("---\nhash: ")
    for line in ("kind: decision", "- release", "project: shop", "author: Ines", "created: "):
        assert line in text
    assert text.endswith(f"---\n\n{LINES}\n")
    notes.is_settled()


def test_what_is_edited_in_a_file_is_a_new_version_here(notes: Notes) -> None:
    file, old = notes.file("first step"), notes.one("first step")
    edit(file, "second step", "second step, by hand")
    edit(file, "- release", "- release\n- by hand")

    outcome = notes.sync()

    assert (outcome.code, outcome.data["updated"]) == (0, 1)
    new = notes.one("first step")
    assert new.content == LINES.replace("second step", "second step, by hand")
    assert (new.tags, new.kind, new.project) == (("by hand", "release"), "decision", "shop")
    assert new.source == "import"
    with notes.memory() as memory:
        assert str(memory.get(old.hash).superseded_by) in new.full_hash
    assert f"supersedes:\n- '[[{old.full_hash[:8]}]]'" in file.read_text("utf-8")
    notes.is_settled()


def test_what_is_changed_here_is_written_to_the_file(notes: Notes) -> None:
    with notes.memory() as memory:
        memory.update(notes.one("cellar").hash, content="The cellar is dry", tags=["house"])

    assert notes.sync().data["written"] == 1

    text = (notes.folder / "The cellar is damp since Thursday.md").read_text("utf-8")
    assert text.endswith("\nThe cellar is dry\n")
    assert "- house" in text
    notes.is_settled()


def test_changes_of_both_are_merged_where_they_do_not_touch(notes: Notes) -> None:
    file = notes.file("first step")
    edit(file, "first step", "first step, in the file")
    edit(file, "- release", "- release\n- file")
    with notes.memory() as memory:
        here = LINES.replace("fourth", "last")
        memory.update(notes.one("first").hash, content=here, tags=["release", "here"], kind="plan")

    outcome = notes.sync()

    assert (outcome.code, outcome.data["conflicts"]) == (0, [])
    merged = LINES.replace("first step", "first step, in the file").replace("fourth", "last")
    new = notes.one("first step")
    assert (new.content, new.tags, new.kind) == (merged, ("file", "here", "release"), "plan")
    assert file.read_text("utf-8").endswith(f"{merged}\n")
    notes.is_settled()


def conflict(notes: Notes) -> tuple[Path, Path]:
    file = notes.file("first step")
    edit(file, "second step", "second step of the file")
    with notes.memory() as memory:
        here = LINES.replace("second step", "second step of the memory")
        memory.update(notes.one("first step").hash, content=here)
    return file, file.with_name("The release.conflict.md")


def test_a_conflict_is_shown_until_somebody_settles_it(notes: Notes) -> None:
    file, beside = conflict(notes)
    edited = file.read_bytes()

    for _ in range(2):
        outcome = notes.sync()

        assert outcome.code == 1
        assert [one["path"] for one in outcome.data["conflicts"]] == ["shop/The release.md"]
        assert file.read_bytes() == edited
        assert "second step of the memory" in beside.read_text("utf-8")
        assert "second step of the memory" in notes.one("first step").content
    assert "conflict: shop/The release.md: " in milepost("sync", str(notes.folder)).out

    edit(file, "second step of the file", "second step of both")
    beside.unlink()
    assert notes.sync().data["updated"] == 1
    assert "second step of both" in notes.one("first step").content
    notes.is_settled()


def test_who_takes_the_version_of_the_memory_has_nothing_more_to_do(notes: Notes) -> None:
    file, beside = conflict(notes)
    notes.sync()

    beside.replace(file)

    assert notes.sync().code == 0
    assert "second step of the memory" in notes.one("first step").content
    notes.is_settled()


def test_a_new_file_is_stored_with_what_stands_in_front_of_it(notes: Notes) -> None:
    (notes.folder / "shop" / "deep").mkdir()
    (notes.folder / "shop/deep/idea.md").write_text("Sell umbrellas\n", "utf-8")
    front = "---\ntags: a, b\nkind: decision\ncreated: 2024-05-06\naliases: [x]\n---\n"
    (notes.folder / "Ω.md").write_text(f"{front}We close at nine\n", "utf-8")

    assert notes.sync("--dry-run").code == 0
    assert "Sell umbrellas" not in notes.texts()
    assert notes.sync().data["stored"] == 2

    idea, close = notes.one("umbrellas"), notes.one("nine")
    assert (idea.project, idea.source, close.project) == ("shop", "import", None)
    assert (close.tags, close.kind) == (("a", "b"), "decision")
    assert close.created == 1714953600
    assert "aliases:\n- x\n" in (notes.folder / "Ω.md").read_text("utf-8")
    notes.is_settled()


def test_the_memory_of_a_deleted_file_goes_only_when_that_is_said(notes: Notes) -> None:
    notes.file("cellar").unlink()

    outcome = notes.sync()
    assert (outcome.code, len(outcome.data["gone"])) == (0, 1)
    assert notes.one("cellar")

    assert notes.sync("--delete").data["deleted"] == 1
    assert not any("cellar" in text for text in notes.texts())
    notes.is_settled()
    with notes.memory() as memory:
        memory.undo()
    assert notes.sync().data["written"] == 1
    assert notes.file("cellar")


def test_a_deleted_file_is_back_if_its_memory_changed_meanwhile(notes: Notes) -> None:
    notes.file("cellar").unlink()
    with notes.memory() as memory:
        memory.update(notes.one("cellar").hash, content="The cellar is flooded")

    outcome = notes.sync("--delete")

    assert (outcome.code, len(outcome.data["conflicts"])) == (1, 1)
    assert notes.file("flooded")
    notes.is_settled()


def test_the_file_of_a_deleted_memory_is_removed_only_if_nobody_edited_it(notes: Notes) -> None:
    edited = notes.file("first step")
    edit(edited, "third step", "third step, edited")
    with notes.memory() as memory:
        memory.delete_batch([notes.one("cellar").hash, notes.one("first step").hash])

    for removed in (1, 0):
        outcome = notes.sync()
        assert (outcome.code, outcome.data["removed"]) == (1, removed)
        assert len(outcome.data["conflicts"]) == 1
        assert "third step, edited" in edited.read_text("utf-8")

    lines = edited.read_text("utf-8").splitlines(keepends=True)
    edited.write_text("".join(line for line in lines if not line.startswith("hash:")), "utf-8")
    assert notes.sync().data["stored"] == 1
    assert "third step, edited" in notes.one("first step").content
    notes.is_settled()


@pytest.mark.parametrize(
    "front",
    ["---\ntags: [a\n---\n", "---\nkind: x\n", "---\n- a\n---\n", "---\na: &a [1]\nb: *a\n---\n",
     "---\nauthor: Somebody else\n---\n", "---\ncreated: never\n---\n"],
)  # fmt: skip
def test_front_matter_that_cannot_be_read_changes_nothing(notes: Notes, front: str) -> None:
    file = notes.file("cellar")
    hashed = file.read_text("utf-8").splitlines()[1]
    front = front.replace("author", f"{hashed}\nauthor")
    file.write_text(f"{front}The cellar is something else\n", "utf-8")
    before, texts = notes.state(), notes.texts()

    outcome = notes.sync("--delete")

    assert outcome.code == 1
    assert [one["path"] for one in outcome.data["problems"]] == [file.name]
    assert (notes.state(), notes.texts()) == (before, texts)


def test_a_file_without_its_front_matter_is_still_of_its_memory(notes: Notes) -> None:
    file = notes.file("cellar")
    file.write_text("The cellar is dry again\n", "utf-8")

    assert notes.sync().data["updated"] == 1

    assert "The cellar is dry again" in notes.texts()
    assert "The cellar is damp since Thursday" not in notes.texts()
    notes.is_settled()


def test_a_renamed_and_moved_file_is_known_by_its_hash(notes: Notes) -> None:
    file = notes.file("cellar")
    moved = notes.folder / "house" / "Keller 🏠.md"
    moved.parent.mkdir()
    file.rename(moved)
    edit(moved, "Thursday", "Friday")

    assert notes.sync("--delete").data["updated"] == 1

    assert notes.file("Friday") == moved
    assert len(notes.files()) == 3
    notes.is_settled()


def test_line_ends_marks_and_what_others_wrote_in_front_stay(notes: Notes) -> None:
    file = notes.file("first step")
    text = file.read_text("utf-8").replace("kind:", "cssclasses: wide\nkind:", 1)
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    before = file.read_bytes()
    outcome = notes.sync()
    assert (outcome.code, outcome.data["updated"], file.read_bytes()) == (0, 0, before)

    with notes.memory() as memory:
        memory.update(notes.one("first step").hash, content=f"{LINES}\nfifth step")
    notes.sync()

    data = file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---\r\n")
    assert b"cssclasses: wide\r\n" in data
    assert data.endswith(b"fourth step\r\nfifth step\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")
    notes.is_settled()


def test_of_two_files_with_one_hash_the_copy_is_told_of(notes: Notes) -> None:
    file = notes.file("cellar")
    copy = notes.folder / "copy.md"
    copy.write_bytes(file.read_bytes().replace(b"Thursday", b"Monday"))

    outcome = notes.sync("--delete")

    assert outcome.code == 1
    assert [one["path"] for one in outcome.data["problems"]] == ["copy.md"]
    file.rename(notes.folder / "another copy.md")
    outcome = notes.sync("--delete")
    assert len(outcome.data["problems"]) == 2
    assert notes.one("cellar").content.endswith("Thursday")
    assert b"Monday" in copy.read_bytes()


def test_names_that_differ_in_case_alone_do_not_meet(notes: Notes) -> None:
    with notes.memory() as memory:
        memory.store("the Cellar is damp since thursday", project="Shop")
        memory.store("THE CELLAR IS DAMP SINCE THURSDAY", project="SHOP")

    notes.sync()

    names = [path.stem.casefold() for path in notes.files()]
    folders = {str(path.parent).casefold() for path in notes.files()}
    assert len(set(names)) == len(names) == 5
    assert len(folders) == 5
    notes.is_settled()


def test_links_lead_to_nothing_outside_of_the_folder(notes: Notes, tmp_path: Path) -> None:
    secret = tmp_path / "outside.md"
    secret.write_text("Nobody shall import this\n", "utf-8")
    (notes.folder / "link.md").symlink_to(secret)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/more.md").write_text("Nor this\n", "utf-8")
    (notes.folder / "away").symlink_to(tmp_path / "elsewhere")
    with notes.memory() as memory:
        memory.store("Something for another project", project="away")

    outcome = notes.sync()

    assert outcome.code == 1
    assert {one["path"] for one in outcome.data["problems"]} >= {"link.md"}
    assert not any("this" in text for text in notes.texts())
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["more.md"]


def test_secrets_stay_in_the_file_and_do_not_come_into_the_memory(notes: Notes) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    file = notes.file("first step")
    edit(file, "third step", f"third step with the token {secret}")
    (notes.folder / "new.md").write_text(f"Deploy with token {secret}\n", "utf-8")

    outcome = notes.sync()

    assert outcome.data["secrets"] == 2
    assert not any(secret in text for text in notes.texts())
    assert secret in file.read_text("utf-8")
    notes.is_settled()


def test_files_that_are_no_notes_are_told_of_or_left_alone(notes: Notes) -> None:
    (notes.folder / ".obsidian").mkdir()
    (notes.folder / ".obsidian/x.md").write_text("setting\n", "utf-8")
    (notes.folder / "picture.png").write_bytes(b"\x89PNG")
    (notes.folder / "latin.md").write_bytes(b"caf\xe9")
    (notes.folder / "empty.md").write_bytes(b"")
    (notes.folder / "same.md").write_text("The cellar is damp since Thursday", "utf-8")
    texts = notes.texts()

    outcome = notes.sync()

    assert outcome.code == 1
    paths = [one["path"] for one in outcome.data["problems"]]
    assert paths == ["latin.md", "empty.md", "same.md"]
    assert notes.texts() == texts


def test_links_between_memories_stand_in_double_brackets(notes: Notes) -> None:
    with notes.memory() as memory:
        first = memory.store("The backup runs at two")
        second = memory.store("The backup runs at two!")
        alike = memory.get(first).alike
    notes.sync()
    if alike:
        assert "[[" in notes.file("runs at two!\n").read_text("utf-8"), second
    file = notes.file("runs at two!\n")
    edit(file, "kind: note", "kind: note\naliases:\n- '[[Something else]]'")
    notes.sync()
    assert "[[Something else]]" in file.read_text("utf-8")
    notes.is_settled()


def test_the_notes_of_one_project_are_those_of_one_project(notes: Notes, tmp_path: Path) -> None:
    own = Notes(notes.url, tmp_path / "shop notes")
    own.export("--project", "shop")
    assert [path.name for path in own.files()] == ["The release.md"]
    (own.folder / "everywhere.md").write_text("This is of no project\n", "utf-8")
    assert own.sync().data["stored"] == 1
    own.is_settled()
    assert len(own.files()) == 2


def test_import_merges_too_and_other_memories_are_refused(notes: Notes, tmp_path: Path) -> None:
    edit(notes.file("cellar"), "damp", "wet")
    assert milepost("import", str(notes.folder), "--json").data["updated"] == 1
    notes.is_settled()

    assert "not empty" in refused("export", "--format", "markdown", "--to", str(tmp_path))
    assert "milepost sync" in refused("export", "--format", "markdown", "--to", str(notes.folder))
    before = notes.state()
    with connect(tmp_path / "other.db") as other:
        other.store("Of somebody else")
    flags = ("--url", str(tmp_path / "other.db"))
    assert "another memory" in refused("sync", str(notes.folder), *flags)
    assert notes.state() == before


def test_a_base_that_leads_out_of_the_folder_is_refused(notes: Notes) -> None:
    base = notes.folder / ".milepost/base.json"
    said = json.loads(base.read_text("utf-8"))
    said["entries"][0]["path"] = "../outside.md"
    base.write_text(json.dumps(said), "utf-8")
    assert "damaged" in refused("sync", str(notes.folder))


WORDS = st.sampled_from(["red", "green", "blue", "white", "black", "brown"])
EDITS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("+-=")), max_size=4)


def edited(lines: list[str], edits: list[tuple[int, str]], who: str) -> list[str]:
    made = list(lines)
    for number, (place, what) in enumerate(edits):
        at = place % (len(made) + 1)
        if what == "+":
            made.insert(at, f"{who} {number}")
        elif at < len(made) > 1:
            made[at : at + 1] = [] if what == "-" else [f"{who} {number}"]
    return made


@given(lines=st.lists(WORDS, min_size=1, unique=True), mine=EDITS, theirs=EDITS)
@settings(max_examples=15)
def test_no_line_is_lost_without_a_conflict_whatever_both_edit(
    lines: list[str], mine: list[tuple[int, str]], theirs: list[tuple[int, str]]
) -> None:
    ours, said = edited(lines, mine, "here"), edited(lines, theirs, "file")
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("MILEPOST_URL", f"{folder}/m.db")
        patch.setenv("MILEPOST_PROJECT", "everywhere")
        notes = Notes(f"{folder}/m.db", Path(folder, "notes"))
        with notes.memory() as memory:
            name = memory.store("\n".join(lines))
        notes.export()
        (file,) = notes.files()
        edit(file, "\n\n" + "\n".join(lines) + "\n", "\n\n" + "\n".join(said) + "\n")
        with notes.memory() as memory:
            memory.update(name, content="\n".join(ours))

        outcome = notes.sync()

        everything = "\n".join(path.read_text("utf-8") for path in notes.files()).splitlines()
        added = {line for line in (*ours, *said) if line not in lines}
        kept = {line for line in lines if line in ours and line in said}
        assert added | kept <= set(everything)
        assert (outcome.code == 1) == bool(outcome.data["conflicts"])
        if outcome.code == 0:
            (text,) = notes.texts()
            assert added | kept <= set(text.splitlines())
            notes.is_settled()
        else:
            assert file.read_text("utf-8").endswith("\n".join(said) + "\n")
