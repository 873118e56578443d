"""People and places in Chinese, which neither capitals nor blanks set apart."""

from __future__ import annotations

from milepost.text import speakers
from milepost.text.entities.known_names import CHINESE_PLACES
from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page

_HAN = "\u4e00-\u9fff"
_ROLES = "经理|总监|总|工|老师|医生|主任|哥|姐|师傅|博士|教授|律师|先生|女士|阿姨|叔"
# A name opens a clause, or follows who acts with whom; what comes after shows that it is over.
_PERSON = lazy(
    rf"(?:(?<=[，。；：、！？,;:\s（(和跟给找让由请问叫是])|"
    rf"(?<![{_HAN}]))(?:(?P<titled>[{_HAN}](?:{_ROLES}))(?![{_HAN}]?[作程人会])|"
    rf"(?P<familiar>[小老阿][{_HAN}])(?=[，。；：、！？,;:\s]|说|在|把|会|要|负责|和|跟|已|也|的|"
    rf"提|来|去|今|明|昨|下)|(?P<full>[{_HAN}]{{2,3}}?)(?=说|负责|提议|建议|决定|反馈|认为|发现|"
    rf"表示|和|跟|今天|昨天|明天|下周|在|把|已经|也|：|、)"
    r")"
)

# "北京时间" is a clock, and "法国人" are people.
_PLACE = lazy(f"(?:{CHINESE_PLACES})(?!时间|人|菜|话|大学|银行|日报|[{_HAN}]?公司)")
_ANY = lazy(f"[{_HAN}]")


def find_chinese(page: Page) -> None:
    """Find people and places that a Chinese text names."""
    from milepost.text.first_names import CHINESE_SURNAMES

    if _ANY.search(page.text) is None:
        return
    for match in _PERSON.finditer(page.text):
        titled = match["titled"] is not None
        name = match[0]
        is_person = name[0] in CHINESE_SURNAMES if titled else speakers.is_chinese_name(name)
        if is_person and page.free(*match.span()):
            page.claim(*match.span(), "person")
    for match in _PLACE.finditer(page.text):
        if page.free(*match.span()):
            page.claim(*match.span(), "place")
