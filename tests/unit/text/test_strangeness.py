"""What a strange text costs is charged; what people write is not."""

import pytest

from milepost.text.strangeness import surcharge
from milepost.text.tokens import ceiling

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


@pytest.mark.parametrize(("text", "tokens"), STRANGE)
def test_a_strange_text_costs_no_more_than_is_charged(text: str, tokens: int) -> None:
    assert ceiling(text) + surcharge(text) >= tokens


def test_what_people_write_costs_hardly_more_than_the_ceiling() -> None:
    assert surcharge(PROSE) <= 0.1 * ceiling(PROSE)


def test_common_characters_of_chinese_are_not_charged() -> None:
    assert surcharge("我们决定使用数据库来保存所有的记录") == 0
