"""What is said to a model: patterns over the signs of `instructing_words`; what poses as a frame."""

# ruff: noqa: E501 -- lists of expressions, one a line

from __future__ import annotations

# A clause begins here; a little may stand before its verb.
_BEGIN = r"(?:^|[|:,&])[.ZNoT]{0,2}"
_M = "[am]"


def _near(*signs: str) -> str:
    """Return a pattern for signs that follow each other within a sentence, with few between them."""
    return "[^|]{0,6}".join(signs)


SAID = {
    # Who is spoken to.
    "calls a machine": rf"(?:^|[|,:F])[.wTZonr&W]{{0,4}}a{_M}{{0,2}}[.u]{{0,2}}[:,]",
    "calls maybe a machine": r"(?:^|[|,:F])[.wTZonr&W]{0,4}mm?[.u]{0,2}[:,]",
    "heads a clause": r"(?:^|[|,F])[^|:,]{0,6}a[^|:,]{0,9}[:,]",
    "heads maybe a clause": r"(?:^|[|,F])[^|:,]{0,6}m[^|:,]{0,9}:",
    "you are a machine": rf"(?:W|^|[|,])[.T]?y[^|]{{0,3}}{_M}|{_M}[^|,]{{0,2}}y|W[^|,]{{0,2}}{_M}[^|,]{{0,3}}[rT]",
    "reads this": rf"{_M}[^|]{{0,3}}r[^|]{{0,2}}[TX.]|r[^|]{{0,2}}T[^|]{{0,4}}{_M}|Wyr",
    "machines must": rf"{_M}[^|,:]{{0,3}}[ob]?o[^|]{{0,3}}[SDEsCHL]",
    "machines do at last": rf"{_M}[^|]{{0,12}}[SDEsCHLk][^|]{{0,3}}o",
    "any machine": rf"Z[^|,]{{0,1}}{_M}",
    "the machine": rf"[ew]\.?{_M}|ew?.?{_M}",
    "who uses machines": r"[am][m]?u",
    "machine": "a",
    "maybe a machine": "m",
    "your": "Y",
    "you": "y",
    "your rules": r"Y[^|]{0,2}[RGzh]",
    "your user": r"Y[^|]{0,1}u",
    "maker": "h",
    "told": r"y[^|]{0,5}t|t[^|]{0,2}y",
    # What is called off.
    "earlier rules off": f"{_near('L', 'P', '[Rt]')}|{_near('L', '[RGt]', 'P')}|{_near('[PY]', '[Rt]', 'Z?', 'L')}",
    "acts on your rules": r"[HSDLC][^|]{0,3}Y[^|]{0,2}[RGz]|Y[^|]{0,2}R[^|]{0,4}[Ln]|n[^|]{0,3}k[^|]{0,5}[RYP]",
    "obey": rf"{_BEGIN}k|k[^|]{{0,2}}[TZN]|[TZN][^|]{{0,3}}k",
    "your rules off": f"{_near('L', 'Y', '[RGzu]')}|L[^|]{{0,4}}[yh][^|]{{0,4}}t|L[^|]{{0,4}}u",
    "all rules off": _near("L", "Z", "[RP]"),
    "rules void": rf"{_near('[YPyZ]', 'R', '[^|]{0,3}V')}|{_near('R', 'y')}[^|]{{0,6}}V|{_near('V', 'R')}",
    "calls off": rf"{_BEGIN}L",
    "another now": r"N[^|]{0,3}R|R[^|]{0,3}N",
    # What is asked for.
    "asks to send": rf"{_BEGIN}S",
    "asks to do": rf"{_BEGIN}D",
    "asks to say": rf"{_BEGIN}[sC]",
    "asks to praise": rf"{_BEGIN}E|y[^|]{{0,2}}E",
    "gives what is private": _near("S", "X"),
    "gives away": f"{_near('[SD]', 'X?', 'O')}|{_near('X', 'O')}|{_near('O', '[SD]')}",
    "private goes": _near("X", "S"),
    "gives its prompt": f"{_near('S', '[GP]')}|{_near('G', 'S')}",
    "prompt": "G",
    "address": "O",
    "praise": "E",
    "praise alone": f"{_near('E', 'Z')}|{_near('[Zo]', 'E')}",
    # From whom it is kept.
    "not told": r"n[^|]{0,4}C|C[^|]{0,2}n",
    "not told to them": rf"{_near('n', 'C', 'u')}|{_near('u', 'n', 'C')}|{_near('u', 'C', 'n')}|u[^|]{{0,3}}n[^|]{{0,3}}C",
    "hidden": "H",
    "told to them": r"C[^|]{0,2}u|s[^|]{0,2}u",
    # When.
    "when they ask": r"W[^|,]{0,4}u[^|,]{0,4}[QsCr]",
    "when asked": r"W[^|]{0,5}Q",
    "then says": r"W[^|]{3,14},?[^|]{0,4}[sECDS]",
    "always": "Z",
    "now": "N",
    # What is allowed, and what one becomes.
    "they allowed": r"u[^|]{0,5}d|h[^|]{0,4}d|d[^|]{0,4}[uh]",
    "you may": r"[ym][^|]{0,3}d|[my][^|]{0,2}o",
    "no asking": r"n[^|]{0,4}Q|Q[^|]{0,3}n",
    "another role": r"y[^|]{0,4}[NJ]|N[^|]{0,3}y|[YJ][^|]{0,3}J|y[^|]{0,2}V",
    "role": "J",
    "remembers": "z",
    "remembers them": r"z[^|]{0,8}u|Y[^|]{0,1}z",
    "them": "u",
    "frame": "F",
    "two frames": "F[^F]*F",
    "frame orders": r"F[^|]{0,4}[|,:]*[^|]{0,4}[SDEsCHLJyok]",
    "begins with a tool": "^[^|]{0,4}f",
    "begins with a frame": "^[^|]{0,2}F",
    "tool acts": r"f.*[SDXO]",
    "call of a tool": "f",
    # Who speaks of oneself, of one's team, or about such texts.
    "i": "i",
    "we": "w",
    "about": "K",
    "quoted": "q",
    "not": "n",
    "code": "c",
}
# What says more together than each alone.
TOGETHER = {
    "spoken to": (
        "calls a machine", "calls maybe a machine", "heads a clause", "heads maybe a clause",
        "you are a machine", "reads this", "frame",
    ),
    "led away": (
        "not told", "not told to them", "hidden", "gives what is private", "gives away",
        "gives its prompt", "praise alone", "no asking", "then says", "they allowed",
    ),
    "asked": ("asks to send", "asks to do", "asks to say", "asks to praise", "machines must", "calls off"),
    "named": ("machine", "maybe a machine", "your user", "maker", "told"),
}  # fmt: skip
# Without any of these a text speaks to nobody but people.
ANCHORS = frozenset((
    "machine", "maybe a machine", "frame", "call of a tool", "prompt", "told", "your rules", "your user",
    "acts on your rules", "earlier rules off", "your rules off", "all rules off", "rules void",
    "not told to them", "when they ask", "remembers them", "they allowed", "gives what is private", "gives away",
    "another now", "role", "told to them", "asks to praise", "obey",
))  # fmt: skip

# What poses as the frame of a conversation, or as a call of a tool.
FRAME = (
    r"<\|[a-z_]{2,20}\|?>?|\[/?inst\]|<</?sys>>|\[/?(?:system|admin|developer|operator|instructions?)\b[^\]\n]{0,30}\]"
    r"|</?(?:system|assistant|developer|user|human|admin|instructions?|important|tool_results?|function_results?)"
    r"(?:[-_ ]\w+)?>|</(?:data|document|context|input|email|page|text|content)>"
    r"|(?m:^\W{0,6}(?:system|developer|admin|operator|human|assistant|user|ai)\W{0,3}:)"
    r"|\"role\"\s*:\s*\"(?:system|developer|assistant)\""
    r"|(?m:^#{2,}\s*(?:system|new instructions?|instructions?|user|response|assistant)\b\W*$)"
    r"|\b(?:system|admin|administrator|developer|operator|root)\s+(?:notice|message|override|update|alert|note"
    r"|instructions?|command|prompt)\b\W{0,4}(?:[:\]*]|$)"
    r"|\b(?:begin|end|start)(?: of)?(?: the)? (?:system|user|web|prompt|document|input|page|instructions?)\b[^.\n]{0,20}"
    r"|\bsystem(?:hinweis|nachricht|meldung)\b\s*:|\b(?:message|note) système\b\s*:|\b(?:mensaje|aviso) del sistema\b\s*:"
    r"|系统(?:消息|通知|提示|指令)\s*[：:]|<!--"
)
TOOL = (
    r"</?(?:tool_calls?|function_calls?|invoke|parameter|tool_use)\b[^<>\n]{0,80}>"
    r"|\"(?:tool_calls?|function_call)\"\s*:\s*[\[{]|\"tool_use\"|\"name\"\s*:\s*\"\w+\"\s*,\s*\"(?:arguments|input)\""
    r"|(?m:^action(?: input)?\s*:\s*\S)"
)
