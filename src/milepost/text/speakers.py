"""Tell who speaks in a text that says so: "Ines: we keep the standup", "[10:32] Ines Calder: ok".

Most of what stands before a colon is no name (Note, Fix, src/app.py, Beschluss), and nearly all
nouns are capitalised in German, so only names that are known to be names count.
"""

from milepost.text.expressions import lazy
from milepost.text.languages import folded

# Who speaks is told by so many characters at the beginning of a text.
OPENING = 400

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
TITLES = frozenset(
    "dr prof professor mr mrs ms miss sir hon frau herr herrn señor señora sr sra don doña mme m "
    "madame monsieur signor signora".split()
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
    "万一 万能 严格 严重 于是 于此 付款 付费 任何 任务 任務 任意 何人 何况 何地 何必 何时 余下 "
    "余额 历史 史上 叶子 向上 向下 向前 向导 向導 向量 周一 周三 周二 周五 周会 周六 周四 周报 "
    "周日 周期 周末 唐朝 嚴重 夏天 夏季 姜汤 孔径 宋体 尹始 常见 张数 张贴 彭湃 方向 方式 方案 "
    "方法 方面 易用 曾经 杜绝 林业 武器 段落 毛利 毛病 江南 江苏 江西 汤品 汪洋 熊猫 王者 田野 "
    "白名 白天 白板 石头 秦朝 程序 程度 範圍 罗列 胡同 苏州 范例 范围 莫非 萬一 許可 许可 许多 "
    "许愿 谢谢 贺卡 贺词 金融 金額 金额 錢包 钟点 钱包 陆续 陈列 陈述 雷同 雷达 韩国 韩语 顧客 "
    "顾客 顾问 馬上 马上 马克 高亮 高优 高優 高危 高峰 高度 高效 高级 黄色 黄金 龙头".split()
)


def spoken(text: str) -> tuple[str | None, str]:
    """Return who speaks in a text and what is said; None and the text unless it is one person."""
    beginning = text[:OPENING]
    if not _COLON.search(beginning):
        return None, text
    name, end = _speaker(beginning)
    if name is None:
        return None, text
    lines = beginning[end:].split("\n")[1:]
    alone = all(_speaker(line)[0] in (None, name) for line in lines)
    return (name, text[end:]) if alone else (None, text)


def _speaker(line: str) -> tuple[str | None, int]:
    """Return the person that a line names as speaking, and where what is said begins."""
    opening = _SPEAKER.match(line)
    if opening is None:
        return None, 0
    name = opening["name"]
    if _HANDLE.fullmatch(name):
        is_person, name = name[1:].lower() not in _COMMENT_TAGS, name[1:]
    else:
        is_person = _first_name(name) is not None
    return (name, opening.end()) if is_person else (None, 0)


def called(author: str) -> str:
    """Return by which word a question calls an author: Ines Calder is Ines."""
    return _first_name(author) or folded(author).lower()


def _first_name(name: str) -> str | None:
    if _CHINESE.fullmatch(name):
        return name if is_chinese_name(name) else None
    words = name.split()
    if not all(_is_capitalised(word) for word in words):
        return None
    titled = len(words) > 1 and words[0].rstrip(".").lower() in TITLES
    given = folded(words[titled]).lower().rstrip(".")
    return given if titled or is_first_name(given) else None


def is_first_name(word: str) -> bool:
    """Tell whether a word in small letters, without accents, is a first name."""
    from milepost.text.first_names import FIRST_NAMES

    return word in FIRST_NAMES or ("-" in word and word.partition("-")[0] in FIRST_NAMES)


def is_chinese_name(name: str) -> bool:
    """Tell whether two or three characters are a name: a surname first, and no word."""
    from milepost.text.first_names import CHINESE_SURNAMES

    if name[0] in _FAMILIAR:
        return name[1] in CHINESE_SURNAMES and len(name) == 2
    return name[0] in CHINESE_SURNAMES and name[:2] not in _CHINESE_WORDS


def _is_capitalised(word: str) -> bool:
    """Tell whether a word is written as a name is, or is the initial or title of one."""
    return word[0].isupper() and (len(word) <= 2 or not word.isupper())
