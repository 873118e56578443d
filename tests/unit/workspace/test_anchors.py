"""A text is anchored to the files and symbols it names, and anchors tell what became of them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from git_repository import Repository
from milepost.workspace import files
from milepost.workspace.anchors import anchors_in, moved, states
from milepost.workspace.values import Anchor

MONEY = '''"""Amounts."""

MAX_DIGITS = 2


class Money:
    """An amount."""

    scale = 2

    def round(self):
        return round(self.amount, MAX_DIGITS)

    def add(self, other):
        return Money(self.amount + other.amount)


def round_total(cart):
    total = sum(cart)
    return Money(total).round()


def tax_of(cart):
    return 19
'''
CART = """export class OrderService {
  place(order) {
    return this.send(order);
  }
}

export const cartTotal = (cart) => {
  return cart.length;
};
"""


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.commit(
        {
            "src/billing/money.py": MONEY,
            "web/cart.ts": CART,
            "a/util.py": "def first():\n    pass\n",
            "b/util.py": "def second():\n    pass\n",
            "README.md": "# Shop\n\ndef round_total(cart): is explained here\n",
            ".gitignore": "secret.py\n",
            "vendor/lib.py": "def vendored_thing():\n    pass\n",
        }
    )
    return repository


def named(shop: Repository, text: str) -> list[str]:
    return [f"{a.path}:{a.symbol}" for a in anchors_in([text], shop.root)[0]]


@pytest.mark.parametrize(
    "written",
    [
        "see src/billing/money.py",
        "see `src/billing/money.py`.",
        "(src/billing/money.py:42)",
        "src/billing/money.py:42:7: error",
        "./src/billing/money.py#L3-L9",
        "billing/money.py is where amounts are",
        "money.py rounds.",
        r"src\billing\money.py",
        "Amounts (in money.py).",
        '"src/billing/money.py", they say',
    ],
)
def test_a_path_is_met_however_it_is_written(shop: Repository, written: str) -> None:
    assert named(shop, written) == ["src/billing/money.py:"]


def test_an_absolute_path_below_the_root_is_met(shop: Repository) -> None:
    assert named(shop, f"open {shop.root}/web/cart.ts") == ["web/cart.ts:"]


@pytest.mark.parametrize(
    "written",
    [
        "util.py",
        "../shop/web/cart.ts",
        "https://example.org/src/billing/money.py",
        "ask money.py@example.org about 1.2.3 on 2024-01-02",
        "vendor/lib.py",
        "secret.py",
        "build/secret.py",
        "/etc/passwd and ~/web/cart.ts",
        "src/billing",
        "the README explains JSON, GitHub and PostgreSQL",
        "We round half to even, and that's that.",
    ],
)
def test_what_is_no_file_or_symbol_of_the_repository_is_no_anchor(
    shop: Repository, written: str
) -> None:
    shop.write("build/secret.py", "x = 1\n")
    shop.write("secret.py", "x = 1\n")
    assert named(shop, written) == []


def test_a_file_that_was_just_written_is_met_by_its_path(shop: Repository) -> None:
    shop.write("src/billing/new.py", "def fresh():\n    pass\n")
    assert named(shop, "src/billing/new.py has `fresh`") == ["src/billing/new.py:fresh"]


def test_a_file_that_was_added_is_met_by_its_name(shop: Repository) -> None:
    assert named(shop, "added.py") == []
    shop.commit({"src/added.py": "x = 1\n"})
    assert named(shop, "added.py") == ["src/added.py:"]


@pytest.mark.parametrize(
    ("written", "symbol"),
    [
        ("round_total adds tax", "src/billing/money.py:round_total"),
        ("`round_total(cart, 2)` adds tax", "src/billing/money.py:round_total"),
        ("Money.round() is half-even", "src/billing/money.py:Money.round"),
        ("money.add() keeps the currency", "src/billing/money.py:Money.add"),
        ("call `money.tax_of`", "src/billing/money.py:tax_of"),
        ("`Money` is frozen", "src/billing/money.py:Money"),
        ("MAX_DIGITS is two", "src/billing/money.py:MAX_DIGITS"),
        ("the OrderService sends twice", "web/cart.ts:OrderService"),
        ("OrderService#place is slow", "web/cart.ts:OrderService.place"),
        ("cartTotal counts", "web/cart.ts:cartTotal"),
        ("`Money.scale` is fixed", "src/billing/money.py:Money.scale"),
    ],
)
def test_a_symbol_is_met_where_exactly_one_file_defines_it(
    shop: Repository, written: str, symbol: str
) -> None:
    assert named(shop, written) == [symbol]


def test_a_symbol_that_two_files_define_needs_its_file_to_be_named(shop: Repository) -> None:
    shop.commit(
        {"a/util.py": "def both_here():\n    1\n", "b/util.py": "def both_here():\n    2\n"}
    )
    assert named(shop, "both_here is called twice") == []
    assert named(shop, "both_here in b/util.py is called twice") == ["b/util.py:both_here"]


def test_what_tests_define_does_not_hide_what_is_tested(shop: Repository) -> None:
    shop.commit({"tests/test_money.py": "class Money:\n    pass\n"})
    assert named(shop, "`Money` is frozen") == ["src/billing/money.py:Money"]


def test_a_file_whose_symbols_are_named_is_not_an_anchor_itself(shop: Repository) -> None:
    text = "In money.py round_total and `tax_of` belong together; web/cart.ts knows neither."
    assert named(shop, text) == [
        "src/billing/money.py:tax_of",
        "src/billing/money.py:round_total",
        "web/cart.ts:",
    ]


def test_a_text_has_at_most_eight_anchors_and_symbols_come_first(shop: Repository) -> None:
    shop.commit({f"many/m{i}.py": f"def thing_{i}():\n    pass\n" for i in range(12)})
    text = " ".join(f"many/m{i}.py" for i in range(12)) + " and `tax_of`"
    anchors = named(shop, text)
    assert len(anchors) == 8
    assert anchors[0] == "src/billing/money.py:tax_of"


def test_each_text_of_a_call_gets_its_own_anchors(shop: Repository) -> None:
    first, second, third = anchors_in(["tax_of", "nothing", "web/cart.ts"], shop.root)
    assert [a.symbol for a in first] == ["tax_of"]
    assert second == ()
    assert [a.path for a in third] == ["web/cart.ts"]


def state_of(anchor: Anchor, root: str) -> str:
    return states([anchor], root)[0]


def anchor(shop: Repository, text: str) -> Anchor:
    (only,) = anchors_in([text], shop.root)[0]
    return only


def test_a_symbol_is_the_same_when_other_lines_of_its_file_change(shop: Repository) -> None:
    held = anchor(shop, "round_total")
    shop.write("src/billing/money.py", "import os\n\n\n" + MONEY.replace("19", "20"))
    assert state_of(held, shop.root) == ""


def test_a_symbol_is_the_same_when_it_is_formatted(shop: Repository) -> None:
    held = anchor(shop, "round_total")
    tabs = MONEY.replace("    total = sum(cart)\n", "\n\ttotal   =  sum(\n\t\tcart,\n\t)\n\n")
    shop.write(
        "src/billing/money.py", tabs.replace("    return Money(total)", "\treturn Money(total)")
    )
    assert state_of(held, shop.root) == ""


def test_a_symbol_has_changed_when_a_line_of_it_has(shop: Repository) -> None:
    held = anchor(shop, "round_total")
    shop.write("src/billing/money.py", MONEY.replace("sum(cart)", "sum(cart) + 1"))
    assert state_of(held, shop.root) == "changed"


def test_a_symbol_is_gone_with_its_name_or_its_file(shop: Repository) -> None:
    held = anchor(shop, "round_total")
    shop.write("src/billing/money.py", MONEY.replace("round_total", "rounded_total"))
    assert state_of(held, shop.root) == "gone"
    (shop.folder / "src/billing/money.py").unlink()
    assert state_of(held, shop.root) == "gone"


def test_a_symbol_that_moved_is_met_where_it_is_now(shop: Repository) -> None:
    held = anchor(shop, "tax_of")
    shop.commit({"src/tax.py": "def tax_of(cart):\n    return 19\n", "src/billing/money.py": ""})
    assert state_of(held, shop.root) == "gone"
    assert moved(held, shop.root) == held._replace(path="src/tax.py")
    shop.commit({"src/tax.py": "def tax_of(cart):\n    return 7\n"})
    assert moved(held, shop.root) is None


def test_a_short_file_has_changed_with_any_line(shop: Repository) -> None:
    held = anchor(shop, "web/cart.ts")
    shop.write("web/cart.ts", CART.replace("length", "size"))
    assert state_of(held, shop.root) == "changed"


def test_a_file_is_the_same_with_other_line_ends_or_a_mark_of_its_bytes(shop: Repository) -> None:
    file = shop.write("conf/app.yaml", "port: 80\n")
    ((anchor,),) = anchors_in(["The port stands in conf/app.yaml"], shop.root)
    for data in (b"\xef\xbb\xbfport: 80\n", b"port: 80\r\n", b"\xef\xbb\xbfport: 80\r\n"):
        file.write_bytes(data)
        assert state_of(anchor, shop.root) == ""


def test_a_long_file_has_changed_when_much_of_it_is_gone(shop: Repository) -> None:
    lines = [f"value_{i} = compute({i})" for i in range(200)]
    shop.commit({"src/long.py": "\n".join(lines)})
    held = anchor(shop, "src/long.py")
    shop.write("src/long.py", "\n".join(lines[3:] + ["more = 1"] * 60))
    assert state_of(held, shop.root) == ""
    shop.write("src/long.py", "\n".join(lines[100:]))
    assert state_of(held, shop.root) == "changed"


def test_many_anchors_are_checked_in_order(shop: Repository) -> None:
    first, second = anchor(shop, "tax_of"), anchor(shop, "web/cart.ts")
    shop.write("src/billing/money.py", MONEY.replace("19", "20"))
    lost = Anchor("no/such.py", "", "0" * 16)
    assert states([second, first, lost], shop.root) == ["", "changed", "gone"]


def test_a_worktree_is_looked_at_in_its_own_files(shop: Repository, tmp_path: Path) -> None:
    held = anchor(shop, "tax_of")
    other = tmp_path / "other"
    shop.git("worktree", "add", "-q", "-b", "other", str(other))
    (other / "src/billing/money.py").write_text(MONEY.replace("19", "20"))
    assert state_of(held, str(other)) == "changed"
    assert state_of(held, shop.root) == ""
    assert [a.symbol for a in anchors_in(["money.py: tax_of"], str(other))[0]] == ["tax_of"]


def test_without_git_whole_paths_are_met(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/money.py").write_text(MONEY)
    (anchors,) = anchors_in(["src/money.py has tax_of and `first_thing`"], str(tmp_path))
    assert [(a.path, a.symbol) for a in anchors] == [("src/money.py", "tax_of")]


def test_a_program_that_the_repository_names_is_not_run(shop: Repository, tmp_path: Path) -> None:
    mark = tmp_path / "owned"
    for setting in ("core.fsmonitor", "diff.external", "core.pager", "diff.x.textconv"):
        shop.git("config", setting, f"touch {mark}")
    shop.write(".gitattributes", "*.py diff=x\n")
    assert named(shop, "tax_of and src/billing/nothing.py and money.py")
    assert not mark.exists()


def test_files_that_nobody_writes_are_no_anchors(shop: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("def outside_thing():\n    pass\n")
    (shop.folder / "src/out.py").symlink_to(outside)
    (shop.folder / "src/folder").symlink_to(tmp_path)
    (shop.folder / "src/loop.py").symlink_to("loop.py")
    os.mkfifo(shop.folder / "src/pipe.py")
    (shop.folder / "src/null.py").symlink_to("/dev/zero")
    (shop.folder / "src/binary.py").write_bytes(b"def a():\0\1")
    (shop.folder / "src/huge.py").write_text("x = 1\n" * (files.FILE_BYTES_MAX // 6 + 1))
    names = ["out", "folder/outside", "loop", "pipe", "null", "binary", "huge"]
    paths = [f"src/{name}.py" for name in names]
    assert named(shop, " ".join(paths)) == []
    lost = [Anchor(path, "a", "0" * 16) for path in (*paths, "../outside.py", "/etc/passwd", "\0")]
    found = dict(zip((anchor.path for anchor in lost), states(lost, shop.root), strict=True))
    # Of what lies outside nothing is told; what is here and not read is here.
    here = {"src/binary.py", "src/huge.py"}
    assert {path for path, state in found.items() if state == "changed"} == here
    assert {state for path, state in found.items() if path not in here} == {"gone"}


def test_bytes_that_are_no_text_and_names_with_line_breaks_do_no_harm(shop: Repository) -> None:
    (shop.folder / "src/latin.py").write_bytes(b"def caf_total():\n    return '\xe9\xff'\n")
    shop.commit({"src/a\nb.py": "def odd_name():\n    pass\n"})
    assert named(shop, "caf_total and odd_name") == ["src/latin.py:caf_total"]


def test_hostile_texts_and_files_take_no_time(shop: Repository) -> None:
    shop.commit({"src/min.js": "function a_b(){" * 50_000, "src/flat.js": "a_b(\n" * 100_000})
    begun = time.monotonic()
    for text in ("a." * 50_000, ":1" * 50_000 + "x", "`a(" * 50_000, "/" * 50_000, "_" * 50_000):
        anchors_in([text, text + ".py", "(" * 10_000 + "a.py" + ")" * 10_000], shop.root)
    named(shop, "a_b in src/min.js and src/flat.js")
    assert time.monotonic() - begun < 20


def test_plain_words_that_only_tests_or_data_define_are_no_anchors(shop: Repository) -> None:
    shop.commit({"tests/test_a.py": "def refuse():\n    pass\n", "data.json": '{"recovery": 1}\n'})
    assert named(shop, "`refuse` and `recovery` are words") == []


@pytest.mark.parametrize("symbol", ["", "round_total"])
@pytest.mark.parametrize("content", ["x = 1\n" * 300_000, "\0\1\2"])
def test_a_file_that_is_there_but_not_read_changed_and_is_not_gone(
    shop: Repository, content: str, symbol: str
) -> None:
    (anchor,) = anchors_in([f"{symbol}() in src/billing/money.py rounds"], shop.root)[0]
    (shop.folder / anchor.path).write_text(content)

    assert states([anchor], shop.root) == ["changed"]
    (shop.folder / anchor.path).unlink()
    assert states([anchor], shop.root) == ["gone"]


def test_a_file_that_is_too_large_to_be_read_is_no_anchor(shop: Repository) -> None:
    shop.commit({"rows.py": "x = 1\n" * 300_000})

    assert anchors_in(["The rows are in ./rows.py"], shop.root) == [()]


@pytest.mark.parametrize("tracked", [True, False])
@pytest.mark.parametrize("written", ["NFC", "NFD"])
@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
def test_letters_with_marks_name_the_same_file_in_either_form(
    shop: Repository, on_disk: Literal["NFC", "NFD"], written: Literal["NFC", "NFD"], tracked: bool
) -> None:
    there, said = (normalize(form, "src/café.py") for form in (on_disk, written))
    (shop.folder / there).write_text("def pour():\n    pass\n")
    if tracked:
        shop.commit({})

    (anchors,) = anchors_in([f"{said} pours"], shop.root)

    assert [anchor.path for anchor in anchors] == [there]
    assert states(anchors, shop.root) == [""]
    # As an anchor that came from a machine which writes names in the other form.
    assert states([anchors[0]._replace(path=said)], shop.root) == [""]
