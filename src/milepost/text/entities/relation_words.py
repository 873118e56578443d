"""The words by which relations are said, in our languages."""

from __future__ import annotations

from milepost.text.expressions import lazy
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


class Rule(NamedTuple):
    """What stands between two names, and before both; forward: the first is the source."""

    relation: str
    gap: re.Pattern[str]
    forward: bool
    sources: frozenset[str]
    targets: frozenset[str]
    before: re.Pattern[str] | None = None


_CODE = frozenset("package service symbol file version".split())
_TOOLS = frozenset("package service symbol file".split())
_PRODUCTS = frozenset("package service term".split())
_WHO = frozenset("person organisation".split())
_PERSON = frozenset(["person"])
_WORK = _TOOLS | {"term", "issue", "host"}
_PLACE = frozenset(["place"])
_SYMBOL = frozenset(["symbol"])

_THE = (
    r"(?:the |a |an |our |its |their |der |die |das |den |dem |el |la |los |le |les |l')?"
    r"(?:new |old |own |neue[nr]? |alte[nr]? |shared )?"
)
_NOUN = (
    r" (?:function|class|method|module|type|trait|macro|option|setting|command|constant|helper|"
    r"field|section|hook|decorator|attribute|fixture)"
)
_SELF = r"(?: all| both| also| still| only| now| already)?"


def _rule(
    relation: str,
    gap: str,
    forward: bool,
    sources: frozenset[str],
    targets: frozenset[str],
    before: str | None = None,
) -> Rule:
    pattern = None if before is None else lazy(before)
    return Rule(relation, lazy(gap), forward, sources, targets, pattern)


RULES = (
    _rule("version_of", r"[ @]{1,2}|@| \(", False, frozenset(["version"]), _PRODUCTS),
    _rule("replaces", r" ?(?:->|→|=>) ?", False, _CODE, _CODE),
    _rule(
        "replaces",
        rf" (?:by|with|for|to|as|into|durch|por|par) {_THE}",
        False,
        _CODE,
        _CODE,
        r"(?i)\b(?:replac\w+|swap\w*|exchang\w+|switch\w*|chang\w+|renam\w+|ersetz\w+|reempla\w+|"
        rf"sustitu\w+|rempla\w+) {_THE}$",
    ),
    _rule(
        "replaces",
        rf" (?:to|auf|zu|a|à|vers) {_THE}",
        False,
        _CODE,
        _CODE,
        r"(?i)\b(?:mov\w+|migr\w+|switch\w*|upgrad\w+|chang\w+|wechsel\w*|umgestell\w*|"
        r"pas[aeoó]\w*)"
        rf".{{0,40}} (?:from|von|de|desde) {_THE}$",
    ),
    _rule(
        "replaces",
        r" ?(?:迁移到|迁到|换成|换到|升级到|切换到|改成|改为) ?",
        False,
        _CODE,
        _CODE,
        r"从 ?$",
    ),
    _rule(
        "replaces",
        r",? (?:replaces|replaced|supersedes|instead of|in place of|was (?:first|once|formerly|"
        r"previously) called|ersetzt|statt|anstelle von|reemplaza(?: a)?|sustituye(?: a)?|en vez "
        r"de|"
        rf"en lugar de|remplace|au lieu de) {_THE}",
        True,
        _CODE,
        _CODE,
    ),
    _rule(
        "replaces",
        r" (?:was|is|has been|got|were|wurde|fue|a été) (?:replaced|superseded|ersetzt|renamed|"
        rf"reemplazado|remplacé) (?:by|with|to|durch|por|par) {_THE}",
        False,
        _CODE,
        _CODE,
    ),
    _rule(
        "depends_on",
        rf"{_SELF} (?:depends? on|rel(?:y|ies) on|hängt (?:ab )?von|requires?|needs|hängt an"
        rf"|braucht|benötigt|"
        rf"depende de|necesita|requiere|dépend de|nécessite) {_THE}| ?(?:依赖|需要) ?",
        True,
        _CODE,
        _CODE,
    ),
    _rule(
        "uses",
        rf"{_SELF} (?:uses?|is using|runs on|(?:is |was )?written in|(?:is |was )?built (?:with|"
        rf"on)|"
        r"talks to|reads from|writes to|connects to|is backed by|imports|verwendet|benutzt|nutzt"
        r"|läuft auf|usa|utiliza|corre en|utilise|tourne "
        r"sur) "
        rf"{_THE}| ?(?:使用|采用|用的是|用) ?",
        True,
        _TOOLS | _WHO,
        _TOOLS | {"host"},
    ),
    _rule(
        "defined_in",
        r"(?:,? (?:is|are|was))? (?:defined|declared|implemented|set|pinned|lives|sits|steht|"
        r"definiert|"
        rf"definido|definida|défini|définie) (?:in|en|dans) {_THE}(?:file )?|{_NOUN} (?:in|en|"
        rf"dans) {_THE}"
        r"(?:file )?| ?定义在 ?",
        True,
        _SYMBOL | {"package"},
        frozenset(["file"]),
    ),
    _rule(
        "defined_in",
        rf" in {_THE}(?:file )?",
        True,
        frozenset("package symbol".split()),
        frozenset(["file"]),
        r"(?i)\b(?:pinned|set|fixed|declared)(?: as| at| to)? $",
    ),
    _rule(
        "part_of",
        rf"(?:\(\d?\))?(?:{_NOUN})? (?:is|are)(?: \w+)? (?:supported|available|included|provided"
        rf"|exported|found) (?:in|by|from) {_THE}",
        True,
        _SYMBOL,
        frozenset(["package"]),
    ),
    _rule(
        "uses",
        r" (?:opens|opened|creates|created|starts|started) (?:a |an )(?:new )?",
        True,
        frozenset("file service".split()),
        frozenset(["package"]),
    ),
    _rule(
        "knows",
        r"['’]s (?:\w+ )?(?:friend|colleague|brother|sister|neighbou?r|wife|husband|boss|partner"
        r"|cousin|mother|father|son|daughter),? |,? (?:knows|is friends with|is married"
        r" to|kennt|conoce a|connaît) ",
        True,
        _PERSON,
        _PERSON,
    ),
    _rule("knows", r" (?:knows|kennt|conoce|connaît) ", True, _PERSON, frozenset(["package"])),
    _rule(
        "part_of",
        r"['’]s? ",
        False,
        frozenset("symbol package".split()),
        frozenset("package service".split()),
    ),
    _rule(
        "part_of",
        rf"(?:,? (?:is|are|was))? (?:a |an )?(?:part|member|module|component) of {_THE}",
        True,
        _TOOLS | _WHO,
        _TOOLS | _WHO,
    ),
    _rule(
        "part_of",
        rf"(?:{_NOUN})? (?:from|of) {_THE}|{_NOUN} in {_THE}",
        True,
        _SYMBOL,
        frozenset(["package"]),
    ),
    _rule(
        "located_in",
        r"(?: \w+){0,2} (?:lives|lived|based|located|works|sits|born|wohnt|lebt|sitzt|vive|habite) "
        r"(?:in|from|at|en|à) | ?住在 ?",
        True,
        _WHO,
        _PLACE,
    ),
    _rule(
        "located_in",
        r"(?: \([^)]{0,50}\))?(?: \w+){0,6} (?:university|company|bank|shop|school|club|office|"
        r"bucket|region|datacenter|data centre|server|machine|firm)s? in ",
        True,
        frozenset("organisation service host".split()),
        _PLACE,
    ),
    _rule(
        "works_at",
        r"(?: \w+){0,2} (?:works?|worked|working|job|started|starts|hired|taken over|arbeitet|"
        r"trabaja|"
        rf"travaille)(?: \w+)? (?:at|for|bei|en|chez) {_THE}",
        True,
        _PERSON,
        frozenset(["organisation"]),
    ),
    _rule(
        "works_on",
        r"(?: is| has been)? (?:works on|working on|builds|arbeitet an|trabaja en|travaille sur) "
        rf"{_THE}",
        True,
        _PERSON,
        _WORK,
    ),
    _rule(
        "owns",
        r" (?:owns|maintains|is responsible for|looks after|takes care of|betreut|mantiene|"
        rf"es responsable de|maintient) {_THE}| ?负责 ?",
        True,
        _WHO,
        _WORK,
    ),
    _rule(
        "decided",
        r",?(?: who)?(?: has| have| finally)? (?:decided|decides|chose|picked|opted|entschied"
        r"|decidió|a décidé|决定) ?"
        r"(?:(?:that )?(?:we |they )?(?:should |will )?(?:to )?(?:use|adopt|keep|drop|go with"
        r"|move to|switch to|migrate to"
        r"|stay with|stick with|replace|remove) |for |on |against |für |por |pour |用)?" + _THE,
        True,
        _WHO,
        _WORK,
    ),
    _rule(
        "decided",
        r":? ?,? (?:we )?(?:use|adopt|keep|drop|go with|move to|switch to|migrate to|stay with"
        r"|stick with) " + _THE,
        True,
        _WHO,
        _WORK,
        r"(?i)\b(?:decision|decided|entscheidung|decisión|décision)(?: was made)? (?:by|of|von"
        r"|de|par) $",
    ),
    _rule(
        "owns",
        rf"(?: is| are| was)? (?:owned|maintained|run) by {_THE}",
        False,
        _WHO,
        _WORK,
    ),
    _rule(
        "created",
        r"(?:,| is| was| were)? (?:written|created|built|made|produced|developed|authored|designed|"
        rf"founded) by {_THE}(?:\w+ )?",
        False,
        _WHO,
        _WORK | {"organisation"},
    ),
    _rule(
        "created",
        rf" (?:created|wrote|built|designed|founded|developed) {_THE}(?:\w+ in )?",
        True,
        _WHO,
        _WORK | {"organisation"},
    ),
    _rule(
        "fixes",
        r" (?:fix(?:es|ed)?|clos(?:es|ed)|resolv(?:es|ed)) (?:issue |bug )?",
        True,
        _CODE | _WHO | {"issue"},
        frozenset(["issue"]),
    ),
    _rule(
        "causes",
        rf" (?:caus(?:es|ed)|triggers|triggered|verursacht|provoca) {_THE}",
        True,
        _CODE,
        _CODE | {"issue"},
    ),
    _rule(
        "calls",
        rf"(?:\(\))? (?:calls|invokes|ruft|llama a|appelle) {_THE}| ?调用 ?",
        True,
        _TOOLS,
        frozenset("symbol service".split()),
    ),
)

# What stands before a name and says something of who speaks.
BY_AUTHOR = (
    _rule(
        "decided",
        r"\b(?:[Ww]e|I)(?: have|'ve)? (?:decided|chose|picked|opted|agreed)\b.{0,24} $"
        r"|\b(?:[Ww]ir haben uns|[Ii]ch habe mich) für $",
        True,
        _WHO,
        _WORK,
    ),
    _rule(
        "works_at",
        r"\b(?:I work (?:at|for)|[Ii]ch arbeite bei) $",
        True,
        _PERSON,
        frozenset(["organisation"]),
    ),
    _rule("works_on", rf"\bI(?:'m| am) working on {_THE}$", True, _PERSON, _WORK),
    _rule(
        "located_in", r"\b(?:I live in|[Ii]ch wohne in|vivo en|j'habite à) $", True, _PERSON, _PLACE
    ),
)

# What stands before a name and says something of him or her.
_SHE = r"\b(?:[Hh]e|[Ss]he|[Ee]r|[Ss]ie|[EeÉé]l|[Ee]lla|[Ii]l|[Ee]lle)"
BY_PRONOUN = (
    _rule(
        "located_in",
        rf"{_SHE}(?: now| still)? (?:lives in|works from|is based in|was born in|wohnt in|lebt in|"
        r"vive en|habite à) $",
        True,
        _PERSON,
        _PLACE,
    ),
    _rule(
        "works_at",
        rf"{_SHE}(?: now| still)? (?:works (?:at|for)|arbeitet bei|trabaja en|travaille chez) $",
        True,
        _PERSON,
        frozenset(["organisation"]),
    ),
    _rule(
        "works_on",
        rf"{_SHE} (?:is working|works|arbeitet|trabaja|travaille) (?:on|an|en|sur) {_THE}$",
        True,
        _PERSON,
        _WORK,
    ),
)
