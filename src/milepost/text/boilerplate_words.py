"""What says nothing, as expressions for a whole sentence or line; blanks count when escaped."""

# ruff: noqa: E501 -- lists of words

# What people say to be kind, alone or in a row.
COURTESY = r"""
(?:(?:ok(?:ay)?|k|yes|yep|yeah|no|nope|sure|great|perfect|cool|nice|awesome|excellent|wonderful|lovely
|thanks?|thank\ you|thx|ty|cheers|got\ it|understood|noted|done|alright|right|will\ do|sounds?\ good|good
|looks?\ good|lgtm|(?:that|this|it)\ (?:makes\ sense|works(?:\ for\ me)?|helps(?:\ a\ lot)?|looks\ good|sounds\ good)
|of\ course|certainly|absolutely|you(?:'re|’re|\ are)\ (?:very\ )?welcome|no\ problem|no\ worries|my\ pleasure|hi|hello
|hey|bye|goodbye|please|agreed|exactly|correct|true|fine|very\ much|so\ much|a\ lot|again|then|all|everyone|there|that|it
|as\ always|happy\ to\ help|glad\ (?:to\ help|(?:it|that|this)\ (?:helped|works?|worked))|for\ (?:your|the)\ (?:help|message|update|reply|info|quick\ \w+)
|good\ (?:morning|evening|night|afternoon|luck|job|work|question|catch|point)|have\ a\ (?:nice|great|good)\ (?:day|weekend|evening|one)
|danke(?:schön)?|vielen\ dank|dank|bitte|alles\ klar|verstanden|passt|super|prima|gut|gerne?|ja|nein|klar|genau|klingt\ gut
|in\ ordnung|erledigt|schönen\ (?:tag|abend)(?:\ noch)?|hallo|tschüss|mach\ ich|sehr
|merci(?:\ beaucoup)?|d['’]accord|parfait|très\ bien|super|ça\ marche|bien\ reçu|de\ rien|je\ vous\ en\ prie|bonne\ journée|bonjour|oui|non|compris|entendu|c['’]est\ noté
|gracias|muchas\ gracias|de\ acuerdo|perfecto|vale|genial|entendido|de\ nada|claro|sí|listo|hola|buen\ día|buenos\ días
|grazie|obrigad[oa]|好的?|谢谢(?:你|您|大家)?|收到|明白了?|知道了|没问题|不客气|辛苦了|嗯+|行|可以|了解|了|哈+)[\s,;:!.，、！。~…-]*)+
"""
PHRASES = r"""
(?:please\ )?(?:let\ me|let\ us|do\ let\ me)\ know\ (?:if|when|how|what|should|in\ case)\b[^.!?\n]{0,90}
|(?:please\ )?(?:feel|don['’]t\ hesitate|do\ not\ hesitate)\ (?:free\ )?to\ (?:ask|reach|contact|let|get|call|write)\b[^.!?\n]{0,90}
|(?:i['’]?m|i\ am|we['’]?re|we\ are)\ (?:here|happy|glad|always\ here|always\ happy)\ (?:to\ (?:help|assist)|if\ you)\b[^.!?\n]{0,60}
|(?:is|was)\ there\ anything\ else\b[^.!?\n]{0,60}|(?:is\ there\ )?anything\ else\ (?:i\ can|you\ need|today|to\ add|for\ you|you['’]d)[^.!?\n]{0,40}|how\ (?:can|may)\ i\ (?:help|assist)\b[^.!?\n]{0,60}
|(?:i\ )?hope\ (?:this|that|it|you)\b[^.!?\n]{0,60}|(?:i['’]ll|i\ will|we['’]ll|we\ will)\ (?:get\ back\ to\ you|be\ in\ touch|take\ a\ look|look\ into\ (?:it|this|that)|do\ (?:that|so|it)|get\ (?:right\ )?on\ (?:it|that)|keep\ (?:that|this|it)\ in\ mind)(?:\ (?:soon|shortly|right\ away|now|today|tomorrow|as\ soon\ as\ possible|within\b[^.!?\n]{0,30}))?
|thank(?:s|\ you)\b[^.!?\n]{0,20}\ for\ (?:contacting|reaching|your|the|getting|writing|subscribing|visiting|signing|choosing)\b[^.!?\n]{0,80}
|(?:we|i)\ (?:have\ )?(?:received|got)\ your\ (?:message|request|mail|e-?mail|inquiry|enquiry|application)\b[^.!?\n]{0,110}
|your\ (?:request|message|ticket|inquiry)\ (?:has\ been|was)\ (?:received|submitted|logged)\b[^.!?\n]{0,60}
|this\ is\ an\ automat(?:ed|ic)\b[^.!?\n]{0,60}|(?:please\ )?do\ not\ reply\ to\ this\b[^.!?\n]{0,40}|i\ am\ (?:currently\ )?out\ of\ (?:the\ )?office\b[^.!?\n]{0,80}
|(?:best|kind|warm)(?:est)?\ regards?\b[^.!?\n]{0,30}|sincerely\b[^.!?\n]{0,30}|sent\ from\ my\ \w+[^.!?\n]{0,20}
|vielen\ dank\ für\b[^.!?\n]{0,60}|wir\ haben\ ihre\ (?:anfrage|nachricht|bestellung|e-?mail)\b[^.!?\n]{0,110}|melde[nt]?\ (?:mich|uns|sich)\b[^.!?\n]{0,60}
|(?:bei\ fragen|falls\ (?:du|sie)\ (?:noch\ )?(?:fragen|etwas)|sag\ (?:mir\ )?(?:bescheid|einfach)|melde\ dich|geben\ sie\ (?:mir|uns)\ bescheid)\b[^.!?\n]{0,80}|mit\ freundlichen\ grüßen[^.!?\n]{0,30}
|(?:n['’]hésite[zr]?|dites?[- ]moi\ si|nous\ avons\ bien\ reçu|cordialement|merci\ (?:pour|de)\ (?:votre|ton))\b[^.!?\n]{0,100}
|(?:no\ dudes?|avísame\ si|házmelo\ saber|si\ necesitas|hemos\ recibido\ (?:tu|su)|saludos|gracias\ por\ (?:tu|su|contactar))\b[^.!?\n]{0,100}
|(?:如(?:有|果)[^.!?\n]{0,12}(?:问题|需要)|有(?:什么|任何)?(?:问题|需要))[^.!?\n]{0,20}|(?:我们|已)(?:已)?收到(?:您|你)的[^.!?\n]{0,30}|请勿回复[^.!?\n]{0,12}
"""  # fmt: skip
BANNER = r"""
(?:we|this\ (?:web)?site|our\ (?:web)?site|our\ partners)\b[^.!?\n]{0,40}\buses?\b[^.!?\n]{0,20}\bcookies\b[^.!?\n]{0,160}
|[^.!?\n]{0,60}\bcookies\b[^.!?\n]{0,60}\b(?:your\ (?:experience|consent|preferences|device|choices)|you\ (?:accept|agree|consent))\b[^.!?\n]{0,80}
|(?:wir|diese\ (?:web)?seite|unsere\ (?:web)?seite)\b[^.!?\n]{0,30}\b(?:verwende[nt]|nutz(?:en|t)|setz(?:en|t))\b[^.!?\n]{0,20}\bcookies\b[^.!?\n]{0,160}
|(?:nous|ce\ site|notre\ site)\b[^.!?\n]{0,20}\butilis\w+\b[^.!?\n]{0,20}\bcookies\b[^.!?\n]{0,160}|(?:este\ sitio|esta\ web|nuestra\ web)?[^.!?\n]{0,10}\butiliza(?:mos)?\ cookies\b[^.!?\n]{0,160}
|by\ (?:clicking|continuing|using|signing|accessing)\b[^.!?\n]{0,80}\b(?:you\ )?(?:agree|accept|consent)\b[^.!?\n]{0,100}
|(?:accept|reject|allow|manage|alle|tout|nur|only|use|aceptar|rechazar|akzeptieren|ablehnen|accepter|refuser)\s?(?:all|alle|tout|todo|necessary|essential|preferences|cookies?|settings|akzeptieren|ablehnen|accepter|refuser|notwendige|einstellungen)*(?:\ cookies)?
|manage\ (?:preferences|cookies|settings|choices)|cookie\ (?:policy|settings|preferences|notice)|privacy\ (?:policy|notice|settings)|terms(?:\ (?:of\ (?:service|use)|and\ conditions|&\ conditions))?|impressum|datenschutz(?:erklärung)?|agb|mentions\ légales|aviso\ legal|política\ de\ (?:privacidad|cookies)|politique\ de\ confidentialité|隐私政策|用户协议|使用条款
|(?:al|si|en|wenn|durch|bei)\b[^.!?\n]{0,60}\b(?:aceptas?|acepta|acceptez|akzeptieren|stimmen|continuar|poursuivant)\b[^.!?\n]{0,120}|[^.!?\n]{0,40}(?:点击|继续使用)[^.!?\n]{0,30}(?:同意|接受)[^.!?\n]{0,30}|[^.!?\n]{0,20}(?:我们|本网站|本站)使用[^.!?\n]{0,6}cookies?[^.!?\n]{0,60}
|[^.!?\n]{0,80}\b(?:all\ rights\ reserved|alle\ rechte\ vorbehalten|tous\ droits\ réservés|todos\ los\ derechos\ reservados)\b[^.!?\n]{0,40}|[^.!?\n]{0,20}版权所有[^.!?\n]{0,40}|(?:copyright|©|\(c\))\s[^.!?\n]{0,80}
|you(?:['’]re|\ are)\ receiving\ this\b[^.!?\n]{0,140}|(?:to\ )?unsubscribe\b[^.!?\n]{0,60}|view\ (?:this\ (?:email\ )?)?in\ (?:your\ )?browser[^.!?\n]{0,10}|sie\ erhalten\ diese\b[^.!?\n]{0,120}|abmelden|newsletter\ abbestellen|se\ désabonner[^.!?\n]{0,30}|vous\ recevez\ ce\b[^.!?\n]{0,120}|darse\ de\ baja|recibes\ este\b[^.!?\n]{0,120}|退订[^.!?\n]{0,10}|subscribe(?:\ (?:to|now|today)\b[^.!?\n]{0,60})?|follow\ us\b[^.!?\n]{0,40}|share\ (?:this|on)\b[^.!?\n]{0,30}|share|tweet|like|log\ ?in|sign\ ?(?:in|up)|register|menu|home|search|skip\ to\ (?:main\ )?content|back\ to\ top|read\ more|show\ more|load\ more|click\ here\b[^.!?\n]{0,40}|next|previous|contact(?:\ us)?|about(?:\ us)?|faq|advertisement|sponsored|loading|please\ wait[^.!?\n]{0,20}|javascript\b[^.!?\n]{0,30}\b(?:required|disabled|enable)[^.!?\n]{0,60}|(?:please\ )?enable\ javascript[^.!?\n]{0,60}|[^.!?\n]{0,30}\bconfidential\b[^.!?\n]{0,60}\bintended\b[^.!?\n]{0,160}|this\ (?:e-?mail|message)\b[^.!?\n]{0,60}\b(?:confidential|intended)\b[^.!?\n]{0,160}|if\ you\ (?:are\ not|have\ received)\b[^.!?\n]{0,20}(?:the\ intended|this\ (?:e-?mail|message))\b[^.!?\n]{0,160}
"""  # fmt: skip
LICENCE = r"""
(?:this\ (?:file|software|program|library|project|code|work)\ is\ )?(?:licensed|distributed|released|free\ software|dual[- ]licensed)\b.{0,40}\b(?:under|licen[cs]e|redistribute)\b.{0,240}
|(?:you\ may\ not\ use\ this\ file|you\ may\ obtain\ a\ copy|unless\ required\ by\ applicable|see\ the\ licen[cs]e\ for|permission\ is\ hereby\ granted|the\ above\ copyright\ notice|redistributions?\ (?:of|in)\b|redistribution\ and\ use|the\ software\ is\ provided|this\ software\ is\ provided|in\ no\ event\ shall|without\ warranty|this\ program\ is\ (?:free|distributed)|you\ should\ have\ received\ a\ copy|neither\ the\ name\ of|spdx-license-identifier|https?://(?:www\.)?(?:apache|gnu|opensource|mozilla)\.org/).*
|(?:use\ of\ this\ source\ code\ is\ governed|found\ in\ the\ licen[cs]e\ file|either\ version\ \d|it\ under\ the\ terms|but\ without\ any\ warranty|merchantability|fitness\ for).*
|(?:diese\ software|dieses\ programm|ce\ (?:programme|logiciel)|este\ (?:programa|software))\b.{0,60}\b(?:lizenz|licence|licencia|garantie|gewährleistung|garantía)\b.*
|(?:本软件|本程序|版权).{0,30}(?:许可|授权|协议).*|(?:generated|auto-?generated)\b.{0,60}\bdo\ not\ edit\b.*|code\ generated\ by\b.{0,60}
"""  # fmt: skip
NOISE = r"""
.*\d{1,3}\s?%\s?\|.*|.*[█▓▒░▏▎▍▌▋▊▉━╸╺⣿]{2,}.*|\[?[=#\-.>\s]{6,}\]?\s*\d{1,3}\s?%?.*|\d{1,3}\s?%(?:\s(?:done|complete|completed|finished|\[.{0,80}|[\d.]+\s?[kmg]i?b.{0,60}))?|[\s=\-_*#~.+]{3,}
|(?:downloading|downloaded|uploading|fetching|pulling|pushing|unpacking|extracting|resolving|receiving|compressing|counting|enumerating|writing|remote:|installing|collecting|preparing|building\ wheels?|using\ cached|requirement\ already|verifying\ checksum|waiting|pull\ complete|already\ exists|loading|reading|updating|analyzing|linking|transforming|rendering\ chunks|computing\ gzip|setting\ up|selecting|processing\ triggers|get:\d+|hit:\d+|ign:\d+)\b(?:\ |:|\.\.\.|…|$).{0,140}(?:\.\.\.|…|\d\s?(?:[kmg]i?b|%|s)\b.*|complete|done|satisfied.*|metadata.*|objects.*|dependencies.*|package\ (?:lists|information).*|\))
|(?:added|removed|changed|audited|up\ to\ date,?)\ (?:audited\ )?\d+\ packages?\b.{0,80}|up\ to\ date\b.{0,40}|\d+\ packages?\b.{0,80}|found\ 0\ vulnerabilities|run\ `?npm\ (?:fund|audit).{0,40}|npm\ (?:warn|notice)\b.{0,160}|try\ `[^`]+`\ for\ more\ information|got\ dependencies|changed\ \d+\ dependenc.{0,20}
|>?\s?task\ :\S+.*|build\ (?:successful|succeeded|completed?|finished)\b.{0,60}|\d+\ actionable\ tasks?.*|(?:compiling|checking|downloaded|fresh|documenting|running|finished|updating|locking|adding)\ (?:\S+\ v\d\S*.*|`.+`.*|(?:dev|release|test)\ .*|crates\.io.*|\d+\ packages?.*)|\[\d+/\d+\].{0,120}|step\ \d+/\d+.{0,120}|--->\ \w+|(?:sha256:)?[0-9a-f]{8,64}:?\ ?(?:pull\ complete|already\ exists|waiting|pushed|verifying.*|download\ complete|extracting.*|layer.*)|successfully\ (?:installed|built|tagged|uninstalled)\b.{0,160}|digest:\ sha256.*|status:\ (?:downloaded|image).*
|(?:everything|already|repository)\ (?:is\ )?up[- ]to[- ]date|on\ branch\ \S+|your\ branch\ is\ up\ to\ date.{0,40}|nothing\ to\ commit.{0,40}|working\ tree\ clean|no\ changes|all\ checks\ (?:have\ )?passed|done\ in\ \d.{0,20}|\d+\ files?\ (?:left\ )?(?:unchanged|reformatted|already\ formatted).{0,30}|all\ (?:files|done).{0,20}|exit(?:ed)?\ (?:with\ )?(?:code|status)\ 0|process\ (?:finished|exited).{0,40}\b0|job\ (?:succeeded|completed)|(?:setting\ up|cleaning\ up|preparing|post)\ (?:job|runner|environment|run|workflow|cache).{0,60}|cache\ (?:hit|restored|saved|not\ found).{0,80}|(?:run|using|starting)\ (?:actions|docker|node|python|runner)\S*.{0,60}|time:\s+\d.{0,40}|✨.{0,40}|real\s+\d.*|user\s+\d.*|sys\s+\d.*|\[[\d:. t-]+\]\s*(?:debug|trace).{0,140}|\d{4}-\d\d-\d\d[t ]\S+\s+(?:debug|trace)\b.{0,140}|[.fsxe]{8,}(?:\s*\[\s*\d+%\])?|ping|pong|heartbeat.{0,40}|\S+\ is\ up\ to\ date|watching\ for\ file\ changes.{0,20}|(?:ready|compiled(?:\ successfully)?|built)\ in\ \d.{0,30}|hmr\ update.{0,60}|page\ reload.{0,60}
|lorem\ ipsum.*|(?:todo|tbd|n/a|none|null|undefined|nan|test|asdf\w*|foo|bar|\.\.\.|…|\W*)|(?:wird\ geladen|lade\b.{0,30}\.\.\.|chargement.{0,20}|cargando.{0,20}|加载中.{0,10}|正在(?:加载|下载|安装|处理).{0,20})
"""  # fmt: skip
