"""By which words people say plainly how a project does things, and what only sounds like it.

One pattern a line, matched in lower case; words in capitals stand for a part.
"""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

# How this project does things, said plainly in English.
CUSTOM = r"""
^LEADwe (?:all |also |mostly |usually |normally |currently |now |both )*DOING (?!PRONOUN)\S.{2,}
^LEAD(?:our|this|the) (?:[\w-]+ ){0,2}SYSTEM (?:RUNNING)\b(?! PRONOUN).{2,}
^LEAD(?:in this \w+,? )?(?:all |our )?(?:[\w-]+ )?[\w-]+s (?:are (?:always |only )?MADE|come from|live (?:in|on|under|next)|belong (?:in|on|under)|go (?:in|into|under|next|through|via))\b.{3,}
"""
# The same in other languages.
CUSTOMS = (
    r"\bwir (?:deployen|bauen|testen|hosten|loggen|speichern|releasen|betreiben|schreiben|rollen|verwalten|starten|versionieren|lagern|entwickeln)\b(?! (?:es|das|dies\w*|sie|ihn)\b)"
    r"|^(?:unser\w*|das|die|der) (?:frontend|backend|api|app|ci|datenbank|server|projekt|cluster|doku\w*|website|seite|dienst|anwendung|code) (?:läuft (?:auf|in|unter|bei|mit)|nutzt|verwendet|ist (?:in|mit)|liegt|wird mit|kommt aus)\b"
    r"|\b(?:on|nous) (?:déplo(?:ie|yons)|constru\w+|test(?:e|ons)|stock(?:e|ons)|héberge(?:ons)?|écri(?:t|vons)|publi(?:e|ons)|livr(?:e|ons)|gér(?:e|ons)|développ(?:e|ons))\b"
    r"|^(?:notre|nos|le|la|l') ?(?:frontend|backend|api|appli\w*|site|base|ci|serveur|projet|cluster|docs?|documentation) (?:utilise|tourne (?:sur|avec|sous|dans)|est (?:écrit|fait|hébergé|déployé|construit)\w*|vient d)"
    r"|\b(?:desplegamos|construimos|compilamos|probamos con|guardamos|alojamos|publicamos|escribimos|gestionamos|registramos|almacenamos|lanzamos)\b"
    r"|^(?:nuestr[oa]s?|el|la) (?:frontend|backend|api|app|aplicación|sitio|base de datos|ci|servidor|proyecto|clúster) (?:usa|corre (?:en|con|sobre)|está (?:hech|escrit|alojad|desplegad)[oa]|vive en|viene de)\b"
    r"|\b(?:a gente|nós) (?:faz(?:emos)?|roda(?:mos)?|guarda(?:mos)?|hospeda(?:mos)?|testa(?:mos)?|publica(?:mos)?)\b|\b(?:implantamos|hospedamos|fazemos deploy)\b"
    r"|\b(?:facciamo (?:il |i )?(?:deploy|build)|distribuiamo|ospitiamo|salviamo|testiamo|compiliamo|pubblichiamo|gestiamo)\b"
    r"|\b(?:we|wij) (?:deployen|bouwen|testen|hosten|bewaren|loggen|draaien|schrijven|releasen)\b"
    r"|\b(?:wdrażamy|budujemy|testujemy|hostujemy|przechowujemy|trzymamy|logujemy|uruchamiamy|wydajemy)\b"
    r"|\b(?:nasazujeme|stavíme|testujeme|hostujeme|ukládáme|logujeme|spouštíme|vydáváme)\b"
    r"|\b(?:деплоим|собираем|тестируем|хостим|храним|логируем|запускаем|выкатываем)\b"
    r"|\b(?:деплоїмо|збираємо|тестуємо|хостимо|зберігаємо|логуємо|запускаємо|викочуємо)\b"
    r"|\b(?:dağıtıyoruz|derliyoruz|test ediyoruz|saklıyoruz|çalıştırıyoruz|yayınlıyoruz|barındırıyoruz)\b"
    r"|我们的?.{0,10}(?:都用|部署在|部署到|存在|放在|托管在|跑在|运行在)|(?:部署|前端|后端|接口|项目|日志)(?:都|统一)?用"
    r"|(?:を使って(?:い|る)|で(?:デプロイ|ビルド|動いて|運用)|に(?:保存|置い)て(?:い|ま))|우리는? .{1,30}(?:배포|빌드|저장|테스트)(?:합니다|해요|한다|해)|\b(?:ننشر|نبني|نخزن|نختبر)\b"
)

# It says what will be done, what was, or what the agent is to do now.
MOMENTARY = r"""
\b(?:tomorrow|today|tonight|yesterday|soon|right now|next (?:week|month|sprint)|this (?:week|time)|again|once|twice|already)\b
\b(?:demain|aujourd'hui|ce soir|ça|morgen|heute|mañana|hoy|amanhã|hoje|domani|oggi|vandaag|jutro|dziś|zítra|dnes|завтра|сегодня|сьогодні|yarın|bugün)\b|明天|今天|明日|今日|내일|오늘
,? (?:right|correct|don't we|isn't it|no)\W*$|[,;.] ?(?:and |so |then )?(?:please|rename|fix|change|remove|add|do|check|look|make|extract|move|replace|clean|delete|update)\b|\bin (?:two|three|several|many|\d+) places\b
\b(?:in (?:this|that) (?:file|function|class|line|method|loop|test|case)|need to|want to|have to|why|wonder)\b
"""
# Others do things in their way.
OTHERS = r"""
^(?:at |in )?(?:my|our) (?:previous|former|last|old|other) (?:company|job|team|employer|project|client)\b
^(?:they|other (?:teams|people|companies|projects)|people|most \w+|some (?:teams|people|projects)) \w+
^[\w-]+ (?:thinks|believes|suggests|suggested|recommends|proposed|would like|says we should)\b
\b(?:guide|docs?|documentation|manual|readme|article|tutorial|vendor|book|post|website|spec)\b.{0,20} (?:says?|said|recommends?|claims?|states?)\b
^as an? [\w -]{2,30},? i (?:want|can|need|would)\b
"""
# Not this but that.
NOT_BUT = r"""
^LEADnot (?!MOODY)[\w./'`+#-]+(?: [\w./'`+#-]+){0,2},? but (?!HEDGED)[\w./'`+#-]+(?: [\w./'`+#-]+){0,3}\W*$
\bi (?:already |just |always )?(?:said|meant|mean|told you|asked for|wanted)\b[:,]? [^,;]{2,60}[,;] ?(?:and )?not\b
^LEAD(?:in|with|on|by|as|per|at|from) [^,;]{2,30}[,;] not (?:in|with|on|by|as|per|at|from)\b
^LEAD(?:in|for|on|with) [\w.#+ -]{2,30}?,? (?:we |please )?use [^,;]{2,60}[,;] (?:and )?(?:not|never)\b
^LEADTHING(?:is|are|goes|go|comes?|belongs?|stays?) [^,;]{2,60}[,;] (?:and )?(?:not|never) [^,;?]{2,50}$
^LEAD(?:the|our|all|every|each|an?|(?!(?:sometimes|yes|this|is|does|has|was|thanks|looks|seems|works|always|as|its|lets?|us)\b)[a-z-]{2,}s) [^,;?]{6,70}(?:[,;]| and) not [\w'/.-]+(?: [\w'/.-]+){0,3}\W*$
^LEADnot (?!MOODY)[\w./'`-]+(?: [\w./'`-]+){0,4},? but (?!HEDGED)[\w`].*\b(?:in|for|on|as|with|per|to|at|from|under|when)\b(?! (?:now|me|today)\b)
\b(?:we|you) (?:don't|do not|never) use\b.{2,60}(?:[,;] ?(?:but |we |only )?(?:use|we|but)|\bhere|\banymore)\b
^LEAD[\w -]{2,40}\b(?:go|goes|belongs?|lives?|(?:is|are)(?: \w+ed)?) (?:in|into|on|under|next|beside|at|to)\b.{2,60}, (?:not|never) (?:in|into|on|under|next|beside|at|to|the|a)\b
"""
# What goes wrong: a report of it is no rule, however often it happens.
FAILING = (
    r"\b(?:crash\w*|times? out|timing out|hangs?|throws?|freezes?|disappears?|stürzt|abstürzt|hängt|bricht ab|schlägt fehl|geht nicht|plante\w*|échoue|se bloque|marche pas|se cae|falla|se cuelga|no funciona|trava|quebra|si blocca|non funziona|crasht|hangt|faalt|werkt niet|wywala|nie działa|padá|spadne|nefunguje|падает|зависает|не работает|падає|не працює|çöküyor|çalışmıyor)\b"
    r"|\b(?:we|i) (?:always |keep )?gett?(?:ing)? (?:an? )?\w*\W?[45]\d\d\b|\b(?:bekomm\w+|krieg\w+|erhalten|nos da|me da|получаем|on a|j'ai)\b.*\b[45]\d\d\b"
    r"|\b(?:returns?|shows?|gives?|sends?)\b.*\beven (?:when|though)\b|(?:返回|出现|得到).{0,4}[45]\d\d"
    r"|崩溃|报错|失败|卡住|落ちる|落ちます|動かない|エラー(?:になる|が出)|실패합|멈춥|오류가"
)
TROUBLE = (
    r"\b(?:errors? (?:when|on|in|from)|fail\w*|broken|breaks?|bugs?|wrong|slow\w*|timeouts?|exceptions?|problems?|issues?|out of memory|loops?|twice|forever|refused|5\d\d\b|stuck|missing|leaks?|deadlocks?|races?|conflicts?|a lot of"
    r"|fehler|problem\w*|kaputt|langsam|falsch|erreur|problème|cassé|lent\w*|error|problema|lento|errore|rotto|fout|błąd|chyba|ошибк\w*|проблем\w*|помилк\w*|hata\w*|sorun)\b|错误|问题|エラー|問題|오류|문제"
)

# What the words in capitals stand for.
PARTS = {
    "THING": r"(?!(?:i|we|you|he|she|they|it|this|that|these|those|there|here|someone|somebody|who|what|which|if|when|as|because|since|still|then|next|today|so|not|everything|nothing|something|everyone|all of)\b)"
    r"(?:[\w'/.-]+ ){1,5}?",
    "ALTERED": r"(?:fixed|updated|rewritten|deleted|removed|moved|renamed|refactored|changed|rebased|merged|reviewed|redesigned|reworked|cleaned|migrated|replaced|added|upgraded|extended|finished|adapted|adjusted|converted|redone|repaired|resolved|implemented|restarted|improved|investigated|debugged|corrected|increased|done)\b",
    "LEAD": r"(?:(?:ok|okay|no|nope|yes|yeah|well|and|but|also|so|actually|right|hey|hi|hm+|btw|by the way"
    r"|fyi|hold on|wait|sorry|listen|good|great|thanks|wrong|remember|note)[,.!:]* )*",
    "DOING": r"(?:use|deploy|build|host|run|store|test|log|release|write|keep|ship|publish|lint|format"
    r"|manage|track|bundle|serve|sign|tag|version|pin|import|generate|cache|render|authenticate"
    r"|monitor|document|name|organi[sz]e|target|develop|rely on|depend on|follow|squash|rebase|merge"
    r"|mock|seed|mirror|package|provision|schedule|validate|translate|back up)",
    "SYSTEM": r"(?:projects?|repo|repository|codebase|backend|back end|frontend|front end|api|app"
    r"|application|service|site|website|cluster|database|db|ci|cd|pipelines?|docs|documentation"
    r"|staging|production|prod|server|monorepo|infrastructure|stack|queue|images?|secrets|logs"
    r"|releases?|library|team|suite|tests|builds?|jobs|workers?|gateway|registry|cli)",
    "RUNNING": r"uses?|runs? (?:on|in|under|with|as|behind|via|from)|lives? (?:in|on|under|at)"
    r"|(?:is|are) (?:written|built|hosted|deployed|stored|kept|generated|managed|released|based"
    r"|packaged|served) (?:in|with|on|by|as|from|via|under|using|at|through)|comes? from"
    r"|authenticates?|talks? to",
    "MADE": r"(?:run|stored|kept|built|deployed|hosted|released|generated|managed|written|returned"
    r"|logged|defined|tracked|named|signed|versioned|cached|reviewed|merged) (?:in|with|by|on|as|via"
    r"|from|to|before|after|under|using|at|through|manually|automatically)",
    "PRONOUN": r"(?:into|out|it|this|that|them|these|those|one|both|too|a lot)\b",
    "MOODY": r"(?:sure|bad|great|good|ideal|perfect|now|yet|today|only|working|nice|pretty|critical"
    r"|urgent|important|much|really|quite|exactly|entirely|necessarily|everything|all|a |an |the best"
    r"|pretty|broken|here|there|today|tomorrow|me|him|her|us|you|bigger|smaller|better|worse|faster|slower|new|old|cheap|simple|stupid|happy|safe|optimal|correct|wrong|true|false|final"
    r"|fast|elegant|clean|beautiful|easy|trivial|possible|required|needed|long|big|my|your|that|so"
    r"|there|just|very|too|as|terrible|finished|done|tested|complete)\b",
    "HEDGED": r"(?:it|i|we|you|they|that|this|still|maybe|ok|okay|fine|let's|could|can|will|does"
    r"|works?|good|also|probably|almost|close|enough|acceptable|not|now|just)\b",
}
