"""By which words an agent says how things were before it mended them, and what only sounds so.

One pattern a line, matched in lower case.
"""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

# How something was, or what it did: there is a subject before the verb, or the verb is a lack.
STATES = r"""
^\S.* (?:was|were|wasn't|weren't|had|hadn't|did(?:n't| not)|could(?:n't| not))\b
^\S.* (?:lacked|missed|expected|pointed|assumed|returned|used|kept|left|ran|read|sent|got|came|went|lost|held|took|gave|broke|overwrote|ignored|swallowed|clashed|collided|compared|shadowed|leaked|expired|sat|stood|threw|fell|hit|saw|wrote|began|forgot|built|met|stuck|meant|never \w+ed|still \w+ed)\b
^(?:the|a|an|our|its?|this|that|two|both|one|some|previously|before)\b(?: (?!(?:is|are|has|have|be|been|now|to|and|pass\w*|work\w*)\b)[\w`'./-]+){1,4} (?!pass|work|succeed|complet|finish|land|cover|help)\w{2,}ed\b
^(?:\S.* )?(?:war|waren|hatte|hatten|wurden?|lief|liefen|kam|kamen|gab|verwies|blieb|hing|hingen|griff|überschrieb|lag|lagen|stand(?:en)? (?:auf|noch|in|im|nicht)|schrieb|galt|hielt|verlor|rief|ließ|schloss|fand|(?:fehl|zeig|erwarte|nutz|liefer|setz|such|hol|schick|speicher|erzeug|warte|zähl|pass|gehör|verlang|kann|prüf|ignorier|start|lös)ten?)\b
^(?:\S.* )?(?:l'|n'|s'|m')?(?:était|étaient|avait|avaient|[^\W\d_]{3,}[^\W\d_r]ai(?:t|ent))\b
^(?:\S.* )?(?:era|eran|estaba|estaban|tenía|tenían|había|habían|iban?|[^\W\d_]{3,}aban?|[^\W\d_]{2,}[^\W\d_r]ían?)\b
"""
# Who did it, what was done about it, how well it goes now, and what may be.
OTHERWISE = r"""
^(?:and |so |then |also |but )*(?:i|i've|i'd|we|we've|you|let|let's|if|once|when|after|now that|as (?:you )?(?:asked|requested|wished|discussed|agreed))\b
^(?:the |this |my |that )?(?:fix|change|patch|commit|new|result|refactor\w*|update|pr|diff|cleanup|migration now)\b
\bpass(?:es|ed|ing)?\b|\bcoverage\b|\b(?:is|are) (?:now|all|green|fixed|fine|clean)\b
\b(?:would|should|will|could be|can|may)\b
\b(?:was|were|been|got) (?:\w+ly |now |also |all |then )?(?:fixed|solved|resolved|changed|updated|replaced|added|removed|deleted|renamed|moved|corrected|rewritten|adjusted|bumped|refactored|regenerated|committed|pushed|merged|installed|restarted|reverted|verified|run|rerun|checked|tested|done|needed|asked|requested|lowered|raised|increased|reduced|extracted|split|wrapped|converted|aligned|pinned|tightened|simplified|documented)\b(?!.*\b(?:not|never|twice|without|before|only|still|\w+n't)\b)
\b(?:was|were) (?:\w+ly |all |both |very |quite |pretty |only )*(?:green|fine|good|ok|okay|clean|great|successful|easy|simple|straightforward|quick|small|trivial|tricky|worth|right|correct|happy|able|unaffected|untouched|a success|a pleasure)\b
\b(?:tests?|checks?|suite|build|everything|all|they|it) (?:\w+ )?(?:ran|came|went|was|were|had|took) (?:\w+ )?(?:through|well|green|back|no|\d+|clean|without)\b
^(?:und |dann |auch )*(?:ich|wir|du|ihr|wenn|falls|sobald|nachdem)\b
\b(?:wurden?|worden)\b(?!.*\b(?:nie|nicht|nur|kein\w*|doppelt|zweimal|ohne|noch)\b).*\b(?:behoben|geändert|angepasst|ersetzt|hinzugefügt|ergänzt|entfernt|gelöscht|korrigiert|aktualisiert|umbenannt|verschoben|geprüft|ausgeführt)\b
\b(?:waren?|liefen?)\b.*\b(?:erfolgreich|grün|gut|einfach|durch|sauber|fehlerfrei)\b|\b(?:würde|könnte|sollte)\w*\b
^(?:et |puis )*(?:j'|je |nous |on |tu |vous |si |quand |une fois )
\b(?:était|étaient)\b.*\b(?:verts?|vertes?|bons?|bonnes?|ok|simples?|faciles?|réussis?|corrigée?s?|modifiée?s?|ajoutée?s?)\b|\b(?:parfait|satisfait|souhait|retrait|extrait)\b
^(?:y |luego )*(?:he|hemos|yo|nosotros|si|cuando|una vez)\b|^(?:y )?(?:cambi|actualic|arregl|correg|añad)(?:é|í|amos|imos)\b
\b(?:era|eran|estaban?)\b.*\b(?:verdes?|bien|fácil\w*|sencill\w+|correct\w+|éxito)\b
\b(?:änderung\w*|anpassung\w*|korrektur\w*|umbau|modifications?|changements?|corrections?|cambios?|arreglos?|corrección|correcciones) (?:wa?r|waren|était|étaient|fue|fueron|era|eran)\b|\b(?:era|fue) (?:un|una) (?:cambio|arreglo|corrección)\b
\b(?:war|waren|était|étaient|era|eran)\b.{0,12}\b(?:klein\w*|minimal|minime|petite?s?|mineure?s?|pequeñ\w+|mínim\w+|schnell|rapide|rápid\w+)\b
\b(?:nothing|no (?:more|other|further|errors?|issues?|problems?|regressions?))\b|\b(?:kein\w* weiteren?|sonst nichts|nichts weiter)\b|\b(?:rien d'autre|aucune? autre|plus d'erreurs?)\b|\b(?:nada más|no había más|ningún otro|ninguna otra)\b
\b(?:is|are) (?:\w+ )?\w+ed\b|\b(?:ist|sind) \S+|\b(?:est|sont) (?:à|\w+ées?|\w+és?|\w+ies?)\b|\bestán? \w+[ai]d[oa]s?\b
"""
