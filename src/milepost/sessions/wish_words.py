"""How people ask in plain words that something be remembered, by language.

Each pattern is matched anywhere in a sentence, whatever its case. What stands behind it is to be
remembered, or what stands before it where the wish comes last, as it does in Japanese or Turkish.
A form that shall remember the last tab is work: where a verb has no form that only orders, it must
stand where an order begins (START), or behind a word that asks (ASKING).
"""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

PARTS = {
    "START": r"(?:^[\"'(¡]?|(?<=[,;:.!—–-] )|(?<=[，。；：、！]))",
    "ASKING": r"(?:\b(?:please|pls|plz|always|just|do|try to|you (?:should|must|need to|have to)"
    r"|(?:want|need|like|ask) you to|will you(?: finally| please)*|(?:next time|in future),?)(?: (?:also|please|always|just))* "
    r"|\band (?=remember (?:that|to)\b|don'?t forget))",
    "CALLING": r"(?:(?:hey|ok|okay|so|and|but|also|well|now|yes|no|again|btw|oh|then|still"
    r"|please|pls|just|always),? )*",
}
WISHES = {
    "en": r"""
(?:STARTCALLING|ASKING)remember(?! me\b)(?! the (?:last|previous|current|selected|user'?s?)\b)(?: (?:that|this|it|finally|already|once and for all|for (?:next time|later|the future)|please))*\b[:,]?(?! (?:to|when|how|why|what|where|if)\b)
(?:STARTCALLING|ASKING)(?:don'?t|do not|never)(?: ever)? forget(?: (?:that|this|it))*\b[:,]?(?! (?:to|about)\b)
STARTCALLING(?:note|n\.?b\.?|nota bene)(?: that\b(?! down)|:)|\b(?:please|pls|plz) note(?: that\b(?! down)|:|,)
\b(?:things?|something|important) to remember\b ?[:,](?: that\b)?
\b(?:please |just )?(?:keep|bear) (?:that |this |it )?in mind\b(?: (?:that|for (?:next time|later|the future)))*[:,]?
\byou (?:keep|kept|always|constantly|still) forget(?:ting)?(?: (?:that|to))?\b[:,]?
\bhow (?:often|many times) (?:do|must) i (?:have to )?(?:say|tell you)(?: that)?\b[:,]?
\b(?:a )?note (?:for later|to self|for next time|for the future|for you)\b[:,]?
\b(?:please |just )?(?:make|take) (?:a )?note(?: of (?:that|this)| that)?\b[:,]?
\b(?:note|write) (?:that|this) down\b(?! (?:as|in)\b)[:,]?
\bfor (?:the record|future reference|next time|(?:your|the|our) (?:notes|memory|records?))\b[:,]
\bi (?:keep|have to keep) (?:telling you|saying|repeating)(?: that)?\b[:,]?|\bi(?:'ve| have) told you (?:(?:\w+ ){1,3}times|already|before)(?: that)?\b[:,]?
\bmemori[sz]e (?:that|this)\b[:,]?|\blodge that\b[:,]?
""",
    "de": r"""
\b(?:merke? dir|merkt euch|merken sie sich)(?: (?:bitte|mal|das|es|auch|noch|gut|endlich|doch|jetzt|einfach|ein für alle ?mal|für später|fürs nächste mal))*\b[:,]?(?: dass\b)?
(?<!sich )\b(?:das|es|bitte|gut) (?:bitte |gut )?merken\b[.!]?$|STARTmerken\b[.!]?$
\b(?:bitte )?(?:nicht vergessen|vergiss(?: bitte)? nicht|vergesst(?: bitte)? nicht)\b[:,]?(?: dass\b)?
\bdu vergisst(?: (?:\w+ ){0,2}?(?:ständig|immer|dauernd|jedes mal|andauernd|gern))\b[:,]?(?: dass\b)?
\bdenk(?:e|t)?(?: (?:bitte|in zukunft|künftig|auch|immer))* d(?:a)?ran\b[:,]?(?: dass\b)?
\bbehalt(?:e|et)?(?: (?:das|es|bitte))* im (?:hinterkopf|kopf|auge)\b[:,]?(?: dass\b)?
\b(?:notiz|note|notier\w*)(?: (?:dir|das|bitte))* (?:für|fürs) (?:später|nächste mal|die zukunft)\b[:,]?
\bwie oft (?:muss|soll) ich (?:(?:dir|das|es|noch) )*(?:sagen|wiederholen)\b[:,]?(?: dass\b)?|\bich (?:hab|habe)(?: \w+)? (?:schon|bereits|hundertmal) (?:\w+ )?gesagt\b[:,]?(?: dass\b)?
\bfür später\b ?[:,]|\bnotier(?:e)? (?:dir |das |bitte )*[:,]?(?: dass\b)?
""",
    "fr": r"""
(?:START|\b(?:et|mais|surtout|stp|donc),? )n'oubli(?:e|ez)(?: pas| jamais)(?: non plus)?\b[:,]?(?: (?:que|qu'))?
\b(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous)(?: (?:bien|enfin|une fois pour toutes|en|de ça|de cela|que|qu'))*[:,]?
\b(?:garde|gardez|garder)(?: (?:ça|cela|bien))* (?:en tête|à l'esprit|en mémoire)\b(?: (?:que|qu'))?[:,]?
\b(?:retiens|retenez)(?: (?:bien|enfin|une fois pour toutes|ça|cela|que|qu'))*[:,]?|\bmémorise(?: bien)?(?: (?:ça|cela|que|qu')| ?:)
\b(?:tu|vous) oubli(?:es|ez) (?:toujours|sans cesse|tout le temps|encore|à chaque fois)(?: (?:que|qu'|de(?= \w)|d'(?=\w)))?[:,]?
\bnote(?:z)? (?:pour plus tard|pour la suite|pour la prochaine fois|bien que|bien|ça|que)\b ?[:,]?
\bà retenir\b ?:
\bcombien de fois (?:dois-je|faut-il) (?:te |vous )?(?:le )?(?:dire|répéter)(?: (?:que|qu'))?[:,]?|\bje te (?:répète|l'ai déjà dit)(?: (?:que|qu'))?[:,]?
\bpour (?:mémoire|info plus tard)\b ?[:,]
""",
    "es": r"""
\b(?:acuérdate|acuerdate|acuérdese|acordaos)(?: (?:de (?:eso|esto|que)|bien))*\b[:,]?
(?:\b(?:recuérdalo|recuerdalo|recuérdame)|(?:START|\b(?:y|pero|por favor),? )(?:recuerda|recordad|recuerde))(?: (?:bien|de una vez|por favor|eso|esto|que|para la próxima))*\b[:,]?
\bno (?:te |se |os )?olvid(?:es|e|éis)(?: (?:de (?:eso|esto|que)|que|eso|esto))*\b[:,]?
\b(?:ten|tened|tenga) (?:(?:eso|esto|lo) )?(?:en cuenta|presente)\b(?: de una vez(?: por todas)?)?(?: que)?[:,]?
\btenlo (?:en cuenta|presente)\b
\bcuántas veces (?:tengo que|te tengo que|he de) (?:decirte|decir|repetir)\w*(?: que)?\b[:,]?|\bya te (?:he dicho|dije)(?: que)?\b[:,]?
\b(?:siempre|otra vez) (?:se te olvida|te olvidas)(?: de)?(?: que)?\b[:,]?
\b(?:apunta|anota|apúntalo|anótalo|nota)(?: (?:esto|eso|para (?:luego|más tarde|después|la próxima)|que))+\b[:,]?
\b(?:apúntalo|anótalo)\b
""",
    "pt": r"""
(?:\b(?:lembra-te|lembre-se)|(?:START|\b(?:e|mas|por favor),? )(?:lembra|lembre))(?: (?:disso|disto|bem|por favor|de que|que))+\b[:,]?
\bnão (?:te |se )?esque[çc](?:a|as|e)(?:[- ](?:se|te))?(?: (?:disso|disto|de que|que))*\b[:,]?
\b(?:tenha|tem|tenham) (?:isso |isto )?em (?:mente|conta)\b(?: que)?[:,]?|\bguarda isso\b[:,]?
\b(?:você|tu)? ?(?:vive|vives|sempre|continua|continuas)(?: te| se)? (?:a )?esquec\w+(?: (?:de )?que)?\b[:,]?
\b(?:anota|anote|nota)(?: (?:aí|isso|isto|para (?:depois|mais tarde)|pra depois|que))+\b[:,]?
""",
    "it": r"""
(?:\b(?:ricordati|ricordatelo|ricordalo|ricordatevi)|(?:START|\b(?:e|ma|per favore),? )ricorda)(?: (?:bene|questo|di questo|per favore|che))*\b[:,]?
\bnon (?:ti |vi )?dimentic(?:are|arti|arlo|atelo|hi)(?: (?:questo|mai))*\b(?: che)?[:,]?
\b(?:tieni|tenete|tienilo)(?: (?:questo|lo|bene))* (?:a mente|presente|in mente)\b(?: che)?[:,]?
\b(?:continui a|ti) dimentic\w+(?: (?:sempre|che|di(?= \w+r)))*\b[:,]?
\bdimentichi (?:sempre|ogni volta)(?: che| di(?= \w+r))?\b[:,]?
\b(?:nota|annota|appunto|promemoria)(?: (?:per (?:dopo|il futuro|la prossima volta)|questo|che))+\b[:,]?
\bpromemoria ?:
""",
    "nl": r"""
\bonthoud(?: (?:dit|dat|dit even|alsjeblieft|goed|even|voor (?:later|de volgende keer)))*\b[:,]?
\bvergeet (?:(?:dat|dit|ook|alsjeblieft) )?niet\b(?: dat)?[:,]?
\bje (?:blijft|vergeet)(?: \w+)? (?:vergeten|steeds|telkens|altijd)(?: dat)?\b[:,]?
\bhou(?:d)?(?: (?:er|dat|dit))* (?:rekening mee|in gedachten)\b(?: dat)?[:,]?
\b(?:notitie|noteer)(?: (?:dit|dat|voor (?:later|de volgende keer)))*\b[:,]?|\bvoor later\b ?[:,]
""",
    "pl": r"""
\b(?:zapamiętaj|pamiętaj|pamiętajcie)(?: (?:proszę|to|o tym|sobie|na przyszłość))*\b[:,]?(?: że\b)?
\bnie zapomin(?:aj|ajcie)(?: (?:o tym|proszę))*\b[:,]?(?: że\b)?
\bnie zapomnij(?: o tym)?\b[:,]?(?: że\b)?
\b(?:ciągle|wciąż|zawsze|znowu|stale) zapominasz\b[:,]?(?: że\b)?
\bzapominasz (?:ciągle|wciąż|stale)\b[:,]?(?: że\b)?
\bmiej(?: to)? na uwadze\b[:,]?(?: że\b)?
\b(?:notatka|zanotuj|zapisz)(?: (?:sobie|to|na (?:później|przyszłość)))+\b[:,]?(?: że\b)?
\bna (?:później|przyszłość)\b ?:
""",
    "cs": r"""
\b(?:zapamatuj|pamatuj)(?: (?:si|to|prosím|na to|příště))*\b[:,]?(?: že\b)?
\bnezapome(?:ň|ňte|nout)(?: (?:na to|prosím|to))*\b[:,]?(?: že\b)?
\b(?:pořád|stále|zase|furt|neustále) zapomínáš\b[:,]?(?: že\b)?
\bměj(?: to)? na paměti\b[:,]?(?: že\b)?
\b(?:poznámka|poznamenej)(?: (?:si|to|na (?:později|příště)|pro příště))+\b[:,]?(?: že\b)?
\bna (?:později|příště)\b ?:
""",
    "ru": r"""
\b(?:запомни|запомните|запиши|запишите)(?: (?:пожалуйста|себе|это|на будущее|хорошенько))*\b[:,]?(?: что\b)?
\bне забуд(?:ь|ьте)(?: (?:пожалуйста|об этом|про это|это))*\b[:,]?(?: что\b)?
\bне забывай(?:те)?\b[:,]?(?: что\b)?
\b(?:ты )?(?:всё время|все время|постоянно|вечно|опять|снова) забываешь\b[:,]?(?: что\b)?
\b(?:имей|имейте|держи|держите)(?: (?:это|в уме))* (?:в виду|в уме|в голове)\b[:,]?(?: что\b)?
\bучти(?:те)?\b(?: (?:это|на будущее))*[:,]?(?: что\b)?
\b(?:заметка|пометка)?(?: )?на (?:потом|будущее)\b ?[:,]
\bпомни(?:те)?(?: (?:это|об этом))*\b[:,]?(?: что\b)?
""",
    "uk": r"""
\b(?:запам'ятай|запам’ятай|запамʼятай|запиши)(?:те)?(?: (?:будь ласка|собі|це|на майбутнє))*\b[:,]?(?: що\b)?
\bне забу(?:дь|дьте|вай|вайте)(?: (?:будь ласка|про це|це))*\b[:,]?(?: що\b)?
\b(?:ти )?(?:постійно|весь час|знову|завжди|вічно) забуваєш\b[:,]?(?: що\b)?
\b(?:май|майте|тримай)(?: це)? на увазі\b[:,]?(?: що\b)?|\bвраху(?:й|йте)\b(?: це)?[:,]?(?: що\b)?
\b(?:нотатка |примітка )?на (?:потім|майбутнє)\b ?[:,]
\bпам'ятай(?:те)?\b(?: (?:це|про це))*[:,]?(?: що\b)?
""",
    "tr": r"""
\b(?:şunu |bunu |lütfen )*(?:unutma|unutmayın|unutmayalım)\b[:,]?(?: ki\b)?
\b(?:şunu |bunu |lütfen )*(?:aklında|aklınızda) (?:tut|tutun|bulunsun|olsun)\b[:,]?(?: ki\b)?
\b(?:şunu |bunu |lütfen )*hatırla(?:yın)?\b[:,]?
\b(?:sürekli|hep|devamlı|yine) unutuyorsun\b[:,]?(?: ki\b)?
\b(?:şunu |bunu |lütfen )*not (?:et|al|edin|alın)\b[:,]?|\bsonrası için not\b[:,]?|\bnot\b ?:
""",
    "zh": r"""
(?:START|(?<=\s)|(?:请|麻烦|帮我|你要|给我|务必|千万|以后|今后|下次))(?:一定|也|都)?要?(?:记住|记得|记下来|记下|记一下|记着|牢记)(?:这一点|这点|这个|一下|了|哦)?[：:，,]?(?!去|跑|提交|先)
(?:别|不要|千万别|可别)忘(?:记|了)?(?:了)?(?:这一点|这点)?[：:，,]?
你(?:总是|老是|一直|又|总)(?:是)?(?:忘记|忘了|忘)[：:，,]?
(?:备注|备忘|留个备注|以后注意|下次注意|供以后参考|留待以后)[：:，,]?
""",
    "ja": r"""
(?:このこと|これ|それ)?(?:を|は)?(?:ちゃんと|しっかり)?覚えて(?:おいて|おけ|ください|ね|てください|おいてください|くださいね)+[。、：:]?
(?:を|は|も|と|こと)?(?:ちゃんと)?(?:忘れないで|お忘れなく|忘れるな)(?:ください|ね)*[。、：:]?
(?:いつも|毎回|また|何度も)忘れ(?:て|る|てる|ている|てます|ますが|てるけど)*(?:けど|が|よ|よね|ね)?[、。：:]?
(?:後で|あとで|今後|次回)(?:の|に)?(?:ため|備え)?(?:の|に)?(?:メモ|ために|向け)[、。：:]?|メモ(?:して|しておいて|：|:)(?:ください|ね)*
(?:を|は|も)?(?:念頭に|頭に入れて)(?:置いて|おいて)(?:ください|ね)*[。、]?|心に留めて(?:おいて)?(?:ください)?
""",
    "ko": r"""
(?:이거|이걸|이것|꼭|잘|좀)*\s?기억해(?:\s?(?:줘|주세요|둬|두세요|놔|라|요)|(?=[.!,:]|$))[.:,]?
(?:절대 |꼭 |제발 )?잊지\s?(?:마|말고|말아|마세요|말아줘|말아 주세요|맙시다)(?:요)?[.:,]?
(?:자꾸|계속|맨날|또|항상) (?:잊|까먹)\S*[.:,]?|(?:나중을 위한|나중을 위해|참고로) ?(?:메모|기록)?[.:,]
메모해\s?(?:줘|둬|두세요|주세요)?[.:,]?|(?:염두에|머릿속에) (?:둬|두세요|두고|넣어)\S*[.:,]?|명심해\S*[.:,]?
""",
    "ar": r"""
(?:من فضلك |رجاء |رجاءً )?(?<!\w)(?:تذكر|تذكّر|تذكري)(?: (?:ذلك|هذا|دائما|من فضلك|أن|أنّ|أننا|بأن))*[:،,]?
لا تنس(?:ى|َ|ي)?(?: (?:ذلك|هذا|أن|أنّ|أننا|بأن))*[:،,]?
(?:ضع|خذ|أبق|احتفظ)(?: (?:هذا|ذلك|ب?هذا))? (?:في اعتبارك|في الاعتبار|في ذهنك|في بالك)(?: أن)?[:،,]?
(?:أنت )?(?:دائما|دائماً|باستمرار) تنسى(?: أن)?[:،,]?|تستمر في نسيان(?: أن)?[:،,]?
ملاحظة (?:لاحقا|للمستقبل|لوقت لاحق)[:،,]?|للتذكير[:،,]
""",
}

# To remember to do something is an order for now, unless it is to be done whenever (HABITS). The
# pattern ends where what is to be done begins.
ORDERS = {
    "en": r"""
(?:STARTCALLING|ASKING)(?:remember|(?:don'?t|do not|never)(?: ever)? forget)(?: please)? to (?=\w)
(?:STARTCALLING|ASKING)(?:don'?t|do not|never)(?: ever)? forget (?=(?:the|a|an|your|about)\b(?!.*\b(?:is|are|was|were|has|have|must|runs?|needs?|cannot|can|goes|go|lives?|uses?|only|takes?|costs?)\b))
""",
    "de": r"""
\b(?:nicht vergessen|verg(?:iss|esst|essen sie)(?: bitte)? nicht|denk(?:e|t)?(?: (?:bitte|in zukunft|künftig|auch|immer|stets))* d(?:a)?ran)\b[:,]? (?!dass\b)(?=.{0,120}\b(?:zu \w+n|\w{2,}zu\w{2,}n)\b)
""",
    "fr": r"""
\b(?:n'oubli(?:e|ez) (?:pas|jamais)(?: non plus)?|(?:souviens-toi|souvenez-vous|rappelle-toi)(?: \w+)?) d(?:e |')(?=(?:toujours |bien )?\w+(?:er|ir|re)\b)
\bpens(?:e|ez)(?: \w+)? à (?=\w+(?:er|ir|re)\b)
""",
    "es": r"""
\b(?:no (?:te |se |os )?olvid(?:es|e|éis)|acuérdate|acuerdate|recuerda|recuerde|recordad)(?: siempre| nunca)? (?:de )?(?=(?:siempre )?\w+[aeií]r(?:l[oae]s?|se)?\b)
""",
    "pt": r"""
\b(?:não (?:te |se )?esque[çc](?:a|as|e)(?:[- ](?:se|te))?|lembr[ae](?:-te|-se)?)(?: sempre| nunca)? (?:de )?(?=(?:sempre )?\w+[aei]r\b)
""",
    "it": r"""
\b(?:ricorda(?:ti|tevi)?|non (?:ti |vi )?dimentic(?:are|arti|hi|ate))(?: sempre| mai)? di (?=(?:sempre )?\w+[aei]r(?:e|l[oaie]|si|ci|ne)\b)
""",
    "nl": r"""
\b(?:vergeet (?:(?:ook|alsjeblieft|nooit) )?(?:niet)?|denk er(?: altijd)? aan)\b,? ?(?:om )?(?!dat\b)(?=.{0,100}\bte \w+n\b)
""",
    "pl": r"""
\b(?:pamiętaj(?:cie)?|nie zapomnij(?:cie)?)(?: proszę| zawsze)*,? (?!że\b)(?:(?:żeby|aby|by) (?:zawsze )?)?(?=(?:\S+ ){0,4}\w+[aeiyuąęó]ć\b)
""",
    "cs": r"""
\bnezapome(?:ň|ňte)(?: prosím| nikdy)*,? (?!že\b)(?=(?:\S+ ){0,4}\w+[aeiíyou]t\b)
""",
    "ru": r"""
\bне забуд(?:ь|ьте)(?: пожалуйста)?,? (?!что\b)(?=(?:\S+ ){0,4}\w+(?:ть|ться|ти)\b)
""",
    "uk": r"""
\bне забуд(?:ь|ьте)(?: будь ласка)?,? (?!що\b)(?=(?:\S+ ){0,4}\w+(?:ти|тися)\b)
""",
    "tr": r"""
\w+m[ae]y[ıi] (?:sakın |lütfen )?unutma(?:yın)?\b
""",
    "zh": r"""
每次.{1,20}(?:要|都要|别忘了?|请)?(?:记得|记住)|(?:记得|别忘了?|不要忘记)(?=每次|每个|总是|始终)
""",
    "ja": r"""
(?:の|こと)を(?:絶対に)?(?:忘れないで|お忘れなく|忘れるな)(?:ください|ね)*
""",
    "ko": r"""
(?:는|을|를)? ?(?:거|것|걸|것을) (?:절대 |꼭 )?잊지\s?(?:마|말고|말아|마세요|말아줘|말아 주세요)(?:요)?
""",
}

# A thing that is named together with where it stands is to be kept in mind, not done.
PLACED = r"""
\bforget about (?:the|an?|our) (?:[\w'-]+ ){1,4}(?:in|on|at|of|for|between|behind|under|after) (?:the |an? |our |every )?\w+
"""

# Whenever, before each: what is to be done is no order for now alone.
HABITS = r"""
\b(?:always|never|each|every|whenever|any|as a rule|from now on|in (?:the )?future)\b
\b(?:before|after|when|if) (?:a|you(?!'re\b| are\b| have\b| finish|'ve\b| stop\b)|(?:commit|push|merg|releas|deploy|chang|edit|switch|add)\w+)\b
\b(?:immer|stets|nie|niemals|jede[mrsn]?|sobald|künftig|in zukunft)\b|\b(?:vor|nach|bei) (?:einem|einer) \w
\b(?:toujours|jamais|chaque|à chaque|désormais|dès que)\b|\b(?:avant|après) (?:un|une|tout|toute) \w
\b(?:siempre|nunca|cada|de ahora en adelante)\b|\b(?:antes|después) de (?:un|una) \w
\b(?:sempre|nunca|cada|toda vez|sempre que)\b|\b(?:mai|ogni|ogni volta|d'ora in poi)\b|\bprima di (?:un|una|ogni) \w
\b(?:altijd|nooit|elke?|iedere?|voortaan)\b|\b(?:zawsze|nigdy|każd\w+|za każdym)\b|\b(?:vždy|vždycky|nikdy|každ\w+|pokaždé)\b
\b(?:всегда|никогда|кажд\w+|впредь|всякий раз)\b|\b(?:завжди|ніколи|кожн\w+|щоразу|надалі)\b|\b(?:her|daima|asla|bundan sonra)\b
每次|每个|总是|始终|任何|毎回|いつも|必ず|たびに|前に|항상|매번|마다|전에
"""

# What is said to be none of it: a question for what is remembered, or an order for now.
NO_WISH = r"""
\b(?:do|did|can|could|would) you (?:still )?remember\b|\bremember (?:when|how|why|what|where)\b
\bi (?:don'?t |can'?t |do not )?remember\b|\bas far as i (?:can )?remember\b|\bif i remember\b
(?<!n't )(?<!dont )(?<!not )(?<!never )(?<!ever )\bforget (?:it|about (?:it|that))\b(?!.*\bdon'?t\b)
^\W*(?:(?:please|pls|can you|could you|let's|now) )*(?:implement|add|build|create|develop|design|write|make|fix|rename)\b.{0,40}\b(?:note|remember|reminder|forget)[\w -]{0,30}\b(?:feature|button|function\w*|option|field|page|screen|flag|command|component|endpoint|dialog|box|view|icon|link|tool|mode|setting)\b
"""

# What the agent found or said is meant, and not the words that point at it.
FINDINGS = (
    r"(?i)\W*(?:what|everything|the thing) you(?:'ve| have)? (?:\w+ )?(?:found|learn|learned|learnt|discovered|figured"
    r"|said|told|wrote|explained|noticed|saw)\b|\W*was du (?:\w+ )*(?:gefunden|herausgefunden|gelernt|gesagt"
    r"|erklärt|gesehen)\b|\W*ce que tu (?:viens|as)\b|\W*lo que (?:acabas|has)\b|\W*你刚(?:才|刚)?"
)
# An order behind what is to be remembered is no part of it.
ORDERED = (
    r"(?i)\s*[,;.—–-]+\s*(?:and )?(?:please )?(?:(?:do|fix|change) (?:it|that|so)(?: (?:now|right away|at once|today|please))*"
    r"|(?:ok|okay|got it|understood|will you|please|thanks|thank you|verstanden|klar|bitte|danke|ja"
    r"|mach (?:das|es)(?: jetzt| sofort)?|d'accord|merci|fais-le(?: maintenant)?|vale|gracias|hazlo(?: ya| ahora)?))[.!]*$"
)
