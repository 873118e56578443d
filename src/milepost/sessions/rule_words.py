"""By which words people state rules and choices, by language.

One pattern a line, matched in lower case. English, which most sessions are held in, has finer ones
in `statements`.
"""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

# What the work must be like, rather than how it is done: a thing that should, must or may.
REQUIRED = r"""
^(?:(?:and|but|also|so|ok),? )?(?:the|it|its|this|these|those|they|there|each|every|all|a|an|our)\b[^,;:]{0,60}?\b(?:should|must|shall|needs? to|ha(?:s|ve) to)\b
^(?:und |aber |auch )?(?:der|die|das|dies\w*|jede[rs]?|alle|es|ein[e]?|unsere?)\b[^,;:]{0,60}?\b(?:soll|sollen|muss|müssen|darf|dürfen)\b
^(?:et |mais )?(?:le|la|les|l'|ce|cette|ces|chaque|il|elle|ils|elles|un|une|nos)\b ?[^,;:]{0,60}?\b(?:doit|doivent|devrait|devraient)\b
^(?:y |pero )?(?:el|la|los|las|un|una|cada|este|esta|estos|nuestr[oa]s?)\b[^,;:]{0,60}?\b(?:debe|deben|debería|deberían|tiene que|tienen que)\b
^(?:e |ma )?(?:il|lo|la|i|gli|le|ogni|un|una|questo|questa)\b[^,;:]{0,60}?\b(?:deve|devono|dovrebbe|dovrebbero)\b
^(?:e |mas )?(?:o|a|os|as|cada|um|uma|este|esta)\b[^,;:]{0,60}?\b(?:deve|devem|deveria|tem que|têm que|precisa)\b
^(?:en |maar )?(?:de|het|een|elke|alle|dit|deze)\b[^,;:]{0,60}?\b(?:moet|moeten|mag|mogen)\b
"""

# What a thing needs, has to be, or is allowed to whom; in English.
NEEDED = r"""
^LEADonly (?!(?:then|this|that|these|those|you|i|we|he|she|they|it|one|two|three|if|when|thing|problem|question|issue|reason|the (?:thing|problem|question|issue|reason|first|last))\b)(?:[\w'-]+ ){1,5}?(?:may|can|must|should|shall|gets?|receives?|(?:are|is|be) (?:allowed|able|permitted))\b
\b(?:can't|cannot|may not|must not|mustn't)\b[^,;]{2,40}[,;] only\b
^LEAD(?:nobody|no one|none|no \w+) (?:but|except|other than) (?:[\w'-]+ ){1,5}?(?:may|can|must|should|shall|is allowed)\b
^LEAD(?:every|each|any|all) (?:[\w'-]+ ){1,4}?(?:needs?|requires?|must|shall) (?!(?:to )?(?:be|get) (?:\w+ly )?ALTERED).{3,}
^LEADTHING(?:(?:has|have|needs?|(?:is|are) (?:required|supposed|expected|obliged)) to|shall|must(?: also| still| only)?)(?: not| never)? (?!(?:be|get) (?:\w+ly )?ALTERED|wait|go away|stop|change|know|see|look|talk|understand|figure|think|do\b).{4,}
^LEAD(?:please |pls )?(?:make sure|ensure|see to it|it(?:'s| is) (?:\w+ )?(?:important|essential|crucial|vital|mandatory|critical))(?: that)? (?:every|each|all|any|no|nothing|none|nobody|only|[a-z-]{3,}(?<!thi)(?<!s)s)\b(?!.*\b(?:pass|passes|green|works?|working|compiles?|succeeds?|you|this|these|again|ALTERED)).{4,}
"""
# Due at some time, and done with then.
FOR_NOW = r"""
\b(?:tomorrow|today|tonight|now|soon|later|again|asap|still|next (?:week|month|sprint|time)|this (?:week|time|afternoon|evening)|(?:until|by|on) (?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:faster|quicker|smaller|bigger|better|shorter|prettier|nicer)(?! than \d)|before (?:the (?:release|demo|deadline|launch)|we|i))\b
"""
# Work on a text, a picture or a line of code: ordered and done, nothing is decided by it.
EDITS = r"""
^(?!.*EDIT_DECIDED)\W*(?:\w+\W+){0,3}?EDITING\b.*(?:\b\w+\(\)|['\"`][^'\"`]+['\"`]|\b(?:in|on) (?:the |my )?(?:readme|changelog|docstring|comment|[\w/.-]+\.(?:py|tsx?|jsx?|go|rs|rb|java|kt|cs|php|md|css|html?|vue|sql))\b)
^(?!.*EDIT_DECIDED)\W*(?:\w+\W+){0,3}?EDITING(?: (?!(?:with|by|for(?! loop)|from|to|durch|auf|par|por|a)\b)[\w'-]+){0,4}? (?:l'|d')?DRAWN\b
(?:把|将)?.{0,12}(?:图片|图像|颜色|按钮|标题|文字|图标|错别字|链接|文案).{0,12}(?:换成|改成|改为|替换)|\b(?:with|for|by) (?:an?|the) (?:[\w-]+ ){0,2}ones?\b|EDITING\b.*\bfrom (?:the )?(?:left|right|top|bottom|center|middle)\b|(?:画像|色|ボタン|タイトル|文字|アイコン)を.{1,30}(?:に変|に置き換|に差し替)|(?:이미지|색|버튼|제목|아이콘)[을를]? .{1,30}(?:으로|로) (?:바꿔|변경|교체)
"""
PARTS = {
    "EDITING": r"(?:replace|swap|change|make|move|set|put|turn|switch|ersetz\w*|tausch\w*|änder\w*|mach\w*|setz\w*|stell\w*|remplac\w+|chang\w+|mets|mettre|cambi\w+|reemplaz\w+|reemplac\w+|sustitu\w+|pon|troc\w+|troqu\w+|mud\w+|substitu\w+|sostitu\w+|metti|vervang\w*|verander\w*|zamie[nń]\w*|zmie[nń]\w*|vyměn\w*|změ[nň]\w*|замен\w+|поменя\w+|измен\w+|замін\w+|змін\w+)",
    "EDIT_DECIDED": r"\b(?:decided|agreed|from now on|always|never|instead of|beschlossen|entschieden|décid\w+|decid\w+|acord\w+|deciso|besloten|решили|вирішили)\b",
    "DRAWN": r"(?:images?|logos?|icons?|pictures?|photos?|colou?rs?|labels?|buttons?|texts?|titles?|headings?|headlines?|captions?|wording|fonts?|placeholders?|banners?|links?|screenshots?|typos?|words?|sentences?|paragraphs?|spinners?|tooltips?|menus?|avatars?|sidebars?|navbars?|cards?|check ?box(?:es)?|dropdowns?|modals?|dialogs?|loops?|variables?|conditions?|imports?|functions?|methods?|order|tab"
    r"|bild\w*|farben?|knopf|knöpfe|texte?|überschrift\w*|titel|tippfehler|schrift\w*|symbole?|couleurs?|textes?|boutons?|titres?|fautes?|icônes?|police|imagen|imágenes|color(?:es)?|textos?|bot(?:ón|ones)|títulos?|errata|iconos?|imagem|cor|botão|immagin[ei]|colore|testo|pulsante|titolo|afbeelding\w*|kleur\w*|knop|obraz\w*|kolor\w*|przycisk\w*|obrázek|barvu|tlačítko|картинк\w+|цвет\w*|кнопк\w+|заголов\w+|опечатк\w+|колір)",
}

# Always, never, only, must, not allowed: what the user wants to hold from now on.
RULES = {
    "de": r"""
^nur (?:die |der |das |den |ein\w* )?[\w -]{2,40} (?:kann|können|darf|dürfen)\b(?! (?:ich|wir|du|man|das|es|helfen))
^(?:jede[rsn]?|alle) [\w -]{2,40} (?:braucht|brauchen|benötigt|benötigen)\b
^(?!(?:das|es|dies|ich|wir|hier) )[\w -]{2,40} (?:ist|sind|gehen?|geht|kommt|kommen|steht|stehen|laufen|läuft|heißt|heißen|gilt|gelten|bleibt|bleiben|wird|werden|liegt|liegen|gehört|gehören) [^,;]{2,60}, (?:und )?(?:nicht|nie) [^,;?]{2,40}$
^stell\w* (?:bitte )?sicher, dass (?:jede|alle|kein|nur|nie)
\b(?:immer|nie|niemals|ausschließlich|grundsätzlich|prinzipiell)\b(?! (?:noch|wieder|mehr|gesehen|funktioniert))(?<!noch immer)(?<!wie immer)(?<!schon immer)
\bnur (?:in|mit|auf|über|per|noch|für|aus|von|bei|als|ganz|ein|eine|einen)\b(?! (?:frage|kurze|bisschen|moment|paar))
(?<!ich )(?<!wir )(?<!du )\b(?:muss|müssen|darf|dürfen|soll|sollen)\b(?! (?:los|weg|ich|wir|mal|kurz|jetzt|gleich)\b).{3,}
\bkein(?:e|en|er)? \w+ (?:hier|in (?:dem|diesem) projekt)\b
\b(?:wir nehmen|wir benutzen|wir nutzen|wir verwenden|wir duzen|wir siezen)\b
\b(?:ab jetzt|ab sofort|von jetzt an|künftig|in zukunft)\b|\bmax(?:imal|\.)? (?:\d|ein|zwei|drei)
\bhöchstens\b|\bnicht .{2,60},? sondern\b|^kein\w* \S+(?: \S+)?,? sondern\b|^(?:in|mit|auf|per|als|von|bei) [^,;]{2,30}, nicht (?:in|mit|auf|per|als|von|bei)\b|\bgehör(?:t|en) nur\b
""",
    "fr": r"""
^pas (?!mal\b|sûr|encore|grave|parfait|terrible|maintenant|ici|moi|toi|bien|beau|idéal)[\w'.+#-]+(?: [\w'.+#-]+){0,3},? mais (?!ça|c'|je|on|il|elle|bon|pas)\S+
^(?!(?:c'est|ce n'est|ça|ceci|cela|je|on|il|elle) ?)[\w' -]{2,40} (?:est|sont|va|vont|reste|restent|s'appelle\w*|passe\w*|se \w+) [^,;]{2,60}, (?:et )?(?:pas|non|jamais) [^,;?]{2,40}$
^(?:chaque|tous les|toutes les|tout|toute) [\w' -]{2,40} (?:a besoin|ont besoin|nécessite|nécessitent|requiert|requièrent)\b
^seule?s? [\w' -]{2,40} (?:peut|peuvent|doit|doivent|a le droit|ont le droit)\b|^assure(?:-toi|z-vous) que (?:chaque|tous|toutes|aucune?|seule?s?)\b
\bjamais\b(?! (?:vu|eu|compris|marché|fonctionné))
\btoujours\b(?=.*\b(?:jamais|pas|seulement|en|avec|par|dans)\b)(?! (?:pas|cassé|rouge|en panne|là|le même|la même))
\b(?:seulement|uniquement|exclusivement|obligatoirement)\b
\b(?:doit|doivent|ne pas|interdit|ne (?:doit|faut) pas)\b
\b(?:désormais|dorénavant|à partir de maintenant)\b|\b(?:maximum|au plus|max)\b.{0,12}\d
\bpas de \w+ (?:ici|dans|chez)\b|^pas (?:de|des|du|en|les?|la) .{2,40},? mais (?:de|des|du|en|les?|la|deux|trois|quatre|\d)
\bnous? utilis\w+|\bon (?:utilise|n'utilise)\b
""",
    "es": r"""
^(?!(?:esto|eso|es|yo|aquí) )[\w -]{2,40} (?:es|son|va|van|está|están|se \w+|llevan?) [^,;]{2,60}, (?:y )?(?:no|nunca) [^,;?]{2,40}$
^s[oó]lo (?:los|las|el|la|un|una|quien\w*) ?[\w -]{2,40} (?:puede|pueden|debe|deben)\b
^(?:cada|todos los|todas las|todo|toda) [\w -]{2,40} (?:necesita|necesitan|requiere|requieren)\b|^asegúrate de que (?:cada|todos|todas|ningún|ninguna|solo|sólo)\b
\b(?:siempre|nunca|jamás)\b(?! (?:ha|había|he|me|perdemos|falla|fallaba|pasa|igual))
\bsolo (?:a|en|con|por|para|se|desde|al)\b|\bsólo\b|\búnicamente\b|\bexclusivamente\b
\b(?:debe|deben|tiene que|tienen que|está prohibido|no se (?:usa|puede|debe|permite))\b
\bnada de \w+|\bno .{2,60},? sino\b
\b(?:a partir de ahora|de ahora en adelante|desde ahora)\b|\bmáximo\b|\bcomo mucho\b
\b(?:usamos|aquí usamos)\b
""",
    "pt": r"""
^(?!(?:isto|isso|eu|aqui) )[\w -]{2,40} (?:é|são|vai|vão|fica|ficam) [^,;]{2,60}, (?:e )?(?:não|nunca) [^,;?]{2,40}$
^(?:cada|todos os|todas as|todo|toda) [\w -]{2,40} (?:precisa|precisam|requer|requerem)\b|^só (?:os|as|o|a|quem) ?[\w -]{2,40} (?:pode|podem)\b
\b(?:sempre|nunca|jamais)\b(?! (?:vi|foi|falha|falhou|funcionou|deu|que))
\b(?:somente|apenas|unicamente)\b|\bsó (?:em|com|por|para|no|na|pelo|pela|se|pode|usamos|usa)\b
\b(?:deve|devem|tem que|têm que|tem de|precisa ser|não pode|é proibido|obrigat\w+)\b|\bnada de \w+
\b(?:a partir de agora|daqui (?:para|pra) frente|de agora em diante)\b|\bno máximo\b
\b(?:usamos|a gente usa)\b|\bnão .{2,60},? (?:e|mas) sim\b
""",
    "it": r"""
^(?!(?:questo|quello|è|io|qui) )[\w' -]{2,40} (?:è|sono|va|vanno) [^,;]{2,60}, (?:e )?(?:non|mai) [^,;?]{2,40}$
^(?:ogni|tutti i|tutte le) [\w' -]{2,40} (?:richiede|richiedono|ha bisogno|hanno bisogno)\b
\bsempre\b(?! (?:stato|rotto|fallit\w+|più|lo stesso))
\b(?:non|senza) .{0,40}\bmai\b(?! (?:visto|funzionato|capito))
\bmai (?:usare|fare|toccare|committare|più|\w+re)\b
\b(?:solo|soltanto|solamente|esclusivamente|unicamente)\b(?! (?:una domanda|un attimo|che))
\b(?:deve|devono|è vietato|non si (?:usa|deve|può)|va fatto|vanno)\b
\b(?:d'ora in poi|da ora in poi|da adesso)\b|\b(?:al massimo|massimo)\b
\b(?:usiamo|qui usiamo|noi usiamo)\b|\bniente \w+ (?:qui|in)\b|\bnon .{2,60},? bensì\b
""",
    "nl": r"""
^(?!(?:dit|dat|het is|ik|hier) )[\w -]{2,40} (?:is|zijn|gaat|gaan|staat|staan) [^,;]{2,60}, (?:en )?niet [^,;?]{2,40}$
^(?:elke?|iedere?|alle) [\w -]{2,40} (?:heeft|hebben) [\w ]{1,30}nodig\b|^alleen [\w -]{2,40} (?:kan|kunnen)\b
\b(?:altijd|nooit|uitsluitend)\b(?! (?:gezien|gewerkt|gehad|kapot|al))
\balleen (?:maar )?(?:in|met|op|via|voor|bij|als|nog|de|het|door)\b
(?<!we )(?<!wij )(?<!ik )\b(?:moet|moeten|mag|mogen|hoort|horen)\b.{3,}
\b(?:vanaf nu|voortaan|in het vervolg)\b|\b(?:maximaal|hoogstens|max)\b.{0,8}\d
\bgeen \w+ (?:hier|meer|in)\b|\b(?:wij|we) gebruiken\b|\bniet .{2,60}, maar\b
""",
    "pl": r"""
^tylko [\w -]{2,40} (?:może|mogą)\b|^(?:każd\w+|wszystkie) [\w -]{2,40} (?:potrzebuje|potrzebują|wymaga|wymagają)\b
\b(?:zawsze|nigdy|wyłącznie|obowiązkowo)\b(?! (?:się|działało|widziałem))
\btylko (?:w|przez|na|z|dla|do|po|za|i|jeden|te)\b
\b(?:musi|muszą|nie wolno|nie można|ma być|mają być)\b
\b(?:od teraz|od dziś|od dzisiaj|na przyszłość)\b|\b(?:maksymalnie|najwyżej|max)\b.{0,8}\d
\b(?:używamy|u nas używa)\b|\bnie .{2,60}, (?:tylko|lecz|ale)\b|\bżadnych \w+|\bżadnego \w+
""",
    "cs": r"""
^(?:jen|pouze) [\w -]{2,40} (?:může|mohou|smí|smějí)\b|^(?:každ\w+|všechny) [\w -]{2,40} (?:potřebuj\w+|vyžaduj\w+)\b
\b(?:vždy|vždycky|nikdy|výhradně|zásadně)\b(?! (?:nefungovalo|jsem))
\b(?:jen|pouze|jenom) (?:v|přes|na|s|z|pro|do|po|za|přes)\b
\b(?:musí|nesmí|nesmíme|má být|mají být)\b
\b(?:od teď|odteď|od této chvíle|napříště|příště)\b|\b(?:maximálně|nejvýš|max)\b.{0,8}\d
\b(?:používáme|u nás se)\b|\bne .{2,60}, ale\b|\bžádn(?:é|ý|á|ého) \w+
""",
    "ru": r"""
^только [\w -]{2,40} (?:может|могут|вправе)\b|^(?:кажд\w+|вс[её]м?) [\w -]{2,40} (?:нужн\w+|требу\w+)\b
\b(?:всегда|никогда|исключительно|обязательно|строго)\b(?! (?:так|падает|падал|было|работал\w*|не работал\w*))
\bтолько (?:в|через|на|с|по|для|из|после|под|один|одн\w+|и|так|так и)\b
\b(?:должен|должна|должны|должно|нельзя|запрещено|не использу\w+|используем|пользуемся)\b
\b(?:отныне|впредь|с этого момента|теперь всегда|с сегодняшнего дня)\b
\b(?:максимум|не более|не больше)\b|\bне .{2,60}, а\b|\bникаких \w+|\bбез \w+ (?:в|здесь)\b
""",
    "uk": r"""
^(?:тільки|лише) [\w -]{2,40} (?:може|можуть)\b|^(?:кожн\w+|всім) [\w -]{2,40} (?:потріб\w+|потребу\w+)\b
\b(?:завжди|ніколи|виключно|обов'язково|обов’язково|суворо)\b(?! (?:так|падає|було|працювал\w*))
\b(?:тільки|лише) (?:в|у|через|на|з|по|для|із|після|під|один|одн\w+|так)\b
\b(?:повинен|повинна|повинні|має бути|мають бути|не можна|заборонено|не використову\w+|використовуємо)\b
\b(?:відтепер|надалі|з цього моменту|від сьогодні)\b|\b(?:максимум|не більше)\b|\bне .{2,60}, а\b
\bжодних \w+
""",
    "tr": r"""
\b(?:her zaman|asla|hiçbir zaman|mutlaka|kesinlikle|daima)\b|\b(?:sadece|yalnızca|yalnız)\b
\b(?:zorunda|yasak|olmalı|olmamalı|kullanılmalı|yapılmalı|kullanılmamalı)\b
\b(?:bundan sonra|bundan böyle|artık)\b|\b(?:en fazla|en çok|maksimum)\b
\bdeğil,? .{2,60}\b(?:kullan|olacak|olmalı)|\bkullanıyoruz\b|\w+(?:mayın|meyin)\b
\b(?:kullanma|yapma|dokunma|silme|ekleme|yazma|çalıştırma)\b
""",
    "zh": r"""
只有.{1,20}(?:可以|才能|能|才可)|是.{1,20}[，,]\s?(?:而)?不是.{1,20}$|用.{1,20}[，,]\s?(?:而)?不用.{1,20}$|^确保(?:每|所有|任何)|每个.{1,20}(?:都)?需要
必须|一定要|务必|总是|始终|永远(?:不|要|都)|绝不|绝对不|不要(?!紧)|不准|不允许|不得|不能(?!用了)|禁止|只能|只用|只允许|只在|统一用|一律|都要
应该(?:用|是|在)|我们(?:这里|项目|都)?用
不是.{1,40}而是|从现在(?:起|开始)|以后(?:都|要|请|别|不)|今后|最多|至多|不超过|别用|别再
""",
    "ja": r"""
だけが.{1,30}(?:できる|できます|可能)
必ず|常に|いつも.{1,30}(?:こと|して|使)|絶対に?|決して|(?:だけ|のみ)(?:を|に|で|使|にして|です)|しか.{1,20}ない
(?:して|ては|ちゃ)(?:は)?(?:いけない|ならない|だめ|ダメ|駄目)|しないで|禁止|なければならない|しなければ|べき
ではなく|じゃなくて|今後は?|これからは|以後|最大(?:で)?|まで(?:に)?(?:して|とする)|使わない(?:で|こと)|(?:する|使う|書く|しない|にする)こと[。]?$|うちでは
この(?:プロジェクト|リポジトリ)では
""",
    "ko": r"""
만 .{1,30}(?:할 )?수 있
반드시|항상|언제나|무조건|절대(?:로)?|결코|(?:만|로만|에서만|에만) (?:사용|쓰|써|하|가능|허용|작성|실행|배포)|하지 ?(?:마|말)
안 ?(?:됩니다|돼|된다|되)|금지|써야|여야
아니라|말고|앞으로(?:는)?|이제부터(?:는)?|지금부터|최대|이하로|우리는 .{1,30}(?:씁니다|써요|사용)
""",
    "ar": r"""
دائما|دائمًا|دائماً|أبدا|أبدًا|أبداً|فقط|حصرا|يجب|لا يجوز|لا يمكن|ممنوع|لا تستخدم|لا نستخدم|نستخدم
ينبغي|من الآن فصاعدا|من الآن|بحد أقصى|كحد أقصى|وليس|بل
""",
}

# Decided, instead of, change to: what was chosen, often over what held before.
CHOICES = {
    "de": r"""
\b(?:beschlossen|entschieden|entscheidung|geeinigt|festgelegt)\b|\btausch\w*\b.{2,60}\bgegen\b|\b(?:statt|anstatt|anstelle)\b
\bersetz\w+\b.{3,}\bdurch\b|\b(?:umstellen|wechseln|umsteigen|stellen) .{2,60}\bauf\b
\b(?:setz|stell|ändere?|änder|erhöh|senk|heb|reduzier)\w*\b.{2,80}\bauf \d
\bmach(?:en)?\b.{0,40}\b(?:draus|daraus)\b
\b(?:lassen wir|machen wir nicht|nehmen wir|bleiben? (?:bei|auf)|wir gehen mit|wir nehmen)\b
\b(?:soll|sollen) doch\b|\bdoch (?:lieber|besser)\b
""",
    "fr": r"""
\b(?:décidé|décision|tranché|convenu)\b|\b(?:avons|on a) (?:choisi|opté|retenu)\b|\bau lieu d|\bà la place\b|\bplutôt que\b
\bremplac\w+\b.{3,}\bpar\b|\bon (?:change|passe|reste|garde|part|abandonne|prend)\b
\bpass(?:e|er|ons|ez) (?:à|de|en)\b.{2,}
\b(?:mets|met|mettez|augmente|baisse|réduis|change)\b.{1,60}\b(?:à|en|au lieu)\b|\blaisse tomber\b
""",
    "es": r"""
\b(?:decidido|decisión|acordad[oa]|acordamos|decidimos|elegimos|hemos elegido|optamos por)\b|^(?:cambia|cambiad|cambiemos|cambiamos) \S+ por\b|\ben (?:vez|lugar) de\b
\b(?:reemplaz|sustitu)\w+\b.{3,}\b(?:por|con)\b
\b(?:cambia|cambiad|cambiamos|cambiar|cámbialo|pasa|pasamos|pasar|mueve|movemos|sube|baja|pon|ponlo)\b.{1,80}\b(?:a|por)\b .*\d
\b(?:lo descartamos|descartamos|nos quedamos|ya no .{2,60}ahora|cambio de criterio|pasamos (?:a|de))\b
""",
    "pt": r"""
\b(?:decidimos|decidido|decisão|combinado|combinamos)\b|\b(?:em vez|ao invés|no lugar) d
\b(?:substitu|troc)\w+\b.{3,}\bpor\b
\b(?:muda|mude|mudar|mudamos|aumenta|aumente|baixa|baixe|passa|passe|sobe|coloca|coloque|altera|altere)\b.{1,80}\b(?:para|pra)\b
\b(?:ficamos com|vamos (?:usar|de|com|ficar|mudar|trocar|migrar)|deixa(?:mos)? de (?:lado|usar))\b
""",
    "it": r"""
\b(?:deciso|decisione|concordato|abbiamo scelto)\b|\b(?:invece d|al posto d|anziché)\b
\b(?:sostitu|rimpiazz)\w+\b.{3,}\bcon\b
\b(?:cambia|cambiamo|porta|portalo|portiamo|alza|abbassa|metti|mettilo|imposta|passa|passiamo|spostiamo)\b.{1,80}\ba(?:l|lla|i|lle)?\b
\b(?:restiamo (?:su|con)|rimaniamo|lasciamo (?:perdere|stare)|usiamo .{2,60} non)\b
""",
    "nl": r"""
\b(?:besloten|beslissing|afgesproken|gekozen)\b|\bin plaats van\b|\bvervang\w*\b.{3,}\bdoor\b
\b(?:verander|wijzig|zet|verhoog|verlaag|maak)\w*\b.{2,80}\b(?:naar|op|van)\b.*\d
\bwe (?:gaan|stappen|blijven|kiezen|schakelen)\b.{1,60}\b(?:over|voor|bij|met|naar)\b
\blaten we\b.{2,60}\b(?:gebruiken|overstappen|houden)\b
""",
    "pl": r"""
\b(?:zdecydowa\w+|decyzja|postanowi\w+|ustali\w+|uzgodni\w+)\b|\bzamiast\b
\b(?:zamie[nń]\w*|zastąp\w*)\b.{3,}\b(?:na|przez)\b
\b(?:zmie[nń]\w*|podnie[sś]\w*|ustaw\w*|zwiększ\w*|zmniejsz\w*|obniż\w*|przenie[sś]\w*)\b.{2,80}\b(?:na|do)\b
\b(?:przechodzimy|zostajemy przy|zostaje|rezygnujemy|odpuszczamy|idziemy w|bierzemy)\b
""",
    "cs": r"""
\b(?:rozhodl\w+|rozhodnut\w+|dohodl\w+|domluvili)\b|\b(?:místo|namísto)\b
\b(?:nahra[dď]\w*|vyměn\w*|zamě[nň]\w*)\b.{3,}\b(?:za|\w+em|\w+ou)\b
\b(?:změ[nň]\w*|zvyš\w*|zvedni|sniž\w*|nastav\w*|přesu[nň]\w*|dej)\b.{2,80}\b(?:na|do)\b
\b(?:přecházíme|přejdeme|zůstáváme|zůstaneme u|necháme být|jdeme do)\b
""",
    "ru": r"""
\b(?:решили|решено|решение|договорились|постановили|выбрали)\b|\bвместо\b
\b(?:замен\w+)\b.{3,}\bна\b
\b(?:помен\w+|измен\w+|подним\w+|увелич\w+|уменьш\w+|сниз\w+|постав\w+|сдела\w+|перенес\w+|перевод\w+|выстав\w+)\b.{2,80}\b(?:на|до|в)\b .*\d
\b(?:переходим|переезжаем|перейд[её]м|оста[её]мся|отказываемся|давай(?:те)? (?:на|перейд|использ|сдела|лучше)\w*|бер[её]м)\b
""",
    "uk": r"""
\b(?:вирішили|вирішено|рішення|домовились|домовилися|обрали)\b|\bзамість\b
\b(?:замін\w+)\b.{3,}\bна\b
\b(?:зміни\w*|змін\w+|підніми|збільш\w+|зменш\w+|постав\w*|зроби\w*|перенес\w+)\b.{2,80}\b(?:на|до)\b .*\d
\b(?:переходимо|переїжджаємо|лишаємось|залишаємось|залишаємося|відмовляємось|давай(?:те)? (?:на|перейд|використ|краще)\w*|беремо)\b
""",
    "tr": r"""
\b(?:karar (?:verdik|aldık|verildi)|kararlaştırdık|karar)\b|\byerine\b
\b(?:değiştir\w*|yükselt\w*|düşür\w*|çıkar\w*|ayarla\w*|indir\w*|yap)\b.*\d
\d.*\b(?:değiştir\w*|yükselt\w*|düşür\w*|çıkar\w*|ayarla\w*|indir\w*|yap\w*)\b
\b(?:geçelim|geçiyoruz|geçtik|kalalım|kalıyoruz|vazgeçtik|vazgeçelim)\b
""",
    "zh": r"""
决定|定了|商定|改成|改为|改到|换成|替换成?|替代|代替|而不是|取代|切换到|迁移到|从.{1,30}(?:改|换|迁|切)|调(?:到|成|整为)|设(?:为|成)|还是用
算了.{0,20}用|就用
""",
    "ja": r"""
決めた|決まり|決定|決めました|ことにし|に変更|に変え|に置き換え|に切り替え|から.{1,30}(?:に(?:移行|変|切)|へ移行)|の代わり|やめて|にしましょう|でいきましょう
でいこう|にしよう|に(?:上げ|下げ|増や|減ら|伸ば)
""",
    "ko": r"""
결정|정했|하기로|대신(?!에 말)|(?:으로|로) (?:바꾸|바꿔|변경|교체|전환|옮기|옮겨|올려|내려|줄여|늘려|갑시다|가자|하자)|에서 .{1,30}(?:으로|로)\b
그냥 .{1,30}(?:쓰자|써)
""",
    "ar": r"""
قررنا|قرار|اتفقنا|بدلا من|بدلاً من|بدل\b|استبدل|نستبدل|غيّر|غير .{1,40}إلى|ارفع|خفّض|اجعل|ننتقل
انتقل|لننتقل|سنبقى
""",
}
