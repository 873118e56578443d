"""How people say what a change is against, by language: from this, instead of that, not it."""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

_PHRASE = r"(?P<old>[^,;.!?()，。；！？、]{1,60}?)"
_END = r"(?=$|[,;!?()，。；！？、]|\.\s|\.$| (?:because|since|so|and|as|weil|denn|und|parce|car|porque|y|et)\b)"
# Groups of one pattern need names of their own.
_SECOND, _THIRD, _FOURTH = (_PHRASE.replace("old", name) for name in ("second", "third", "fourth"))
# A name that stands alone, before a sign or a word that turns it down.
_NAME = r"(?P<name>[^\s,;:.!?()]{2,30}(?: [^\s,;:.!?()]{2,30})?)"
_PARTED = r"(?=$|[,;.!?]| (?:for|in|as|from|on|and|entirely|altogether)\b)"
# What stands between the words of a pattern, and tells what is spoken of.
_BESIDE = r"(?P<beside>[^,;]{0,60}?)"
# What a change is against, by language; the phrase is what held before.
AGAINST = rf"""
\bfrom {_PHRASE} (?:over )?to\b
\b(?:replac|swapp?)(?:e|ed|ing)?(?: out)? {_PHRASE}(?: out)? (?:by|with|for)\b
^(?:instead of|statt|anstatt|au lieu de|en vez de|em vez de|invece di|in plaats van|zamiast|místo|namísto|вместо|замість) (?P<first>[^\s,]{{2,30}}),? (?=\S)
\b(?:replace|drop|ditch|scrap|dump|retire|abandon|(?:kick|throw|rip)(?: out)?|get(?:ting)? rid of|stop(?:ped)? using|away from|no more(?! than)) (?!(?:the|a|an|this|that|these|those|all|any|it|them)\b){_PHRASE}{_PARTED}
(?:^|[ ,;]){_NAME} (?:is|are) (?:out|gone|history)(?=$|[,;.!]| now\b| and\b)
\b(?:move|switch|migrate|change|port)\b[^,;]{{2,60}} to [^,;]{{2,40}}[,;] (?:because |since )?{_NAME} (?:is|was)\b
\b(?:go(?:ing)? with|went with|chose|choose|pick(?:ed)?|prefer) {_BESIDE} over {_NAME}{_END}
\b(?:use|take|go with|want) {_BESIDE}, not {_NAME}\W*$
\bwe(?:'re| are) leaving {_PHRASE}{_PARTED}|\b(?:mov|migrat|gett?)(?:e|ed|ing)? {_BESIDE}off {_NAME}{_PARTED}
(?:^|[ :,;(]){_NAME} ?(?:→|⇒|➜| -> | => )
\b(?:don't|do not|doesn't|won't) (?:\w+ )?{_PHRASE} any ?(?:more|longer)\b
\((?:instead of): (?P<former>[^()]{{1,400}})\)$
\b(?:instead of|rather than|no longer|in place of)(?: use| using| uses)? (?:just |only |a |an |the )?{_PHRASE}{_END}
(?:^|[ ,;])(?P<old3>\d[\d.,]*)(?: \w+)? (?:is|was|are) (?:way |far |much )?too\b
(?:^|[ :])(?P<old4>\d[\d.,]*)\b[^.;]{{0,30}} (?:should|must) be \d
\b(?:statt|anstatt|anstelle von|anstelle)(?: nur)? {_PHRASE}{_END}
\bvon {_PHRASE} (?:auf|zu|nach)\b|\bersetz\w* {_SECOND} durch\b|\btausch\w* {_THIRD} (?:gegen|durch)\b
\bweg mit {_PHRASE}{_END}|\b(?:werft|wirf|werfen wir|schmei(?:ß|ss)\w*) {_SECOND} (?:raus|weg)\b
(?:^|[ ,;]){_NAME} (?:fliegt|ist|kommt|muss) (?:jetzt )?raus\b|(?:^|[ ,;]){_SECOND} wird durch\b
\b(?:kein|keine|keinen|nicht mehr|weg von) {_PHRASE}(?: mehr\b|{_END})|\b(?:nehmen|nutzen|benutzen|verwenden) {_SECOND} nicht mehr\b
\b(?:au lieu d[eu]|plutôt que(?: de)?|à la place d[eu]) ?{_PHRASE}{_END}
\brempla[cç]\w+ {_PHRASE} par\b|\b(?:pass|migr)\w+ de {_SECOND} (?:à|vers)\b
\bn'(?:utilis|emploi)\w* plus {_PHRASE}{_END}|\b(?:on|nous) (?:abandonn|quitt|laiss)\w*(?: tomber)? {_SECOND}(?:{_END}| (?:pour|dans)\b)|\blaisse\w* tomber {_THIRD}{_END}|^(?:abandonn|oubli|vir)\w+ {_FOURTH}{_END}
\ben (?:vez|lugar) de {_PHRASE}{_END}
\b(?:cambi|reemplaz|reemplac|sustitu)\w* {_PHRASE} (?:por|con)\b|\b(?:dejamos|abandonamos|descartamos)(?: de usar)? {_SECOND}{_END}
\b(?:pas|migr|cambi)\w+ de {_PHRASE} a\b
\bya no (?:van? |es |son |se usa |usamos )?(?:a |en |por )?{_PHRASE}{_END}|\bde {_SECOND} a \d
\b(?:em vez|ao invés|no lugar) d[eoa] {_PHRASE}{_END}|\b(?:troc|substitu)\w+ {_SECOND} por\b|\bde {_THIRD} para\b
\bnão (?:usamos|usa|usar) mais {_PHRASE}{_END}|\b(?:deixamos|abandonamos)(?: de usar)? {_SECOND}{_END}
\b(?:invece d[ei]l?|al posto d[ei]l?|anziché) {_PHRASE}{_END}|\b(?:sostitu|rimpiazz|cambi)\w+ {_SECOND} con\b|\bda {_THIRD} a \d
\bnon (?:usiamo|si usa) più {_PHRASE}{_END}|\b(?:pass|migr)\w+ da {_SECOND} a\b|\babbandoniamo {_THIRD}{_END}
\bin plaats van {_PHRASE}{_END}|\bvan {_SECOND} naar\b|\bvervang\w* {_THIRD} door\b
\bgeen {_PHRASE} meer\b|\bgebruiken {_SECOND} niet meer\b
\bzamiast {_PHRASE}{_END}|\bz {_SECOND} na \d|\b(?:zamie[nń]|zastąp)\w* {_THIRD} (?:na|przez)\b
\b(?:rezygnujemy|przechodzimy|migrujemy) z {_PHRASE}(?: na\b|{_END})|\bnie używamy już {_SECOND}{_END}
\b(?:místo|namísto) {_PHRASE}{_END}|\bz {_SECOND} na \d|\bnahra[dď]\w* {_THIRD} (?:za|\w+em|\w+ou)\b
\b(?:přecházíme|přejdeme|migrujeme) z {_PHRASE} na\b|\buž nepoužíváme {_SECOND}{_END}
\bвместо {_PHRASE}{_END}|\bс {_SECOND} на\b|\bзамен\w+ {_THIRD} на\b
\bбольше не использу\w+ {_PHRASE}{_END}|\bотказываемся от {_SECOND}{_END}
\bзамість {_PHRASE}{_END}|\bз {_SECOND} на\b|\bзамін\w+ {_THIRD} на\b
\bбільше не використову\w+ {_PHRASE}{_END}|\bвідмовляємо\w+ від {_SECOND}{_END}
(?:^|[ ,]){_PHRASE} yerine\b|\bartık {_SECOND} kullanmıyoruz\b
(?:从|由|把|将){_PHRASE}(?:改|换|调|切|迁|变|替换)|而不是{_SECOND}{_END}|不再(?:用|使用)?{_THIRD}{_END}|(?:代替|取代|弃用){_FOURTH}{_END}
{_PHRASE}(?:ではなく|じゃなくて|の代わりに|をやめて)|{_SECOND}から.{{1,30}}(?:に|へ)(?:変|移|切|上|下)|{_THIRD}を.{{1,30}}に(?:置き換|変更|切り替|変え)
(?:^|[ ,]){_PHRASE}(?: ?대신| ?말고)|(?:^|[ ,]){_SECOND}에서 .{{1,30}}(?:으로|로)\b|(?:^|[ ,]){_THIRD}[을를] .{{1,30}}(?:으로|로) (?:바꾸|바꿔|교체|변경)
(?:بدلا من|بدلاً من|بدل) {_PHRASE}{_END}|من {_SECOND} إلى|استبدل {_THIRD} ب
"""
_POLITE = r"^\W*(?:(?:please|ok|okay|no|nope|and|but|also|so|actually|hm+|nah|wait|then|let's|on second thoughts?|oh|well|ach|nein|nee|bitte|doch|besser|lieber|alors|non|finalement|plutôt|stp|mejor|al final|bueno|por favor|per favore|alsjeblieft|proszę|prosím|пожалуйста|давай|lütfen|请|それなら),? ?)*"
# It is to be something else: what "it" is was said before. What is only named must be a name.
IT = rf"""
{_POLITE}(?:change|switch|make|move|turn|set) (?:it|that|this|them)(?: over)? (?:in)?to (?P<new>\S.{{1,60}})$
{_POLITE}(?:make|let) (?:it|that|this)(?: be)? (?P<name>\S+(?: \S+)?)$
{_POLITE}make (?:it|that|this) (?P<new>\S.{{1,40}}) instead\W*$
{_POLITE}(?:use|take|go with) (?P<new>\S.{{0,40}}) instead(?: please)?\W*$
{_POLITE}(?:änder|stell|mach|wechsl)\w* (?:das|es)(?: bitte| doch| lieber| besser)*(?: um)? (?:auf|zu|in) (?P<new>\S.{{1,60}})$|{_POLITE}mach\w* (?:das|es) (?:doch )?(?:lieber|besser|stattdessen) mit (?P<new2>\S.{{1,60}})$
{_POLITE}(?:nimm|nehmen wir)(?: doch)? (?:lieber|stattdessen|besser) (?P<new>\S.{{1,40}})$
{_POLITE}(?:change|remplace|mets|passe)(?:-le|-la| ça| cela) (?:en|par|à|sur) (?P<new>\S.{{1,60}})$
{_POLITE}(?:prends|utilise|prenons) plutôt (?P<new>\S.{{1,40}})$
{_POLITE}(?:cámbialo|cambialo|cambia eso|cambia esto) (?:a|por) (?P<new>\S.{{1,60}})$|{_POLITE}usa mejor (?P<new2>\S.{{1,40}})$
{_POLITE}(?:muda|mude|troca|troque) isso (?:para|por) (?P<new>\S.{{1,60}})$
{_POLITE}(?:cambialo|cambia questo|sostituiscilo) (?:in|con|a) (?P<new>\S.{{1,60}})$
{_POLITE}(?:verander|wijzig|maak) (?:het|dat) (?:naar|in) (?P<new>\S.{{1,60}})$
{_POLITE}(?:zmie[nń]|změ[nň])\w* to na (?P<new>\S.{{1,60}})$
{_POLITE}(?:поменяй|смени|измени|замени|зміни|заміни)\w* (?:это|его|её|це|його|її) на (?P<new>\S.{{1,60}})$
{_POLITE}bunu (?P<new>\S.{{1,40}}) (?:yap|olarak değiştir|ile değiştir)\w*\W*$
{_POLITE}(?:把(?:它|这个))?(?:换成|改成|改为|改用)(?P<new>\S.{{1,40}})$
{_POLITE}(?:それ|これ)(?:を|は)(?P<new>\S.{{1,40}})に(?:変え|変更|し)\S*$
{_POLITE}(?:그걸|이걸|그것을|이것을) (?P<new>\S.{{1,40}})(?:으로|로) (?:바꿔|변경)\S*.{{0,6}}$
"""

# What is to be used, or where something is to be: an order, until it is changed.
CHOSEN = rf"""
{_POLITE}(?:use|take|pick|go with|store|keep|save|cache|log|host|deploy)\b
{_POLITE}(?:nimm|nutze?|benutze?|verwende?|speicher\w*|hoste|deploye?)\b
{_POLITE}(?:utilise|utilisez|prends|prenez|stocke|garde|héberge|déploie)\b
{_POLITE}(?:usa|use|utiliza|toma|guarda|aloja|despliega)\b
"""
