"""Tell who speaks in a text that says so: "Ines: we keep the standup", "[10:32] Ines Calder: ok".

Most of what stands before a colon is no name (Note, Fix, src/app.py, Beschluss), and nearly all
nouns are capitalised in German, so only names that are known to be names count.
"""

from milepost.text.expressions import lazy
from milepost.text.languages import folded

# Whoever reads the beginning of a text needs so many characters.
OPENING = 96

_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AaPp][Mm])?"
_DAY = r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}"
_WHEN = rf"(?:{_DAY}(?:,? |T))?{_CLOCK}|{_DAY}"
# Signs of a list or a quotation, the time of a chat, the name, a remark about it, the colon.
_SPEAKER = lazy(
    rf"\s*(?:[-*>\u2022\u2013] +)?(?:(?:[\[(](?:{_WHEN})[\])]|(?:{_WHEN})) ?-? *)?"
    r"(?:\*\*|__)?(?P<name>@?[^\W\d_][\w.'\u2019-]*(?: [^\W\d_][\w.'\u2019-]*){0,3})(?:\*\*|__)?"
    rf"(?: ?[(\[][^()\[\]\n]{{1,24}}[)\]])?(?:\*\*|__)?(?::(?:\*\*|__)?\s+|\uff1a\s*)(?=\S)"
)
_COLON = lazy("[:\uff1a]")
_HANDLE = lazy(r"@[A-Za-z][\w.-]*")
_TITLES = frozenset(
    "dr prof professor mr mrs ms miss sir hon frau herr señor señora sr sra don doña mme m".split()
)
# What a documentation comment begins with looks like a handle.
_COMMENT_TAGS = frozenset(
    "author deprecated example fixme link note param return returns see since throws todo type "
    "version".split()
)
_HAN = "\u4e00-\u9fff"
_CHINESE = lazy(f"[{_HAN}]{{2,3}}")
_FAMILIAR = "小老阿"
# Words that begin with a character that is a surname too, by their first two characters.
_CHINESE_WORDS = frozenset(
    "方案 方法 方式 方向 方面 任务 任何 任意 任務 程序 程度 高级 高危 高峰 高度 高亮 高效 高级 高優 高优 "
    "金额 金融 金額 周一 周二 周三 周四 周五 周六 周日 周末 周期 周报 周会 石头 白天 白板 白名 马上 马克 "
    "江苏 江西 江南 夏天 夏季 余额 余下 于是 于此 严重 严格 万一 万能 向导 向量 向上 向下 向前 龙头 史上 "
    "历史 许可 许多 莫非 付款 付费 何时 何地 何人 段落 叶子 曾经 毛利 毛病 武器 顾客 顾问 钱包 钟点 常见 "
    "张贴 张数 王者 陈述 陈列 宋体 唐朝 许愿 田野 杜绝 苏州 汪洋 范围 范例 谢谢 陆续 雷达 熊猫 黄色 黄金 "
    "胡同 何必 何况 林业 罗列 彭湃 易用 贺卡 贺词 雷同 姜汤 汤品 秦朝 韩国 韩语 孔径 尹始 嚴重 範圍 許可 "
    "馬上 萬一 向導 顧客 錢包".split()
)


def spoken(text: str) -> tuple[str | None, str]:
    """Return who speaks in a text and what is said; None and the text where it names nobody."""
    opening = _SPEAKER.match(text[:OPENING]) if _COLON.search(text[:OPENING]) else None
    if opening is None:
        return None, text
    name = opening["name"]
    if _HANDLE.fullmatch(name):
        is_person, name = name[1:].lower() not in _COMMENT_TAGS, name[1:]
    else:
        is_person = _first_name(name) is not None
    return (name, text[opening.end() :]) if is_person else (None, text)


def called(author: str) -> str:
    """Return by which word a question calls an author: Ines Calder is Ines."""
    return _first_name(author) or folded(author).lower()


def _first_name(name: str) -> str | None:
    if _CHINESE.fullmatch(name):
        return name if _is_chinese_name(name) else None
    words = name.split()
    if not all(_is_capitalised(word) for word in words):
        return None
    titled = len(words) > 1 and words[0].rstrip(".").lower() in _TITLES
    given = folded(words[titled]).lower().rstrip(".")
    return given if titled or _is_first_name(given) else None


def _is_first_name(word: str) -> bool:
    from milepost.text.first_names import FIRST_NAMES

    return word in FIRST_NAMES or ("-" in word and word.partition("-")[0] in FIRST_NAMES)


def _is_chinese_name(name: str) -> bool:
    from milepost.text.first_names import CHINESE_SURNAMES

    if name[0] in _FAMILIAR:
        return name[1] in CHINESE_SURNAMES and len(name) == 2
    return name[0] in CHINESE_SURNAMES and name[:2] not in _CHINESE_WORDS


def _is_capitalised(word: str) -> bool:
    """Tell whether a word is written as a name is, or is the initial or title of one."""
    return word[0].isupper() and (len(word) <= 2 or not word.isupper())
