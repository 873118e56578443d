"""Cut a prompt into sentences, and tell what was pasted from what was said."""

from __future__ import annotations

from milepost.text.expressions import FENCE, lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PASTED = ("File ", "at ", "Traceback", "E  ", ">", "|", "$ ", "//", "import ", "from ", "def ")
# What lines of logs, shells and code begin with.
_LOG = lazy(
    r"\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:DEBUG|INFO|WARN|ERROR|FATAL|TRACE)\b|[{}<$#+|]"
    r"|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER) [\w*]|\w+(?:\.\w+)*(?:Error|Exception):"
    r"|(?:npm|pip|git|docker|kubectl|cargo|make) \w+ -"
)
_TITLES = "".join(rf"(?<!\b{one}\. )" for one in ("Mr", "Mrs", "Ms", "Dr", "St", "vs", "etc"))
_BEGUN = (
    "What|When|Where|Which|Who|Whose|Why|How|Did|Does|Was|Wann|Wer|Wo|Wie|Warum|Wieso|Welche[rsnm]?"
)
# "Before you start: what…", "one more thing, Did…": what announces a question ends with it.
_ANNOUNCED = (
    rf"(?:{_BEGUN}|Is|Are|Can|Could|Do|Has|Have|Should|Were|In|On|At|For|From|With|"
    r"¿[A-Z]\w*)"
)
_ASKED = "what|when|where|which|who|whose|why|how|did|does|is|are|was|were|can|do|has|have"
# The spaces where sentences end; a question may begin without the end of what stands before.
_END = lazy(
    rf" (?:(?<=[:—–] )(?=(?:{_ASKED})\b|[A-Z¿])|(?<=[,;-] )(?={_ANNOUNCED} )"
    r"|(?<=uestion: )|(?<=[qQ]: )|(?<=rage: )|(?<=regunta: )"
    rf"|(?<=[!?…] )|(?<=[!?…][\"'”’»)\]] )|(?<=[\w\"”')\]]{{2}}\. ){_TITLES}"
    rf"|(?:(?<=[^\W\d_.,:;] )|(?<=[\d)\]}}>`] ))(?=(?:{_BEGUN}) [^\WA-Z\d_]))"
)
_UNSPACED_END = lazy("(?<=[。！？])")


def sentences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a prompt without fenced code, and whether each looks pasted."""
    if "```" in text or "~~~" in text:
        text = FENCE.sub("\n", text)
    for line in text.splitlines():
        quoted = line[:4].isspace() or line.startswith("\t") or line.lstrip().startswith(_PASTED)
        parts = _END.split(" ".join(line.split()))
        if not line.isascii():
            parts = [part for whole in parts for part in _UNSPACED_END.split(whole)]
        for part in parts:
            if said := part.strip():
                yield said, quoted or not _is_prose(said)


def _is_prose(sentence: str) -> bool:
    letters = sum(map(str.isalpha, sentence)) + sentence.count(" ")
    return letters >= 0.75 * len(sentence) and not _LOG.match(sentence)
