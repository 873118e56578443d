"""Divide Chinese text at the words that carry no meaning, as spaces divide others."""

import re
from functools import cache

_EMPTY = (
    "什么时候|什麼時候|为什么|為什麼|怎么样|怎麼樣|是不是|有没有|有沒有|怎么|怎麼|什么|什麼|甚麼|哪里|哪裡|"
    "哪儿|哪兒|哪个|哪個|哪些|哪天|哪位|多少|几个|幾個|我们|我們|你们|你們|他们|他們|她们|她們|咱们|咱們|自己|"
    "这个|這個|那个|那個|这些|這些|那些|这里|這裡|那里|那裡|这样|這樣|那样|那樣|因为|因為|所以|但是|如果|虽然|"
    "雖然|可以|就是|还是|還是|不是|没有|沒有|一个|一個|一下|时候|時候|谁|誰|的|了|吗|嗎|呢|吧|啊|嘛|哦|呀|啦|"
    "着|著"
)


def divided(run: str) -> list[str]:
    """Return what stands between the empty words of a run; the run itself where nothing does."""
    return [piece for piece in _empty_words().split(run) if piece] or [run]


@cache
def _empty_words() -> re.Pattern[str]:
    """Return the pattern of empty words, which most programs never need."""
    return re.compile(_EMPTY)
