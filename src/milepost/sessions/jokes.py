"""Tell what is not meant: a rule with a laugh in it, or one that is taken back at once."""

from __future__ import annotations

from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LAUGH = lazy(
    r"(?i)(?:^|\s)(?:[:;=][-o']?[)D(pP]+|[xX]D+|\^\^|;-?\))(?=\s|$|[.,!])|[😀😁😂😄😅😆😉😊😋😜🤣🤪🙃😛😝]"
    r"|\b(?:lol|lmao|rofl|haha\w*|hihi\w*|hehe\w*|just kidding|kidding|joking|jk|mdr|ptdr|jaja\w*"
    r"|ahah\w*|kkkk+|rsrs\w*|xaxa\w*)\b|\b(?:ха){2,}\w*|\b(?:хи){2,}\w*"
    r"|哈哈|呵呵|嘿嘿|开玩笑|笑$|（笑）|\(笑\)"
    r"|www+|草$|冗談|ㅋㅋ|ㅎㅎ|농담|ههه|أمزح|\bшучу\b|\bжарт\w*|\bscherz\b|\bje plaisante\b"
    r"|\bes broma\b"
    r"|\bbrincadeira\b|\bscherzo\b|\bgrapje\b|\bżart\w*|\bžert\w*|\bşaka\b"
)
_TAKEN_BACK = lazy(
    r"(?i)^\W*(?:just |only )?(?:kidding|joking|jk|scherz|kleiner scherz|spaß|je plaisante"
    r"|je rigole|es broma|broma|brincadeira|tô brincando|scherzo|sto scherzando|grapje|żart\w*"
    r"|žert\w*|шучу|шутка|жартую|жарт|şaka\w*|开玩笑|冗談|농담|أمزح)\b"
)


def is_joke(said: Sequence[str], place: int) -> bool:
    """Whether a sentence laughs at itself, or the one after it says that it was a joke."""
    after = said[place + 1] if place + 1 < len(said) else ""
    return _LAUGH.search(said[place]) is not None or _TAKEN_BACK.search(after) is not None
