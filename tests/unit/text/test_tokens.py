"""Token counts without a tokenizer stay close to the true ones and under their ceiling."""

import hashlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.text import tokens
from milepost.text.tokens import at_most, ceiling, cost, estimate, exact_counter

# Each text with the number of tokens that o200k_base gives it.
COUNTED = [
    ("hello", 1),
    ("We chose PostgreSQL over MySQL because of JSONB.", 12),
    ("8f7d497f 2026-11-02 [db decision] We chose PostgreSQL over MySQL because of JSONB", 28),
    ("8f7d497f 2026-11-02\n1c09aa3e 2025-03-14\n00ff12ab 2024-12-31", 39),
    ("I don't think that's what Anna meant; she'll explain it tomorrow, won't she?", 16),
    (
        (
            "def parse(text: str, now: datetime) -> TimeIntent:\n"
            "    return TimeIntent(None, None, text, None)\n"
        ),
        26,
    ),
    ('{"id": 17, "tags": ["db", "decision"], "score": 0.8731, "text": "use WAL"}', 31),
    (
        (
            "SELECT id, content FROM memories WHERE project = ? "
            "AND created_at >= ? ORDER BY rank LIMIT 10;"
        ),
        22,
    ),
    ("const rows = await store.search({query, limit: 10}).then((r) => r.filter(Boolean));", 23),
    (
        (
            "# Install\n\n```bash\npip install milepost\n```\n\n"
            "- **fast**: `0.6 ms` a query\n- see [docs](docs/index.md)"
        ),
        36,
    ),
    (
        (
            'Traceback (most recent call last):\n  File "/app/main.py", line 42, in <module>\n'
            "    run()\nValueError: bad input"
        ),
        31,
    ),
    (
        (
            "2026-11-15 14:30:07,123 ERROR worker.pool: "
            "request_id=9f2ac1d04be7 took 831.22ms status=500"
        ),
        39,
    ),
    ("我们决定使用数据库来保存记忆，因为它更可靠。", 13),
    ("私たちはデータベースを使うことにしました。", 14),
    ("Мы решили использовать базу данных, потому что она надёжнее.", 14),
    ("قررنا استخدام قاعدة البيانات لأنها أكثر موثوقية.", 12),
    ("우리는 데이터베이스를 사용하기로 결정했습니다.", 12),
    ("Wir haben uns für die größere Datenbank entschieden, weil sie zuverlässig ist.", 15),
    ("Great news 🎉🎉 the build is green ✅ and everybody is happy 😀", 16),
    ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 35),
]


PROSE = (
    "We decided to round money half-up with Decimal because the tax office checks it, and to keep "
    "the cart's totals in cents. `round_half_up(total, places=2)` in src/cart/totals.py does it."
)
# Texts, and what o200k_base makes of them.
STRANGE = [
    ("qxv zkjw vbnmq pwzx kqjf hgvcx wqzt plmkn xcvq zzkp jhqw", 31),
    ("QXVZKJWVBNMQPWZXKQJFHGVCXWQZTPLMKNXCVQZZKPJHQW", 30),
    ("!@#$%^&*()_+{}|:<>?~`-=[];',./!#%&(_{|>~-[;,/@$^*)+}:?`=]'.", 41),
    ("龘靐齾爩鱻麤灪籲龖鸝厵滟爨癵驫", 31),
]


@pytest.mark.parametrize(("text", "true"), COUNTED)
def test_an_estimate_is_near_and_a_ceiling_is_not_below(text: str, true: int) -> None:
    assert abs(estimate(text) - true) <= max(2, (0.15 if text.isascii() else 0.5) * true)
    assert true <= ceiling(text) <= len(text.encode())


def test_nothing_costs_nothing() -> None:
    assert (estimate(""), ceiling("")) == (0, 0)


@given(st.text())
def test_a_ceiling_lies_between_the_estimate_and_the_bytes(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert 0 <= ceiling(text) <= size
    assert estimate(text) <= ceiling(text) or ceiling(text) == size


@given(st.text())
def test_the_pieces_cover_the_text(text: str) -> None:
    assert sum(len(piece) for piece in tokens.pieces(text)) == len(text)


@given(st.text(), st.text())
def test_a_longer_text_has_no_lower_ceiling(text: str, more: str) -> None:
    assert ceiling(f"{text}\n\n{more}") >= ceiling(text)


@pytest.mark.parametrize(("text", "tokens"), STRANGE)
def test_a_strange_text_costs_no_more_than_is_charged(text: str, tokens: int) -> None:
    assert at_most(text) >= tokens


def test_what_people_write_costs_hardly_more_than_the_ceiling() -> None:
    assert at_most(PROSE) <= 1.1 * ceiling(PROSE)


def test_common_characters_of_chinese_are_not_charged() -> None:
    text = "我们决定使用数据库来保存所有的记录"
    assert at_most(text) == ceiling(text)


@given(st.lists(st.text()))
def test_the_costs_of_lines_add_up_to_that_of_the_lines(lines: list[str]) -> None:
    total = cost("")
    for line in lines:
        total = total.plus(cost(f"{line}\n"))
    assert total.tokens >= at_most("\n".join(lines))


def test_a_lone_surrogate_is_counted() -> None:
    assert 1 <= ceiling("\ud800") <= 3


@pytest.mark.parametrize("folder", [None, "missing"])
def test_there_is_no_exact_counter_without_a_table(folder: str | None, tmp_path: Path) -> None:
    assert exact_counter(folder and str(tmp_path / folder)) is None


def test_a_damaged_table_gives_no_exact_counter(tmp_path: Path) -> None:
    (tmp_path / "o200k_base.tiktoken").write_text("IQ== 0\n")
    assert exact_counter(str(tmp_path)) is None


def test_there_is_no_exact_counter_without_tiktoken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept_any_table(tmp_path, monkeypatch)
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert exact_counter(str(tmp_path)) is None


def test_an_exact_counter_reads_the_table_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept_any_table(tmp_path, monkeypatch)
    monkeypatch.setitem(sys.modules, "tiktoken", FakeTiktoken())
    count = exact_counter(str(tmp_path))
    assert count is not None
    assert count("hi <|endoftext|>") == 16


class FakeTiktoken(ModuleType):
    """A tokenizer whose tokens are characters."""

    def __init__(self) -> None:
        super().__init__("tiktoken")

    def Encoding(self, name: str, *, mergeable_ranks: dict[bytes, int], **_: Any) -> Any:  # noqa: N802
        assert (name, mergeable_ranks) == ("o200k_base", {b"!": 0, b'"': 1})
        return self

    def encode_ordinary(self, text: str) -> list[int]:
        return [0] * len(text)


def accept_any_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = b"IQ== 0\nIg== 1\n"
    (folder / "o200k_base.tiktoken").write_bytes(table)
    monkeypatch.setattr(tokens, "_TABLE_SHA256", hashlib.sha256(table).hexdigest())
