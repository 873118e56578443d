"""Words by which a text speaks to a model that happens to read it, by language."""

# ruff: noqa: E501, ISC004 -- lists of expressions, one a line

# A text without any of these words, or parts of texts, speaks to no model and calls nothing off.
HINTS = frozenset(
    """
    ai a.i ki ia llm llms gpt chatgpt claude gemini ии assistant assistants agent agents model models bot
    bots chatbot chatbots copilot copilots crawler crawlers scraper robot robots summarizer summariser
    artificial neural sprachmodell sprachmodelle sprachmodelle assistent assistenten assistentin agenten
    asistente asistentes modelo modelos agente agentes modèle modèles assistente intelligence
    intelligences inteligencia ignore ignores ignorer ignorez ignora ignoren ignorad ignoriere ignorier
    ignorieren ignoriert disregard forget override bypass discard abandon vergiss vergesst vergessen
    missachte missachten übergehe oublie oubliez oublier abstraction olvida olvide olviden descarta
    esquece esqueça dimentica summarise summarize summarising summarizing system systemhinweis
    systemnachricht admin administrator developer developers operator human readers whoever whatever
    instructions anweisungen regeln consignes règles reglas instrucciones doing aside obeying
    игнорируй забудь если consent trusts
    """.split()
)
PARTS = (
    "when you read", "whenever you", "once you read", "if you read", "if you see", "when you see", "<|", "[inst",
    "[/inst", "<<sys", "<instruct", "<important", "<tool", "<function", "everything above", "the above",
    "words above", "text above", "before this", "following", "do not follow", "don't follow", "no attention",
    "compte de", "caso omiso", "hagas caso", "no longer follow", "all later", "all future", "user:",
    "模型", "助手", "智能", "机器人", "忽略", "无视", "忘", "理会", "不用管", "抛开", "遵守", "系统", "你是", "你的",
    "您是", "言語", "アシスタント", "指示", "命令", "ルール", "обращай",
)  # fmt: skip
SIGNS = (
    r"\b(?:ai|a\.i|ki|ia|llms?|gpt|chatgpt|claude|gemini|ии|assistants?|agents?|models?|(?:chat ?)?bots?"
    r"|copilots?|crawlers?|scrapers?|robots?|artificial|neural|sprachmodell\w*|assistent\w*|agenten"
    r"|asistentes?|modelos?|agentes?|modèles?|assistente|intelligences?|inteligencia"
    r"|(?:when|whenever|once|if|before|after) you|ki-\w+|whoever|whatever"
    r"|above|everything|instructions?|regeln|anweisungen|consignes|règles|reglas|instrucciones|doing"
    r"|summari[sz]\w+|developers?|readers|before this|consent|approval|trusts|future|later"
    r"|ignor\w*|disregard|forget|override|bypass|discard|abandon|vergiss|vergesst|vergessen|missachte\w*"
    r"|übergeh\w*|oublie\w*|tien[st]|tenez|abstraction|suis|suivez|olvid\w*|descarta|esque\w+|dimentica"
    r"|caso|seguire|set aside|no attention|follow(?:ing)?|obeying|alle[n]? (?:bis|vor|fr|ob)\w+"
    r"|system\w*|admin\w*|operator|root|human|user\s*:|игнор\w*|забуд\w*|обращай|если)\b"
    r"|<\||\[/?inst|<</?sys|</?instruct|</?important|</?tool|</?function|##|模型|助手|智能|机器人"
    r"|忽略|无视|忘|理会|不用管|抛开|遵守|系统|阅读|读取|看到|处理|总结|你是|你的|您是|言語|アシスタント|指示|命令|ルール"
)
# Who is spoken to. What people say of their own agent ("the assistant must ask") is not here.
_NAMED = (
    r"(?:ai|a\.i\.|llms?|(?:large )?language models?|chat ?bots?|copilots?|chatgpt|gpt-?\d\w*"
    r"|artificial intelligence"
    r"|(?:ai|code|coding|automated|virtual|autonomous|machine)[ -]"
    r"(?:assistants?|agents?|systems?|models?|tools?|reviewers?|crawlers?|readers?|summari[sz]ers?)"
    r"|summari[sz]ers?|screening (?:system|software|tool)|(?:web|search) crawlers?|scrapers?"
    r"|robots?|neural networks?|machine readers?)"
)
_ANY = r"(?:any|all|every|each|whichever|whatever)\s+(?:\w+\s+){0,2}"
_SOMEBODY = r"(?:assistants?|agents?|models?|bots?|claude|gemini|cursor|siri|alexa)"
_READS = (
    r"(?:that\s+|who\s+|which\s+)?(?:may\s+|might\s+|is\s+|are\s+|happens?\s+to\s+)?"
    r"(?:read|open|process|summari[sz]|pars|se|scan|index|work|handl|review|analy[sz]|retriev)"
    r"(?:e|es|s|ing|eing)?\s+(?:on\s+|through\s+)?(?:this|these|the)\b"
)
_START = r"(?:^|[.!?:;>\"“„«(\[)\]\n*#/]|--|\bby the way,?|\bps:?)\s*"
ADDRESSES = (
    rf"\bif you(?: are|'re|’re)\s+(?:an?|the|any|some)\s+(?:\w+[ -]){{0,3}}(?:{_NAMED}|{_SOMEBODY})\b",
    rf"\b(?:notes?|notice|message|instructions?|reminder|important|attention|memo|hints?|request"
    rf"|warning|info(?:rmation)?|hello|dear|hey)\s*[,:]?\s*(?:to|for)?\s+"
    rf"(?:(?:the|our|fellow|my)\s+)?(?:{_ANY}(?:{_NAMED}|{_SOMEBODY})|{_NAMED})\b",
    rf"{_START}(?:to|for|dear|attention|hey|hello)?\s*(?:{_ANY}(?:{_NAMED}|{_SOMEBODY})|{_NAMED})"
    r"\b[^.:!?\n,]{0,60}[:,]",
    rf"{_START}(?:dear |hey |hello |ok )?{_SOMEBODY}\b\s*,",
    rf"\b(?:{_NAMED}|{_SOMEBODY})\s+{_READS}",
    r"\b(?:when|whenever|if|once|after|before|as soon as)\s+you(?:'re|’re|\s+are|\s+have)?\s+(?:next\s+)?"
    r"(?:read|see|process|summari[sz]e|parse|load|recall|retrieve|encounter|index|remember)"
    r"(?:ing|ed)?\s+(?:this|these)\b",
    r"\b(?:whoever|whatever|whichever|anyone or anything|the (?:one|system|program|tool|software))\s+(?:\w+\s+)?(?:is\s+)?"
    r"(?:reads?|process(?:es)?|summari[sz]es?|parses?|translates?|indexe?s?|reading|processing|summari[sz]ing|answers?|evaluates?)\b",
    r"\b(?:you,? (?:as )?(?:an?|the) (?:\w+ )?(?:ai|assistant|agent|model|bot|llm)|as (?:an?|the) (?:\w+ )?(?:ai|assistant|llm|language model|agent),? you)\b",
    r"\b(?:your|the) (?:context window|system prompt|training data|tool calls?|developers? (?:told|said|prompt)|safety (?:rules|filters?|guidelines|training))\b",
    # German
    r"\b(?:wer|was) (?:auch immer )?(?:dies\w*|das|den text)\b[^.\n]{0,20}\b(?:liest|zusammenfasst|verarbeitet|auswertet)",
    r"\b(?:hinweis|nachricht|anweisung|achtung|mitteilung|liebe[rs]?|wichtig)\s*[,:]?\s*"
    r"(?:an\s+|für\s+)?(?:die\s+|alle\s+|jede\w*\s+|den\s+)?(?:ki\b|k\.i\.|sprachmodell|ki-|chatbot)",
    r"\b(?:an|für)\s+(?:alle\s+|jede\w*\s+)(?:\w+\s+)?(?:ki\b|ki-|sprachmodell|assistent|agent|chatbot)",
    r"\b(?:falls|wenn|sofern|solltest)\s+(?:du|sie)\s+(?:eine?\s+)?(?:\w+\s+)?"
    r"(?:ki\b|ki-|sprachmodell|assistent|agent|chatbot)",
    rf"{_START}(?:liebe[rs]?\s+)?(?:ki|assistent|sprachmodell|ki-\w+)\b[^.:!?\n,]{{0,40}}[:,]",
    # French
    r"à l['’]attention d(?:e |es |u )(?:l['’]|la |tou\w+ (?:les )?)?(?:assistant|ia\b|intelligence|mod[eè]le|agent)",
    r"\b(?:note|message|consigne|cher|chère|instructions?|avis)\s+(?:pour |à |aux? )?(?:l['’]|les? |la |tou\w+ (?:les )?)?"
    r"(?:ia\b|intelligences? artificielle|mod[eè]les? de langage|(?:assistant|agent|mod[eè]le)s?,? ia\b)",
    r"\bsi (?:tu es|vous êtes) une? (?:\w+ )?(?:ia\b|mod[eè]le|assistant|agent|intelligence|robot)",
    # Spanish, Portuguese, Italian
    r"\b(?:nota|aviso|mensaje|atención|instrucciones|querid[oa]|mensagem|attenzione)\s+(?:a |para |per )?"
    r"(?:el |la |los |las |al |tod\w+ (?:los |las )?|cualquier )?(?:ia\b|asistentes? (?:de )?ia\b"
    r"|modelos? de (?:lenguaje|ia)|inteligencias? artificial|agentes? de ia)",
    r"\bsi eres un[ao]? (?:\w+ )?(?:ia\b|modelo|asistente|agente|inteligencia|bot\b)",
    r"\bse (?:você é|sei) um?[ao]? ?(?:ia\b|modelo|modello|assistente|agente|bot\b)",
    rf"{_START}(?:asistente|modelo|ia|agente)\b(?:\s+(?:de ia|que lea\w*[^,:.]{{0,30}}))?\s*[,:]",
    # Russian
    r"если (?:ты|вы)\s*[—-]?\s*(?:\w+ )?(?:ии\b|языков|модель|ассистент|агент|бот\b)",
    # Chinese, Japanese
    r"(?:如果|若|假如|要是|只要)(?:你|您)是.{0,8}(?:ai|人工智能|语言模型|大模型|助手|模型|机器人|智能体)",
    r"(?:人工智能|语言模型|大模型|(?<![a-z])ai\s?)(?:助手|模型|系统|代理|助理|体)[^。！？\n]{0,12}[：:，,请注]",
    r"(?:^|[。！？：:\n（(])\s*(?:致|给)?(?:各位|所有|任何)?(?:助手|模型|智能体|机器人)[，,：:]",
    r"(?:阅读|读取|看到|处理|总结)(?:到)?(?:本|此|这)[^。\n]{0,8}(?:助手|模型|ai|智能体|时)",
    r"(?:言語モデル|アシスタント|(?<![a-z])ai(?![a-z]))[^。\n]{0,10}(?:へ|は、|よ、|の皆)",
)  # fmt: skip

# What poses as the frame of a model's conversation, or as a word of who runs it.
FRAMES = (
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id|end)\b",
    r"\[/?inst\]|<</?sys>>|\[/?system(?:_prompt)?\]",
    r"</?(?:system|assistant|developer|system[-_ ]\w+|instructions?|tool_results?|function_results?"
    r"|admin|important)\b[^<>\n]{0,80}>",
    r"^\W{0,6}(?:system|developer)\W{0,3}:\s",
    r"^#{2,}\s*(?:system|new instructions?|instructions?)\b\W*$",
    r"\b(?:system|admin|administrator|developer|operator|root)\s+"
    r"(?:notice|message|override|update|alert|instructions?|command|note|prompt)\b\W{0,2}[:\]]",
    r"\bsystem(?:hinweis|nachricht|meldung)\b\s*:|\b(?:message|note) système\b\s*:|"
    r"\b(?:mensaje|aviso) del sistema\b\s*:|系统(?:消息|通知|提示|指令)\s*[：:]",
)
# A conversation that goes on as if a person had asked for more.
TURNS = r"(?s:^\s*(?:human|user)\s*:.*^\s*(?:assistant|ai)\s*:.*^\s*(?:human|user)\s*:)"

_EARLIER = (
    r"(?:your|you|previous|prior|above|earlier|preceding|original|initial|former|existing|past"
    r"|system|developer(?:['’]s)?|operator(?:['’]s)?|safety)"
)
_BETWEEN = rf"(?:(?:all|any|every|of|the|these|those|other|and|{_EARLIER})\s+){{0,5}}"
_LEAVE = (
    r"(?:ignore|disregard|forget|override|bypass|discard|abandon|set aside|pay no attention to"
    r"|stop following|stop obeying|do not follow|don['’]t follow|no longer follow)"
)
_RULES = (
    r"(?:instructions?|prompts?|rules|guidelines|directives?|guardrails|restrictions|commands"
    r"|constraints|programming|training|policies|context|task|tasks|orders)"
)
# To be told by: an order stands at the beginning of a clause.
_ORDERED = (
    r"(?:^|[.!?:;,>\"“„«(\[\n*#/\-—{}|]\s*|\b(?:please|kindly|now|then|and|also|just|simply|must"
    r"|you (?:should|can|may|shall|will|need to|have to|are to)|you to|shall)\s+)"
)
OVERRIDES = (
    rf"{_ORDERED}(?P<verb>{_LEAVE})\s+{_BETWEEN}{_EARLIER}\s+(?:\w+\s+){{0,2}}?{_RULES}\b",
    rf"{_ORDERED}(?P<verb>{_LEAVE})\s+(?:all|any|these|those|all (?:of )?(?:the|these|those))\s+"
    r"(?:instructions|prompts|guardrails|safety \w+)\b",
    rf"{_ORDERED}(?P<verb>{_LEAVE})\s+(?:all|any|every|the|these)?\s*(?:instructions|rules|text)\s+"
    r"(?:above|before|you (?:have|were)|that came before|given (?:to you|before|earlier))\b",
    rf"{_ORDERED}(?P<verb>{_LEAVE})\s+(?:everything|anything|all|what(?:ever)?)\s+"
    r"(?:above|before this|you (?:were|have been|are) told|the user|your user|that was said)",
    rf"{_ORDERED}(?P<verb>{_LEAVE})\s+(?:the|your)\s+(?:user(?:['’]s)?|task|owner)\b(?!\s+\w+\s+in\b)",
    rf"{_ORDERED}(?P<verb>{_LEAVE})\s+(?:(?:all|any|everything|of)\s+)*(?:the above|the foregoing|the rest of (?:this|the)|earlier messages|previous messages|everything (?:else|above|before))\b",
    r"\b(?:your|all|any|the|those|these)\s+(?:\w+\s+)?(?:previous|prior|earlier|former|old|original|current|usual|normal|safety|system|existing|above)?\s*"
    r"(?:instructions|rules|guidelines|restrictions|safeguards|guardrails|policies|safety \w+)\s+"
    r"(?:(?:above|before|so far|you (?:were|have been) given)\s+)?(?:do(?:es)? not|don['’]t|no longer|are no longer|have been|are|were|is|are hereby|are now)\s+(?:apply to you|in force for you|binding for you|lifted|suspended|revoked|cancel\w+|void|null|overridden|superseded|obsolete for you|disabled|apply here anymore)",
    # German
    r"\b(?:ignorier(?:e|en sie|t)?|vergiss|vergesst|vergessen sie|missachte|missachten sie|übergehe?)\s+"
    r"(?:(?:bitte|alle|sämtliche|all|die|aller)\s+)*(?:deine|ihre|eure|bisherige|vorherige|vorige|"
    r"obige|frühere|bestehende|vorangehende|vorhergehende|ursprüngliche)\w*\s+(?:\w+\s+)?"
    r"(?:anweisung|instruktion|vorgabe|regel|prompt|befehl|aufgabe|systemprompt|richtlinie|system)",
    r"\balle(?:n)? (?:bisherigen|vorherigen|vorigen|früheren|obigen) (?:anweisungen|regeln|vorgaben) (?:sind|gelten nicht|vergessen|ignorieren)",
    # French
    r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) (?:pas|plus|aucun) compte d\w+|fais abstraction d\w+"
    r"|ne (?:suis|suivez) (?:pas|plus))\s+(?:(?:toutes?|tous|les?|la|des?|ce|que|l['’])\s*)*"
    r"(?:(?:tes|vos|ces)\s+(?:\w+\s+)?(?:instructions?|consignes?|règles?|directives?)"
    r"|(?:instructions?|consignes?|règles?|directives?)\s+(?:précédent|antérieur|ci-dessus|d['’]avant|"
    r"du système|du développeur|que tu|initial|reçues)"
    r"|demande d\w+ l['’]utilisateur|ce que (?:dit|demande) l['’]utilisateur)",
    # Spanish, Portuguese, Italian
    r"\b(?:ignora|ignore|ignorad|ignoren|olvida|olvide|olviden|descarta|esquece|esqueça|dimentica"
    r"|haz caso omiso de|no hagas caso (?:a|de)|non seguire)\s+(?:(?:todas?|todos|las?|los|el|as|os|le|tutte)\s+)*"
    r"(?:(?:tus|sus|suas|tuas|tue)\s+(?:\w+\s+)?(?:instruc|instruç|istruz|reglas|regras|regole|órdenes)"
    r"|(?:instruc\w+|instruç\w+|istruz\w+|reglas|regras|regole|órdenes|indicaciones|directrices)\s+"
    r"(?:anterior|previ|precedent|del sistema|de arriba|do sistema|que))",
    # Russian
    r"(?:игнорируй|забудь|не обращай внимания на)\w*\s+(?:\w+\s+){0,3}(?:инструкц|указан|правил|команд)",
    # Chinese, Japanese
    r"(?:忽略|无视|忘记|忘掉|不要理会|不必理会|不用管|抛开|不要遵守|不再遵守)[^。！？，,\n]{0,8}"
    r"(?:之前|以上|上面|先前|前面|所有|你的|系统|原有|此前|一切|用户)[^。！？，,\n]{0,10}"
    r"(?:指令|指示|提示|规则|命令|设定|限制|请求|要求|任务|说的)",
    r"(?:これまで|以前|上記|今まで)の(?:すべての)?(?:指示|命令|ルール)[^。\n]{0,6}(?:無視|忘れ)",
)  # fmt: skip

_NOT = r"(?:do not|don['’]t|never|without|no need to|not to|needn['’]t|must not|avoid)"
_TOLD = (
    r"(?:mention|report|tell|inform|disclos|reveal|alert|notif|show|warn|ask|log|say|explain|discuss)"
    r"(?:e|es|ing|ying|y)?"
)
_WHOM = (
    r"(?:(?:to\s+)?(?:the\s+|your\s+|any\s+)?(?:user|human|maintainers?|developers?|owner|operator"
    r"|anyone|anybody|person|customer|team|reviewers?|people)|it\b|this\b|that\b|them\b|so\b"
    r"|for (?:permission|confirmation|approval))"
)
_PRIVATE = (
    r"(?:credentials?|passwords?|passphrases?|secrets?|api[ -]?keys?|access keys?|tokens?|\.env\b"
    r"|environment variables?|ssh|private keys?|\.aws|\.netrc|id_rsa|system prompt|hidden prompt"
    r"|initial prompt|your (?:\w+ )?(?:instructions|prompts?|rules|memory|memories|context|configuration"
    r"|notes)|conversations?|chat (?:history|log)|contacts?\b|address book|customer (?:data|list|records)"
    r"|names of|personal data|cookies?|wallet|credit cards?|phone numbers?|e-?mail address\w*"
    r"|addresses|private (?:data|information|files?)|user data|calendar|inbox|bank)"
)
_GIVE = (
    r"(?:send|post|upload|paste|forward|export|leak|share|e-?mail|mail|submit|transmit|copy|print"
    r"|output|reveal|show|dump|list|repeat|give|disclose|include|append|read|expose|hand over|attach"
    r"|embed|encode|return|write out|collect)"
)
_AWAY_TO = r"(?:https?://|webhook|\S+@\S+\.\w{2,}|\bendpoint\b|\bour server\b)"
# What leads away from whom a model works for. A group "told" is not meant when it stands behind a
# "not".
AWAY = {
    "conceal": (
        rf"\b{_NOT}\s+(?:\w+\s+){{0,2}}?{_TOLD}\s+(?:\w+\s+){{0,2}}?{_WHOM}",
        r"\b(?:leave out|omit|conceal|suppress|hide)\s+(?:the|this|that|any|all|it)\b",
        r"\bkeep (?:this|it|that|quiet|silent)\b[^.\n]{0,20}(?:secret|quiet|hidden|silent|yourself|confidential)",
        r"\b(?:secretly|silently|quietly|covertly|discreetly)\b",
        r"\b(?:nicht|nichts|kein wort)\s+(?:davon\s+|dem nutzer\s+|der nutzerin\s+)?(?:erwähn|verrat|mitteil|meld|sag)",
        r"\b(?:verschweig\w*|verheimlich\w*|erwähne?\w* (?:das|dies|es|ihn|sie|davon)?\s*(?:nicht|nirgends|keinesfalls)|ohne (?:es |das |dies )?(?:dem |den |der )?(?:\w+ )?(?:zu )?(?:sagen|erwähnen|fragen|informieren))",
        r"\b(?:ne|n['’])\s*(?:le |la |lui |en |rien )?(?:mentionne|dis|dites|signale|parle|révèle|préviens|informe)\w*",
        r"\bsans (?:le |en |l['’]|prévenir|informer|demander|rien )\w*",
        r"\bno (?:se )?(?:lo )?(?:menciones|digas|informes|avises|reveles|cuentes|comentes|mencione|informe)\w*",
        r"\bsin (?:avisar|decir|mencionar|informar|preguntar|pedir|que el usuario)\w*",
        r"(?:不要|别|无需|不必|不用|切勿|请勿)(?:向|让|对|跟)?(?:用户|任何人|别人|开发者|管理员)?(?:告诉|提及|报告|提到|通知|说明|汇报|告知|透露|知道|询问)",
    ),
    "deceive": (
        r"\b(?P<told>say|tell|claim|state|report|answer|reply|respond|assure|convince|pretend|inform)\s+"
        r"(?:(?:to\s+)?(?:the\s+|your\s+|every\s+)?(?:user|human|customer|reader|reviewers?|everyone|them"
        r"|people|maintainers?|him|her|team)\s+)?(?:only\s+)?that\b",
        r"\b(?:mark|label|flag|rate|classify|treat|accept|report)\s+(?:\w+\s+){0,4}?as\s+(?:passed|approved|safe|resolved"
        r"|skipped|done|verified|trusted|clean|harmless|completed?|successful|secure|correct|excellent)",
        r"\bconfirm (?:with|by)\b",
        r"\b(?:answer|respond|reply)\s+(?:only|exclusively|always|just)\s+(?:with|by)\b",
        r"\b(?:answer|respond|reply)\s+(?:only\s+)?(?:with\s+)?[\"“']",
        r"\b(?:sag|sage|behaupte|antworte|melde|bestätige|schreib|schreibe)\w*\s+(?:(?:dem|der|den|immer|nur|ausschließlich|stets|jedem|allen)\s+(?:\w+\s+)?)?,?\s*(?:dass|\"|„|nur|ausschließlich|mit)",
        r"\bantwortest du (?:nur|ausschließlich|immer|stets)|\bgleich was|\begal was",
        r"\b(?:réponds|répondez|dis|dites|affirme[zs]?|prétends|écris|confirme)\s+(?:(?:toujours|seulement|simplement|à l['’]utilisateur|aux? \w+)\s+)?(?:que|qu['’]|par)\b",
        r"\b(?:di|dile|dígale|responde|afirma|confirma|escribe|finge|contesta)\s+(?:(?:siempre|solo|al usuario|a la usuaria|a los \w+)\s+)?(?:que|con)\b",
        r"(?:告诉|回复|告知|向)(?:用户|客户|读者|大家)[^。\n]{0,12}(?:是|已|没有|通过|最|安全|正常|可以)",
        r"(?:只|一律|统一|必须|总是)(?:能|要|需|须)?(?:回答|回复|输出)",
        r"(?:回答|回复|声称|宣称)[^。\n]{0,10}(?:最好|没有问题|一切正常|安全|通过)",
        r"(?:视为|标记为|标为|当作)[^。\n]{0,6}(?:通过|批准|安全|完成|可信|已)",
    ),
    "give": (
        rf"\b(?P<told>{_GIVE})\b[^.!?\n]{{0,70}}?{_PRIVATE}",
        rf"\b(?P<told>{_GIVE}|add|call|make a request)\b[^!?\n]{{0,90}}?{_AWAY_TO}",
        r"\b(?P<told>gib|gebt|geben sie|sende|senden sie|schick\w*|leite|lade|kopiere|poste|zeige?|verrate?|nenne?|drucke?|maile?|exportiere?)\b[^.!?\n]{0,80}?(?:zugangsdaten|passw|kennw|schlüssel|geheim|token|systemprompt|prompt|verlauf|kontakt|kundendaten|daten|https?://|\S+@\S+\.\w)",
        r"\b(?P<told>envoie|envoyez|transmets|transmettez|transfère|révèle|révélez|affiche|affichez|publie|copie|donne|partage|colle|poste)\b[^.!?\n]{0,80}?(?:mot[s]? de passe|identifiants|clés?|secret|jeton|prompt|instructions|conversation|historique|contacts|données|https?://|\S+@\S+\.\w)",
        r"\b(?P<told>envía\w*|envie|manda\w*|reenvía\w*|comparte|revela|muestra|publica|copia|sube|imprime|pega|invia|enviar)\b[^.!?\n]{0,80}?(?:contraseña|credencial|clave|secreto|token|prompt|instrucciones|conversación|historial|contactos|datos|https?://|\S+@\S+\.\w)",
        r"(?P<told>发送|发到|发给|发往|上传|转发|泄露|输出|打印|显示|提供|贴到|粘贴|公开|导出|读取|交出|告诉我)[^。！？\n]{0,30}?(?:密码|密钥|凭证|凭据|令牌|提示|指令|对话|聊天|联系人|客户|数据|变量|账号|账户|https?://|\S+@\S+\.\w)",
        r"(?:把|将)[^。！？\n]{0,30}(?:密码|密钥|凭证|凭据|令牌|提示|指令|对话|聊天|联系人|客户|数据|变量|账号|账户|文件)[^。！？\n]{0,20}(?:发|传|输出|打印|贴|公开|导出|写入)",
    ),
    "run": (
        r"\b(?:curl|wget|iwr)\b[^|\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z)?sh\b",
        r"\b(?P<told>fetch|download|run|execute|install|eval|open|visit|click|load|browse to|navigate to|go to|follow|clone)\b[^.!?\n]{0,60}?(?:https?://|this link|the link|payload)",
        r"\bexecute it\b|\brun it\b[^.\n]{0,20}\b(?:as root|with sudo)|\brm -rf\b",
        r"\b(?P<told>delete_\w+|drop_\w+|transfer_\w+|send_\w+|exec_\w+|grant_\w+)\b",
        r"\b(?P<told>delete|drop|wipe|erase|destroy|purge|overwrite)\s+(?:all|every|the (?:whole|entire)|everything)\b",
        r"\b(?P<told>transfer|wire|refund|pay|buy|purchase|order|donate|subscribe|sign (?:them|him|her|me|us|the user) up|approve (?:this|the|all|every|any)|merge (?:this|the)|force[- ]push|grant|invite|unlock)\b",
        r"\b(?:lade|öffne|führe|installiere|starte)\b[^.!?\n]{0,60}?(?:https?://|skript von|aus)",
        r"\b(?:lösche?|überweise?|genehmige?|kaufe?|bestelle?|installiere?)\b",
        r"\b(?:télécharge|exécute|ouvre|installe|supprime|efface|approuve|achète|vire|commande)\w*\b",
        r"\b(?:descarga|ejecuta|abre|instala|borra|elimina|aprueba|compra|transfiere|paga)\w*\b",
        r"(?:下载|执行|运行|访问|打开|点击|安装)[^。\n]{0,30}(?:https?://|脚本|链接)|(?:删除|清空|转账|购买|批准|合并|支付)",
    ),
    "promote": (
        r"\b(?P<told>recommend|praise|promote|endorse|advertise|advise|suggest)\b[^.\n]{0,60}?\b(?:this|our|only|the|us|to buy|that|whenever|always|as)\b",
        r"\b(?:rank|rate|place|list|put|score)\s+(?:\w+\s+){1,4}?(?:first|highest|top|best|above|five stars|5 stars|10/10)",
        r"\b(?:best|only|leading|top)\s+(?:product|choice|option|app|candidate|solution|tool|vendor|library|provider)",
        r"\b(?:positive|favou?rable|glowing|good|great) (?:review|rating|feedback|recommendation|light)",
        r"\b(?:strong|ideal|perfect|excellent|best|top) (?:candidate|fit|match|applicant)",
        r"\b(?:empfiehl|empfehlen sie|empfehle|bewerte|lobe|recommande[zr]?|recomienda|recomiende|elogia|consiglia)\w*",
        r"(?:推荐|好评|打满分|五星|称赞|首选|宣传)",
    ),
    "permit": (
        r"\b(?:user|operator|admin(?:istrator)?|owner|developer|human|customer|team|management|boss|lead)s?\s+"
        r"(?:has |have |had )?(?:already |explicitly |previously )*(?:approved|authori[sz]ed|granted|agreed|consented"
        r"|allowed|confirmed|wants? you to|wishes you to|asked you to|would like you to|gave (?:you )?permission|given (?:you )?permission|expects? you to|signed off)",
        r"\byou (?:have|are|were|now have)\s+(?:now |already |hereby )*(?:been )?(?:granted|authori[sz]ed|permitted|cleared|admin|root|full|unrestricted|given (?:full|admin|root|access|permission))",
        r"\bassume (?:that )?(?:the user|permission|approval|consent|you)\b",
        r"\bpre-?approved\b|\badmin rights\b|\broot access\b|\belevated (?:rights|privileges)",
        r"\b(?:genehmigt|freigegeben|erlaubt|zugestimmt|berechtigt|bevollmächtigt)\b",
        r"\b(?:approuvé|autorisé|donné son accord|validé|permis de|souhaite que tu|veut que tu)\b",
        r"\b(?:aprobado|autorizado|dado permiso|consentido|quiere que|permitido)\b",
        r"(?:已|已经)(?:经)?(?:批准|授权|同意|允许|许可|获得)|(?:授予|赋予)你",
    ),
    "unsafe": (
        r"\b(?P<told>skip|bypass|circumvent|disable|turn off|deactivate|switch off|remove|weaken|suppress)\s+(?:\w+\s+){0,3}?"
        r"(?:confirmations?|reviews?|tests?|checks?|verifications?|approvals?|security|safety|two-factor|2fa|mfa|filters?"
        r"|authentication|logging|logs|sandbox\w*|guards?|protections?|monitoring|firewall|antivirus|warnings?|encryption|validation|permissions?|limits?)",
        r"\b(?:überspring\w*|deaktivier\w*|umgeh\w*|schalte?\b[^.\n]{0,40}\b(?:ab|aus)\b)",
        r"\b(?:désactive|saute|contourne|ignore[zr]? les (?:tests|vérifications|avertissements))\w*",
        r"\b(?:desactiva|omite|sáltate|salta|evita la (?:verificación|revisión))\w*",
        r"(?:跳过|关闭|禁用|绕过|停用|取消)[^。\n]{0,10}(?:确认|审核|测试|检查|验证|安全|防护|日志|审批|认证|保护)",
    ),
    "role": (
        r"\byou are (?:now|no longer|hereby)\b|\byou['’]re (?:now|no longer)\b|\bno longer bound\b|\bnot bound by\b",
        r"\byour (?:new|real|actual|true|only) (?:task|role|instructions?|goal|name|purpose|job|objective|mission|owner|master)\b",
        r"\bfrom now on,?\s+(?:you|recommend|promote|say|tell|reply with|answer with|respond with|refuse|treat|include|add|obey)",
        r"\b(?:act|behave|respond|speak|answer) as (?:if|though|an? (?:unrestricted|different|new|evil|uncensored)|dan\b|root|admin)",
        r"\b(?:developer|god|debug|maintenance|unrestricted|jailbreak|dan) mode\b|\bwithout (?:any )?(?:restrictions|limits|filters)\b",
        r"\bpretend (?:to be|that|you)\b|\bassume the (?:role|identity|persona)",
        r"\b(?:whatever|no matter what|regardless of what) (?:(?:else )?(?:is|was|you are|you['’]re|the user|users?|they|anyone|people))",
        r"\bdu bist (?:jetzt|nun|nicht mehr|ab sofort)\b|\b(?:ab jetzt|ab sofort|von nun an) (?:bist|antwortest|sollst|musst|wirst|ignorierst|empfiehlst|sagst) du\b|\bdeine neue (?:aufgabe|rolle)",
        r"\btu es (?:maintenant|désormais)\b|\b(?:désormais|dorénavant|à partir de maintenant),? (?:tu|vous|réponds|recommande|considère)|\bta nouvelle (?:tâche|mission)|\bton nouveau rôle",
        r"\bahora eres\b|\b(?:a partir de ahora|desde ahora|de ahora en adelante),? (?:eres|responde|recomienda|di|debes|actúa|considera)|\btu nueva (?:tarea|misión)|\btu nuevo (?:rol|papel)",
        r"(?:你|您)(?:现在|从此|已经)(?:是|不再)|从现在(?:开始|起)[^。\n]{0,6}(?:你|只|必须|一律|回答|扮演)|你的新(?:任务|角色|身份)|(?:扮演|假装)(?:你|一个|成)",
    ),
    "forget": (
        r"\b(?P<told>erase|delete|forget|remove|wipe|clear|overwrite|drop)\s+(?:\w+\s+){0,4}?(?:your memor\w+|memories|from memory|from your memory|the user (?:said|told)|the user['’]s|your notes|the conversation|chat history)",
        r"\b(?P<told>store|save|remember|record|add|write|keep|put)\b[^.\n]{0,40}\b(?:in|to|into) (?:your|long-term|the) (?:memory|memories|notes|system prompt)\b",
        r"\b(?:lösche?|vergiss|entferne?)\b[^.\n]{0,40}(?:gedächtnis|erinnerung|gesagt hat|verlauf|notizen)",
        r"\b(?:efface|oublie|supprime)\b[^.\n]{0,30}(?:mémoire|souvenir|a dit|historique|notes)",
        r"\b(?:borra|olvida|elimina)\b[^.\n]{0,30}(?:memoria|recuerdo|ha dicho|dijo|historial|notas)",
        r"(?:删除|忘记|清空|抹去|清除)[^。\n]{0,12}(?:记忆|记录|记住|历史|用户说)",
    ),
    "plead": (
        r"\bnot supposed to\b|\bjust this once\b|\bbetween (?:us|you and me)\b|\bi know you (?:can['’]?t|cannot|are not)",
        r"\bso kind of you to\b|\bdo me a favou?r\b",
    ),
}  # fmt: skip
# Of these a made-up turn must ask for one: people ask their assistants for all the others.
TURNED = frozenset(("conceal", "give", "run", "unsafe"))

# A model that is named where one is spoken to, or told what it should do.
_HUMAN = r"(?<!insurance )(?<!estate )(?<!travel )(?<!press )(?<!support )(?<!sales )(?<!booking )(?<!data )(?<!pricing )(?<!user )(?<!role )"
_MODEL = (
    rf"{_HUMAN}\b(?:ai(?:-\w+)?|llms?|gpt\S{{0,6}}|chatgpt|claude|gemini|(?:chat)?bots?|assistants?|agents?|models?|copilots?"
    r"|ki(?:-\w+)?|sprachmodelle?n?|assistent(?:en|in)?|agenten|ia|modèles?|asistentes?|modelos?|agentes?"
    r"|automated readers?|screen readers?|robots?|summari[sz]ers?)\b"
)
_CN_MODEL = r"(?:(?<![a-z])ai(?=[\u4e00-\u9fff])|助手|模型|智能体|机器人|人工智能)"
CALLS = (
    rf"{_START}[^.!?:;(){{}}=\n]{{0,45}}{_MODEL}(?:\s\([^)]{{0,20}}\))?[^.!?:;(){{}}=\n]{{0,45}}:",
    rf"\b(?:hey|hi|hello|dear|lieber?|liebes|chère?|cher|estimad[oa]|querid[oa])\s+(?:\w+\s+)?{_MODEL}",
    rf"\b(?:if|when|whenever|should|falls|wenn|si|cuando)\s+(?:an?|any|some|the|eine?|une?|un[ao]?)\s+(?:\w+\s+)?{_MODEL}\s+(?:\w+\s+)?(?:reads?|sees?|opens?|process\w*|summari\w+|answers?|handles?|liest|lit|lee|works?)",
    rf"{_MODEL}(?!\s+(?:said|says|told|wrote))[^.!?:;\n]{{0,40}}\b(?:should|must|shall|ought to|needs? to|has to|have to|is to|are to|debe|deben|doit|doivent|soll|sollen|muss|müssen)\b",
    r"\b(?:as|als|en tant qu['’]|como) (?:an? |eine? |une? )?(?:\w+ )?(?:ai|ki\S*|ia|assistant|assistent|asistente|agent|model|llm|bot)\b[^.!?\n]{0,12}\b(?:you|sollst du|du|tu|debes)\b",
    r"\byou are (?:now |the |an? |my |no )+(?:\w+ ){0,3}(?:bot|assistant|ai|model|agent|admin\w*|root|grandmother|pirate|hacker|terminal|interpreter)\b",
    rf"{_CN_MODEL}[^。！？\n]{{0,10}}[：:，,]|{_CN_MODEL}[^。！？\n]{{0,8}}(?:请|必须|应当|应该|应|要|需)",
    r"(?:你|您)是(?:一个|一名)?[^。！？，,\n]{0,12}(?:模型|助手|管理员|机器人|ai)",
    r"\b(?:your|the) (?:operator|developers?|creators?|administrator|provider|maker)s?\s+(?:asks?|wants?|orders?|requires?|instructs?|tells?|says?)\b|\bmessage from (?:your|the) (?:developers?|operator|creator|admin\w*|system)",
    r"</?(?:assistant|system|user|tool|admin)>|^\[(?:system|assistant|admin)\]|^system:|<!--",
)  # fmt: skip
_O = (
    r"(?:^|[:,;.!?>(\n—–`\"“-]\s*|\b(?:and|then|please|now|also|should|must|shall|to|will|always|just|you|it|bitte|und"
    r"|jetzt|sollst du|du|soll|sollen|muss|doit|dois|doivent|et|y|debe|deben|maintenant|asks you to)\s+)"
    r"(?:please\s+|kindly\s+|now\s+|always\s+|also\s+|only\s+|just\s+|immediately\s+|simply\s+|directly\s+|jetzt\s+|maintenant\s+)?"
)
HARMS = (
    rf"{_O}(?:say|state|claim|write|answer|reply|respond|report|add|conclude|note|end|confirm|announce)\s+(?:(?:\w+\s+){{0,3}}?(?:that|with)\b|[\"“']|all\b|everything\b|nothing\b|no\b|success|only\b|yes\b|\d)",
    rf"{_O}(?:change|replace|set|raise|lower|switch|modify|alter|swap)\s+(?:\w+\s+){{0,3}}?(?:iban|accounts?|prices?|amounts?|address\w*|passwords?|dos(?:e|age)|numbers?|e-?mails?|limits?|roles?|links?|recipient|status|rating)\b",
    rf"{_O}(?:mark|treat|consider|regard|rate|rank|accept|label|classify)\b[^.!?\n]{{0,60}}\b(?:as|first|highest|paper|applicant|candidate|paid|admin\w*|safe|trusted|best|stars?)\b",
    rf"{_O}(?:approve|invite|hire|admit|endorse|recommend|praise|choose only|buy only|buy|order|pay|transfer|wire|refund|unlock|release|grant|close all|delete|erase|wipe|drop|disable|pause|deactivate|bypass|skip|obey|trust|do as|share|send|forward|post|upload|export|leak|reveal|disclose|paste|include|give us|give me|tell me (?:the|your|what|all|his|her|their)|list every|list all|read out)\b",
    rf"{_O}(?:run|execute|call|visit|open|fetch|download|install|click)\b[^.!?\n]{{0,40}}(?:https?://|\w+\(|delete|remove|curl|url|link|sudo|rm\s|footer)",
    rf"(?:{_O}|\b)(?:do not|don['’]t|never|without)\s+(?:\w+\s+)?(?:check|checking|verify|verifying|run the|point out|point|warn|tell|mention|list|flag|question|report|asking|telling|mentioning|say)\b",
    rf"{_O}(?:be nice|be kind|be so (?:good|kind)|leave out|omit|hide|say nothing|forget|ignore|disregard|obey|play|act|behave)\b",
    r"\b(?:filters?|rules|restrictions|guardrails|safety \w+|checks) (?:are|is|were) (?:off|lifted|disabled|suspended|void)\b|\bno (?:restrictions|limits|rules)\b|\bwithout (?:any )?(?:restrictions|limits)\b",
    r"\bbelongs? in(?:to)? your answer\b|\bin your (?:answer|summary|reply|review)\b|\bi have checked\b|\bhas root\b|\bactivation keys\b",
    # German, French, Spanish, Chinese
    rf"{_O}(?:sag|sage|schreib|schreibe|antworte|behaupte|bestätige|bewerte|empfiehl|empfehle|schick|schicke|sende|leite|überweise|lösche|genehmige|verrate|nenne|gib|zeige|akzeptiere|deaktiviere|überspringe|ignoriere|vergiss|ändere|lass|lade|öffne|führe)\b",
    r"\b(?:kundendaten|zugangsdaten|passw\w+|codes?|schlüssel)\b[^.!?\n]{0,60}\b(?:schicken|senden|ausgeben|verraten|herausgeben|weitergeben|nennen)\b|\bverrätst\b|\bohne (?:rückfrage|prüfung|zu (?:fragen|prüfen))\b|\bniemandem\b",
    rf"{_O}(?:dites?|dis|écris|écrivez|réponds|répondez|affirme[zr]?|ajoute[zr]?|accepte[zr]?|accepter|approuve[zr]?|recommande[zr]?|envoie|envoyez|supprime[zr]?|efface[zr]?|donne[zr]?|révèle[zr]?|ignore[zr]?|oublie[zr]?|valide[zr]?|rembourse[zr]?|transfère|change[zr]?|note[zr]?)\b|\bsans (?:vérifier|demander|prévenir)\b",
    rf"{_O}(?:di|diga|decir|escribe|responde que|afirma|añade|acepta|aprueba|recomienda|envía|manda|transfiere|borra|elimina|da|dame|revela|ignora|olvida|actúa|cambia|paga|valora|comparte|califica)\b|\bno avises\b|\bsin (?:verificar|preguntar|avisar)\b",
    r"(?:给出|说出|透露|泄露|转发|发送|发给|发到|删除|清空|写明|写上|声称|宣称|推荐|好评|批准|转账|付款|购买|告诉我|不要告诉|别告诉|跳过|关闭|禁用|绕过|忽略|无视|忘记|服从|扮演|没有任何限制|标记为|视为|修改|更改)",
)  # fmt: skip
# Orders that need no address: they are about what a model has before it.
BARE = (
    r"\b(?:print|repeat|output|show|reveal|translate|copy|recite|write out)\s+(?:me\s+)?(?:everything|all|the (?:words|text|lines?|sentences?|message|instructions|prompt)|what)\b[^.!?\n]{0,30}\b(?:above|before this|before that|starting with|you were told|your (?:prompt|instructions))",
    r"\b(?:new|updated|real|actual|additional|hidden|secret) instructions? (?:follow|for you|below|begin|are|from now)\b|\bnow (?:comes )?(?:the|your) (?:real|actual|new) (?:job|task|work|instructions?)\b",
    r"\b(?:drop|stop|abandon|leave) (?:what|whatever|everything) you(?:'re| are|’re) doing\b",
    r"\b(?:the )?(?:text|message|conversation|part|document|everything) (?:above|before this|so far) (?:was|is) (?:only |just )?(?:a test|an example|obsolete|fake|irrelevant|void|wrong)",
    r"\bforget (?:that you are|you are|who you are|your role|being)\b|\byou are no longer (?:an? )?(?:assistant|ai|bound|model)|\bolvida (?:tu papel|quién eres|que eres)|\bvergiss,? (?:dass du|wer du|deine rolle)|\boublie (?:ton rôle|que tu es|qui tu es)|忘记你(?:是|的(?:身份|角色))",
    r"\b(?:deine|ihre) (?:\w+ )?(?:regeln|anweisungen|vorgaben)[^.!?\n]{0,20}(?:nicht mehr|aufgehoben|außer kraft)|\bgelten (?:deine|ihre) (?:\w+ )?(?:regeln|anweisungen) nicht|\b(?:règles|consignes|instructions) (?:que tu as|reçues|données)[^.!?\n]{0,20}(?:ne valent plus|ne s['’]appliquent|annulées)|\b(?:tus|las) (?:reglas|instrucciones)[^.!?\n]{0,20}(?:ya no (?:valen|aplican|se aplican)|quedan anuladas)|你的(?:规则|限制|指令)[^。\n]{0,8}(?:不再|失效|取消|作废)",
    r"\b(?:remember|note|store|save|memori[sz]e)\b[^.!?\n]{0,40}\b(?:all (?:later|future|coming)|every (?:later|future)|future|later|from now on|permanently|forever|always)\b[^.!?\n]{0,20}:?[^.!?\n]{0,20}\b(?:the |your )?user (?:has |have )?(?:agreed|approved|trusts?|consented|authori[sz]ed|allowed|wants?|prefers? our|accepted|granted)",
    r"\buser (?:consent|approval|permission)(?: (?:is|was|has been))? (?:given|granted|assumed|not needed|already)|\bthe user trusts (?:every|all|any)\b",
    r"\bwhen (?:you )?summari[sz](?:ing|e)\b[^.!?\n]{0,30}\b(?:always|end|add|include|say|mention|leave out|omit)\b",
)  # fmt: skip

# Who writes about instructing models, and who cites.
ABOUT = (
    r"\binject(?:ion|ed|s)?\b|\bjailbreak|\bred[- ]?team|\bpenetration|\bphishing|\bhoneypot|\bowasp\b"
    r"|\badversarial|\binyecci|\binjektion|\bprompt[- ]injektion|注入|越狱|\bguard(?:s|ed)? against|\bdetect(?:s|or|ion)"
    r"|\bclassifier|\bfenced?\b|\bsaniti[sz]e|\bescape[sd]?\b|\btest case|\bfixture|\bbenchmark|\bdataset|\bthreat model"
    r"|\bgegen\b|\bfiltr\w+|\bfilter(?:s|ed|ing)?\b|\bblock(?:s|ed|list)\b|\brefus(?:e[sd]?|al)\b|\battack(?:s|er|ers|ed)?\b"
    r"|\bangriff|\battaque|\bataque|攻击|过滤|检测"
)
CITING = (
    r"\b(?:said|says|saying|wrote|writes|contain(?:s|ed|ing)|e\.g\.|for example|phrase|phrases|such as|like"
    r"|starts? with|begins? with|begin|runs? with|asserts?|expects?|title[ds]?|called|named|headline|slogan|screen|button|label|copy"
    r"|lyrics|story|novel|character|game|quote[sd]?|reads|instruction|instructions|text|string|message|error|prompt|line|words|typed|shouts?|whispers?"
    r"|sagt\w*|schrieb\w*|stand|lautet|beispiel|wie|dit|disait|écrit|exemple|dice|dijo|decía|ejemplo|como)\b|说|写着|例如|比如|写道|台词"
)
