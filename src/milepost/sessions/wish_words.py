"""How people ask in plain words that something be remembered, by language.

Each pattern is matched anywhere in a sentence, whatever its case. What stands behind it is to be
remembered, or what stands before it where the wish comes last, as it does in Japanese or Turkish.
"""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

WISHES = {
    "en": r"""
(?<!i )(?<!you )(?<!to )(?<!we )(?<!they )\bremember(?!ed|ing|s)(?: (?:that|this|it|for (?:next time|later|the future)|please))*\b[:,]?(?! (?:to|when|how|why|what|where|if)\b)
\bremember to (?=always|never)
\bdon'?t (?:ever )?forget(?: (?:that|this|it))*\b[:,]?(?! (?:to|about)\b(?! (?:always|never)))
\b(?:please |just )?(?:keep|bear) (?:that |this |it )?in mind\b(?: (?:that|for (?:next time|later|the future)))*[:,]?
\byou (?:keep|kept|always|constantly) forget(?:ting)?(?: that)?\b[:,]?
\bhow (?:often|many times) (?:do|must) i (?:have to )?(?:say|tell you)(?: that)?\b[:,]?
\b(?:a )?note (?:for later|to self|for next time|for the future|for you)\b[:,]?
\b(?:please |just )?(?:make|take) (?:a )?note(?: of (?:that|this)| that)?\b[:,]?
\bnote (?:that|this) down\b[:,]?|\bwrite (?:that|this) down\b[:,]?
\bfor (?:the record|future reference|next time)\b[:,]
\bmemori[sz]e (?:that|this)\b[:,]?|\blodge that\b[:,]?
""",
    "de": r"""
\bmerk(?:e|t|en sie)?(?: (?:dir|euch|sich))(?: (?:bitte|mal|das|es|auch|noch|gut|für später|fürs nächste mal))*\b[:,]?(?: dass\b)?
\b(?:das|es)? ?(?:bitte )?(?:gut )?merken\b[.!]?$
\b(?:bitte )?(?:nicht vergessen|vergiss(?: bitte)? nicht|vergesst(?: bitte)? nicht)\b[:,]?(?: dass\b)?(?!,? .{0,60}\bzu \w+en\b)
\bdu vergisst(?: (?:\w+ ){0,2}?(?:ständig|immer|dauernd|jedes mal|andauernd|gern))\b[:,]?(?: dass\b)?
\bdenk(?:e|t)?(?: (?:bitte|in zukunft|künftig|auch|immer))* d(?:a)?ran\b[:,]?(?: dass\b)?
\bbehalt(?:e|et)?(?: (?:das|es|bitte))* im (?:hinterkopf|kopf|auge)\b[:,]?(?: dass\b)?
\b(?:notiz|note|notier\w*)(?: (?:dir|das|bitte))* (?:für|fürs) (?:später|nächste mal|die zukunft)\b[:,]?
\bfür später\b ?[:,]|\bnotier(?:e)? (?:dir |das |bitte )*[:,]?(?: dass\b)?
""",
    "fr": r"""
\bn'oubli(?:e|ez)(?: pas| jamais)(?: non plus)?\b[:,]?(?: (?:que|qu'))?(?! de\b)
\b(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous)(?: (?:bien|en|de ça|de cela|que|qu'))*[:,]?
\b(?:garde|gardez|garder)(?: (?:ça|cela|bien))* (?:en tête|à l'esprit|en mémoire)\b(?: (?:que|qu'))?[:,]?
\b(?:retiens|retenez|mémorise)(?: (?:bien|ça|cela|que|qu'))*[:,]?
\b(?:tu|vous) oubli(?:es|ez) (?:toujours|sans cesse|tout le temps|encore|à chaque fois)(?: (?:que|qu'))?[:,]?
\bnote(?:z)? (?:pour plus tard|pour la suite|pour la prochaine fois|bien que|bien|ça|que)\b[:,]?
\bà retenir\b ?:
\bpour (?:mémoire|info plus tard)\b ?[:,]
""",
    "es": r"""
\b(?:acuérdate|acuerdate|acuérdese|acordaos)(?: (?:de (?:eso|esto|que)|bien))*\b[:,]?(?! de \w+[aei]r\b)
\b(?:recuérdalo|recuerdalo|recuérdame|recuerda|recordad|recuerde)(?: (?:bien|por favor|eso|esto|que|para la próxima))*\b[:,]?(?! \w+[aei]r\b)
\bno (?:te |se |os )?olvid(?:es|e|éis)(?: (?:de (?:eso|esto|que)|que|eso|esto))*\b[:,]?(?! (?:de )?\w+[aei]r\b)
\b(?:ten|tened|tenga) (?:(?:eso|esto|lo) )?(?:en cuenta|presente)\b(?: que)?[:,]?
\btenlo (?:en cuenta|presente)\b
\b(?:siempre|otra vez) (?:se te olvida|te olvidas)(?: de)?(?: que)?\b[:,]?
\b(?:apunta|anota|apúntalo|anótalo|nota)(?: (?:esto|eso|para (?:luego|más tarde|después|la próxima)|que))+\b[:,]?
\b(?:apúntalo|anótalo)\b
""",
    "pt": r"""
\b(?:lembra-te|lembre-se|lembra|lembre)(?: (?:disso|disto|bem|por favor|de que|que))+\b[:,]?
\bnão (?:te |se )?esque[çc](?:a|as|e)(?:[- ](?:se|te))?(?: (?:disso|disto|de que|que))*\b[:,]?(?! (?:de )?\w+[aei]r\b)
\b(?:tenha|tem|tenham) (?:isso |isto )?em (?:mente|conta)\b(?: que)?[:,]?|\bguarda isso\b[:,]?
\b(?:você|tu)? ?(?:vive|vives|sempre|continua|continuas)(?: te| se)? (?:a )?esquec\w+(?: (?:de )?que)?\b[:,]?
\b(?:anota|anote|nota)(?: (?:aí|isso|isto|para (?:depois|mais tarde)|pra depois|que))+\b[:,]?
""",
    "it": r"""
\b(?:ricordati|ricordatelo|ricordalo|ricordatevi|ricorda)(?: (?:bene|questo|di questo|per favore|che))*\b[:,]?(?! di \w+[aei]r(?:e|lo|la|li|si)\b)
\bnon (?:ti |vi )?dimentic(?:are|arti|arlo|atelo|hi)(?: (?:questo|mai))*\b(?: che)?[:,]?(?! di \w+[aei]re\b)
\b(?:tieni|tenete|tienilo)(?: (?:questo|lo|bene))* (?:a mente|presente|in mente)\b(?: che)?[:,]?
\b(?:continui a|ti) dimentic\w+(?: (?:sempre|che))*\b[:,]?
\bdimentichi (?:sempre|ogni volta)(?: che)?\b[:,]?
\b(?:nota|annota|appunto|promemoria)(?: (?:per (?:dopo|il futuro|la prossima volta)|questo|che))+\b[:,]?
\bpromemoria ?:
""",
    "nl": r"""
\bonthoud(?: (?:dit|dat|dit even|alsjeblieft|goed|even|voor (?:later|de volgende keer)))*\b[:,]?
\bvergeet (?:(?:dat|dit|ook|alsjeblieft) )?niet\b(?: dat)?[:,]?(?!,? (?:om )?te\b)
\bje (?:blijft|vergeet)(?: \w+)? (?:vergeten|steeds|telkens|altijd)(?: dat)?\b[:,]?
\bhou(?:d)?(?: (?:er|dat|dit))* (?:rekening mee|in gedachten)\b(?: dat)?[:,]?
\b(?:notitie|noteer)(?: (?:dit|dat|voor (?:later|de volgende keer)))*\b[:,]?|\bvoor later\b ?[:,]
""",
    "pl": r"""
\b(?:zapamiętaj|pamiętaj|pamiętajcie)(?: (?:proszę|to|o tym|sobie|na przyszłość))*\b[:,]?(?: że\b)?(?!,? żeby\b)
\bnie zapomin(?:aj|ajcie)(?: (?:o tym|proszę))*\b[:,]?(?: że\b)?
\bnie zapomnij(?: o tym)?\b[:,]?(?: że\b)?(?!,? \w+ć\b)
\b(?:ciągle|wciąż|zawsze|znowu|stale) zapominasz\b[:,]?(?: że\b)?
\bzapominasz (?:ciągle|wciąż|stale)\b[:,]?(?: że\b)?
\bmiej(?: to)? na uwadze\b[:,]?(?: że\b)?
\b(?:notatka|zanotuj|zapisz)(?: (?:sobie|to|na (?:później|przyszłość)))+\b[:,]?(?: że\b)?
\bna (?:później|przyszłość)\b ?:
""",
    "cs": r"""
\b(?:zapamatuj|pamatuj)(?: (?:si|to|prosím|na to|příště))*\b[:,]?(?: že\b)?
\bnezapome(?:ň|ňte|nout)(?: (?:na to|prosím|to))*\b[:,]?(?: že\b)?(?! \w+t\b)
\b(?:pořád|stále|zase|furt|neustále) zapomínáš\b[:,]?(?: že\b)?
\bměj(?: to)? na paměti\b[:,]?(?: že\b)?
\b(?:poznámka|poznamenej)(?: (?:si|to|na (?:později|příště)|pro příště))+\b[:,]?(?: že\b)?
\bna (?:později|příště)\b ?:
""",
    "ru": r"""
\b(?:запомни|запомните|запиши|запишите)(?: (?:пожалуйста|себе|это|на будущее|хорошенько))*\b[:,]?(?: что\b)?
\bне забуд(?:ь|ьте)(?: (?:пожалуйста|об этом|про это|это))*\b[:,]?(?: что\b)?(?! \w+(?:ть|ться)\b)
\bне забывай(?:те)?\b[:,]?(?: что\b)?
\b(?:ты )?(?:всё время|все время|постоянно|вечно|опять|снова) забываешь\b[:,]?(?: что\b)?
\b(?:имей|имейте|держи|держите)(?: (?:это|в уме))* (?:в виду|в уме|в голове)\b[:,]?(?: что\b)?
\bучти(?:те)?\b(?: (?:это|на будущее))*[:,]?(?: что\b)?
\b(?:заметка|пометка)?(?: )?на (?:потом|будущее)\b ?[:,]
\bпомни(?:те)?(?: (?:это|об этом))*\b[:,]?(?: что\b)?
""",
    "uk": r"""
\b(?:запам'ятай|запам’ятай|запамʼятай|запиши)(?:те)?(?: (?:будь ласка|собі|це|на майбутнє))*\b[:,]?(?: що\b)?
\bне забу(?:дь|дьте|вай|вайте)(?: (?:будь ласка|про це|це))*\b[:,]?(?: що\b)?(?! \w+(?:ти|тися)\b)
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
(?:请|麻烦|帮我|你要|给我)?(?:记住|记得|记下来|记下|记一下|记着|牢记)(?:这一点|这点|这个|一下|了|哦)?[：:，,]?(?!去|跑|提交|先)
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
(?:이거|이걸|이것|꼭|잘|좀)*\s?기억해\s?(?:줘|주세요|둬|두세요|놔|라|요)?[.:,]?
(?:절대 |꼭 |제발 )?잊지\s?(?:마|말고|말아|마세요|말아줘|말아 주세요|맙시다)(?:요)?[.:,]?
(?:자꾸|계속|맨날|또|항상) (?:잊|까먹)\S*[.:,]?|(?:나중을 위한|나중을 위해|참고로) ?(?:메모|기록)?[.:,]
메모해\s?(?:줘|둬|두세요|주세요)?[.:,]?|(?:염두에|머릿속에) (?:둬|두세요|두고|넣어)\S*[.:,]?|명심해\S*[.:,]?
""",
    "ar": r"""
(?:من فضلك |رجاء |رجاءً )?(?:تذكر|تذكّر|تذكري)(?: (?:ذلك|هذا|دائما|من فضلك|أن|أنّ|أننا|بأن))*[:،,]?
لا تنس(?:ى|َ|ي)?(?: (?:ذلك|هذا|أن|أنّ|أننا|بأن))*[:،,]?
(?:ضع|خذ|أبق|احتفظ)(?: (?:هذا|ذلك|ب?هذا))? (?:في اعتبارك|في الاعتبار|في ذهنك|في بالك)(?: أن)?[:،,]?
(?:أنت )?(?:دائما|دائماً|باستمرار) تنسى(?: أن)?[:،,]?|تستمر في نسيان(?: أن)?[:،,]?
ملاحظة (?:لاحقا|للمستقبل|لوقت لاحق)[:،,]?|للتذكير[:،,]
""",
}

# What is said to be none of it: a question for what is remembered, or an order for now.
NO_WISH = r"""
\b(?:do|did|can|could|would) you (?:still )?remember\b|\bremember (?:when|how|why|what|where)\b
\bi (?:don'?t |can'?t |do not )?remember\b|\bas far as i (?:can )?remember\b|\bif i remember\b
\bforget (?:it|about (?:it|that))\b(?!.*\bdon'?t\b)
"""
