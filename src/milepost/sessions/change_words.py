"""How people say what a change is against, by language: from this, instead of that."""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

_PHRASE = r"(?P<old>[^,;.!?()，。；！？、]{1,60}?)"
_END = r"(?=$|[,;!?()，。；！？、]|\.\s|\.$| (?:because|since|so|and|as|weil|denn|und|parce|car|porque|y|et)\b)"
# Groups of one pattern need names of their own.
_SECOND, _THIRD = (_PHRASE.replace("old", name) for name in ("second", "third"))
# What a change is against, by language; the phrase is what held before.
AGAINST = rf"""
\bfrom {_PHRASE} (?:over )?to\b
\b(?:replace|swap)(?:d)? {_PHRASE} (?:by|with|for)\b
\b(?:instead of|rather than|no longer|in place of) (?:just |only |a |an |the )?{_PHRASE}{_END}
(?:^|[ ,;])(?P<old3>\d[\d.,]*)(?: \w+)? (?:is|was|are) (?:way |far |much )?too\b
(?:^|[ :])(?P<old4>\d[\d.,]*)\b[^.;]{{0,30}} (?:should|must) be \d
\b(?:statt|anstatt|anstelle von|anstelle)(?: nur)? {_PHRASE}{_END}
\bvon {_PHRASE} auf\b|\bersetz\w* {_SECOND} durch\b
\b(?:au lieu d[eu]|plutôt que(?: de)?|à la place d[eu]) ?{_PHRASE}{_END}
\bremplac\w+ {_PHRASE} par\b|\b(?:passe\w*|passer) de {_SECOND} à\b
\ben (?:vez|lugar) de {_PHRASE}{_END}
\bya no (?:van? |es |son |se usa |usamos )?(?:a |en |por )?{_PHRASE}{_END}|\bde {_SECOND} a \d
\b(?:em vez|ao invés|no lugar) d[eoa] {_PHRASE}{_END}|\btroc\w+ {_SECOND} por\b|\bde {_THIRD} para\b
\b(?:invece d[ei]l?|al posto d[ei]l?|anziché) {_PHRASE}{_END}|\bsostitu\w+ {_SECOND} con\b|\bda {_THIRD} a \d
\bin plaats van {_PHRASE}{_END}|\bvan {_SECOND} naar\b|\bvervang\w* {_THIRD} door\b
\bzamiast {_PHRASE}{_END}|\bz {_SECOND} na \d|\bzamie[nń]\w* {_THIRD} na\b
\b(?:místo|namísto) {_PHRASE}{_END}|\bz {_SECOND} na \d|\bnahra[dď]\w* {_THIRD} (?:za|\w+em)\b
\bвместо {_PHRASE}{_END}|\bс {_SECOND} на\b|\bзамен\w+ {_THIRD} на\b
\bзамість {_PHRASE}{_END}|\bз {_SECOND} на\b|\bзамін\w+ {_THIRD} на\b
(?:^|[ ,]){_PHRASE} yerine\b
(?:从|由){_PHRASE}(?:改|换|调|切|迁|变)|而不是{_SECOND}{_END}|不再(?:用|使用)?{_THIRD}{_END}
{_PHRASE}(?:ではなく|じゃなくて|の代わりに|をやめて)|{_SECOND}から.{{1,30}}(?:に|へ)(?:変|移|切|上|下)
(?:^|[ ,]){_PHRASE}(?: ?대신| ?말고)|(?:^|[ ,]){_SECOND}에서 .{{1,30}}(?:으로|로)\b
(?:بدلا من|بدلاً من|بدل) {_PHRASE}{_END}|من {_SECOND} إلى
"""
