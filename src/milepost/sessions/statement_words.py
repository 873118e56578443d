"""By which words people say what is left, what came of what, and what they do not mean.

One pattern a line, matched in lower case; those of rules and choices are in `rule_words`.
"""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

# Next, still open, to do later.
LEFT = {
    "de": r"""
^(?:als )?nächstes\b ?(?:[:,]|kommt|wäre|steht|ist)|\bals nächstes ?[:,]
^(?:noch )?offen\b(?: ist)?(?: noch)?\b ?[:,]
\b(?:noch offen|steht noch aus|bleibt noch|fehlt noch|fehlen noch|noch zu tun|noch zu erledigen)\b
^todo\b
(?<!das )\b(?:machen wir|mach ich) (?:ein andermal|später|morgen|montag|nächste woche|beim nächsten mal)\b
\b(?:als offene aufgabe|bleibt offen|bleiben offen)\b
\b(?:machen|erledigen) wir (?:am )?(?:montag|morgen)\b
""",
    "fr": r"""
^(?:à faire|reste à faire|prochaine étape|et la suite|la suite|ensuite à faire)\b[^:]{0,20}:
\b(?:reste(?:nt)? à|il reste|il faudra|encore à faire|à faire (?:ensuite|plus tard|demain))\b
\bpas encore (?:fait|écrit|testé)\b
""",
    "es": r"""
^(?:queda )?pendientes?\b ?:|\bqueda(?:n)? pendientes?\b|\bsiguiente paso\b
^(?:lo )?(?:siguiente|próximo)\b ?:|\b(?:falta|faltan) (?:por |los |las |el |la )|\bpor hacer\b
\bqueda por\b|\bpara (?:mañana|la próxima sesión)\b ?:
""",
    "pt": r"""
^(?:pendente|pendência|próximo passo|próximos passos|falta|por fazer|a fazer)s?\b ?:
\b(?:fica pendente|ficou pendente|ainda falta|falta ainda|falta (?:fazer|escrever|testar)|próximo passo|fica para (?:depois|amanhã|a próxima))\b
""",
    "it": r"""
^(?:da fare|prossimo passo|prossimi passi|resta|rimane|in sospeso|aperto|manca)\b[^:]{0,20}:
\b(?:resta da|rimane da|restano da|ancora da fare|da fare (?:dopo|domani)|manca ancora|mancano ancora|prossimo passo|resta aperto)\b
""",
    "nl": r"""
^(?:volgende(?: stap)?|nog te doen|openstaand|todo|nog open)\b ?:
\b(?:moet nog|moeten nog|nog te doen|staat nog open|blijft open|volgende stap|doen we (?:later|morgen|volgende))\b
""",
    "pl": r"""
^(?:następn\w+(?: krok)?|do zrobienia|zostało|otwarte|todo|na później)\b[^:]{0,20}:
\b(?:zostało do zrobienia|do zrobienia|zostaje do|jeszcze trzeba|następny krok|pozostaje|wciąż otwarte|zrobimy (?:jutro|później))\b
""",
    "cs": r"""
^(?:další(?: krok)?|příště|zbývá|k dořešení|otevřené|todo|zůstává)\b[^:]{0,20}:
\b(?:zbývá|ještě chybí|zůstává otevřen\w+|další krok|uděláme (?:zítra|později|příště)|ještě je potřeba)\b
""",
    "ru": r"""
^(?:дальше|следующ\w+(?: шаг)?|осталось|открыто|на потом|todo|в следующий раз)\b[^:]{0,20}:
\b(?:осталось (?:сделать|доделать|дописать|написать)|ещё не сделано|ещё надо|следующий шаг|остаётся (?:открыт\w+|сделать)|открытым|не доделано)\b
""",
    "uk": r"""
^(?:далі|наступн\w+(?: крок)?|залишилось|відкрито|на потім|todo|наступного разу)\b[^:]{0,20}:
\b(?:залишилось (?:зробити|доробити|написати)|ще не зроблено|ще треба|наступний крок|залишається (?:відкрит\w+|зробити)|відкритим)\b
""",
    "tr": r"""
^(?:sırada(?:ki)?|sonraki(?: adım)?|kalan(?:lar)?|yapılacak(?:lar)?|açık|todo)\b[^:]{0,20}:
\b(?:hâlâ açık|hala açık|yapılacak|kaldı|sonraki adım|daha yapılmadı|henüz yapılmadı|sırada)\b
""",
    "zh": r"""
^(?:接下来|下一步|待办|待完成|未完成|剩下|还剩|后续|遗留)[^：:]{0,10}[：:，,]|还没(?:做|写|完成|处理|修)|下一步|待办|尚未|留到(?:下次|明天)
下次(?:再)?做
""",
    "ja": r"""
^(?:次(?:は|に|回)?|残り|残作業|未完了|未対応|TODO|今後の作業)[^：:]{0,10}[：:、]|まだ(?:です|終わって|できて|書いて|未|残って)|残って(?:い|ます)
次の(?:ステップ|タスク|作業)|次回(?:に|は|やり)|未対応
""",
    "ko": r"""
^(?:다음(?:은|에|으로)?|남은 (?:일|작업|것)|미완료|할 일|TODO)[^:]{0,10}[:,]|아직 (?:안|못|남|완료되지)|남아 ?있
다음 (?:단계|작업|할 일)|다음에 (?:하|합)
""",
    "ar": r"""
^(?:التالي|الخطوة التالية|المتبقي|متبقي|معلق|مفتوح|لاحقا)[^:]{0,15}[:،]
لم (?:يتم|ينته|أكتب|نكتب) .{0,10}بعد|ما زال|لا يزال مفتوح|الخطوة التالية|يبقى
""",
}

# Because, came from: what an agent says of a failure once it is mended.
CAUSES = (
    r"\bbecause\b|\bsince\b|\bcame (?:up )?(?:from|because)\b|\bcaused by\b|\bdue to\b|\bcause\b"
    r"|\breason\b|\bweil\b|\bdaher, dass\b|\bkam (?:daher|von|aus)\b|\blag (?:an|daran)\b"
    r"|\bursache\b|\bda (?:der|die|das) \w+|\bparce que\b|\bvenait (?:de|du|d')|\bprovenait\b"
    r"|\bà cause d|\bcar\b|\bporque\b|\bvenía de\b|\bdebido a\b|\bsalía\b|\bporque\b|\bpor causa d"
    r"|\bvinha d|\bperché\b|\ba causa d|\bdipendeva d|\bveniva d|\bomdat\b|\bdoordat\b"
    r"|\bkwam door\b|\bponieważ\b|\bbo\b|\bwynikał\w*\b|\bspowodowan\w+|\bprzez to\b|\bprotože\b"
    r"|\bzpůsobil\w*|\bkvůli\b|\bпотому что\b|\bиз-за\b|\bпоскольку\b|\bтак как\b|\bпричина\b"
    r"|\bбо\b|\bтому що\b|\bчерез те\b|\bоскільки\b|\bçünkü\b|\byüzünden\b|\bnedeni\b|\bsebebi\b"
    r"|\bkaynaklan|因为|由于|原因|导致|ため|から(?:です|でした)|原因|ので|せい|때문|원인|므로|لأن|بسبب|السبب|نتيجة"
)

# By the way: what comes up in passing is told because it is worth knowing.
ASIDES = (
    r"\b(?:by the way|btw|fwiw|fyi|for what it's worth|just so you know|heads[- ]up)\b"
    r"|\b(?:übrigens|nebenbei|zur info)\b"
    r"|\b(?:au passage|d'ailleurs|pour info|soit dit en passant)\b"
    r"|\b(?:por cierto|dicho sea de paso|para que (?:lo )?sepas)\b"
    r"|\b(?:a propósito|aliás|por sinal|só para (?:você )?saber)\b"
    r"|\b(?:a proposito|tra l'altro|per tua informazione)\b"
    r"|\b(?:trouwens|overigens|ter info|tussen haakjes)\b"
    r"|\b(?:przy okazji|a tak w ogóle|swoją drogą|dla informacji)\b"
    r"|\b(?:mimochodem|jen pro info|pro informaci)\b"
    r"|\b(?:кстати|между прочим|к слову|для справки)\b|\b(?:до речі|між іншим|для довідки)\b"
    r"|\b(?:bu arada|bilgin olsun|haberin olsun)\b|顺便(?:说|提|一提)|对了|另外说|ちなみに|ところで|参考までに|참고로|그나저나"
    r"|그런데 참고|بالمناسبة|للعلم"
)

# Who owns what, and what a service lets one have: facts that are asked for again.
OWNERS = (
    r"\b(?:owns|owned by|belongs to|maintained by|responsible for|in charge of)\b"
    r"|\bis \w+'s\b(?=,| and|\.|$)|\bgehört (?:der|dem|zu|\w+)|\bzuständig\b|\bverantwortlich\b"
    r"|\bgeht über (?:sie|ihn|\w+)\b|\bappartient\b|\bresponsable\b|\bs'occupe d|\bdueñ[oa]\b"
    r"|\bpertenece\b|\bencargad[oa]\b|\bdon[oa] d|\bpertence\b|\bresponsável\b|\bproprietari[oa]\b"
    r"|\bresponsabile\b|\bappartiene\b|\bverantwoordelijk\b|\bis van \w+\b|\bodpowiada za\b"
    r"|\bnależy do\b|\bzodpovíd\w+|\bpatří\b|\bотвечает за\b|\bвладе\w+ \w+|\bвідповідає за\b"
    r"|\bsorumlu\w*\b|\bsahibi\b|负责|归.{1,10}管|属于|担当|管理して|담당|소유|مسؤول|يملك"
)
LIMITS = (
    r"\b(?:limit\w*|cap(?:ped)?|quota|rate limit|port|allows?|cuts? (?:you )?off|up to|takes up to)\b"
    r"|\b(?:limite|límite|limiet|лимит\w*|ліміт\w*|sınır\w*|kvóta|kvota|порт\w*|porta|puerto|poort|portu?)\b"
    r"|限制|上限|端口|制限|ポート|제한|한도|포트|الحد|المنفذ"
)

# A refusal before what holds instead.
REFUSAL_FIRST = (
    r"(?i)^\W*(?:(?:oh|hm+|uh|um|well|ach|ah|äh|euh|bueno|hey)[,.!… ]+)?"
    r"(?:(?:no+|nope|nah|wrong|incorrect|false|nein|nee|nö|falsch|non|faux|não|nie|ne|нет|неверно|неправильно|ні|hayır|yanlış|いいえ|いや|違う|違います|아니요|아니|아뇨|不对|不是的|不|错了|错|لا|خطأ|that(?:'s| is| was) (?:wrong|not right|incorrect)|you(?:'re| are| were) wrong|you got (?:that|it) wrong|das ist falsch|das stimmt nicht|c'est faux|eso no es así|eso está mal)(?:[,.!;:…—–、，。！،-]+\s*|\s+(?=no\b)))+"
)

# It asks, supposes or weighs: nothing is settled.
UNSETTLED = (
    r"[?？؟]\s*$"
    r"|\b(?:vielleicht|könnte|könnten|würde|wäre|falls wir|was wenn|ob wir|eventuell|oder soll\w*)\b"
    r"|^(?:wie|was|warum|wieso|wann|wer|wo|welche\w*|soll(?:en)?|kannst|könntest)\b"
    r"|\b(?:peut-être|pourrait|pourrions|serait|et si)\b"
    r"|^(?:pourquoi|comment|quel\w*|est-ce|où|quand|qui|peux-tu|tu peux)\b"
    r"|\b(?:quizás|quizá|tal vez|podría\w*|y si|sería)\b|^¿"
    r"|^(?:cómo|por qué|qué|cuál|cuándo|dónde|puedes)\b|\b(?:talvez|poderia\w*|seria|e se)\b"
    r"|^(?:como|por que|qual|quando|onde|você pode)\b|\b(?:forse|potrebbe|potremmo|sarebbe|e se)\b"
    r"|^(?:come|perché|quale|quando|dove|puoi)\b|\b(?:misschien|zouden|zou|wat als)\b"
    r"|^(?:hoe|waarom|welke|wanneer|waar|kun je|kan je)\b|\b(?:może|moglibyśmy|można by|a gdyby)\b"
    r"|^(?:jak|dlaczego|czemu|który|kiedy|gdzie|czy|możesz)\b|\b(?:možná|mohl\w* by|co kdyby)\b"
    r"|^(?:jak|proč|který|kdy|kde|můžeš)\b"
    r"|\b(?:может быть|возможно|может,|могли бы|а если|что если|стоит ли)\b"
    r"|^(?:как|почему|зачем|какой|когда|где|можешь)\b"
    r"|\b(?:можливо|може,|могли б|а якщо|чи варто)\b|^(?:як|чому|навіщо|який|коли|де|чи|можеш)\b"
    r"|\b(?:belki|acaba|olabilir mi|ya .{2,30}sak|ya .{2,30}sek)\b|\bm[ıiuü]\s*[?.]?$|也许|可能|要不要"
    r"|是不是|能不能|吗[。？?]?$|呢[。？?]?$|如果.{1,30}怎么样|かもしれ|でしょうか|ですか|ますか|どう(?:です|でしょ|かな|思)|かな[。？]?$|もし|아마"
    r"|어떨까|까요|나요|을까|ㄹ까|만약|ربما|لعل|هل |ماذا لو"
)

# How a user denies what an agent has just said.
REFUSALS = (
    r"(?i)^\W*(?:(?:no|nope|nah|wrong|false|nonsense|incorrect)\b(?! (?:problem|worries|idea|more))|that(?:'s| is| was)(?:n't| not| wrong)|(?:it|this) (?:isn't|is not|wasn't|has nothing)|(?:nein|nee|nö|falsch|quatsch|unsinn|halt)\b|das (?:stimmt|ist) nicht|(?:non|faux)\b|c'est faux|ce n'est pas|pas vrai|n'importe quoi|(?:falso|mentira|incorrecto)\b|eso no|no es (?:cierto|verdad|así)|(?:não|errado)\b|nada disso|não é (?:verdade|isso)|sbagliato\b|non è (?:vero|così)|(?:fout|onzin)\b|(?:dat )?klopt niet|(?:nie|nieprawda|bzdura|błąd)\b|to nie(?: jest)?\b|(?:ne|špatně|nesmysl)\b|to není|(?:нет|неверно|неправда|ерунда|неправильно)\b|это не так|(?:ні|неправда|неправильно|дурниця)\b|це не так|(?:hayır|yanlış|yok)\b|(?:bu )?(?:doğru|öyle) değil|不对|不是|错了|胡说|没有的事|いや|いいえ|違[うい]|間違|아니|틀렸|(?:لا|خطأ)\b|غير صحيح|هذا ليس)"
    r"|\bnothing to do with\b|\bthat was just\b|\bthat wasn't\b|\bdas stimmt (?:so )?nicht\b"
    r"|\bdu rätst\b"
)

# What is weighed and not done: an agent that proposes has not reached anything.
PROPOSALS = (
    r"(?i)\b(?:two|three|several) (?:ways|options|candidates|possibilities)\b|\balternativ\w*\b"
    r"|\boptions?\b|\bcould\b|\bwould\b|\bmight\b|\bi (?:believe|think|suspect|propose|suggest)\b"
    r"|\bprobably\b|\bkönnte\w*\b|\bginge\b|\bwürde\w*\b|\bvermut\w+|\bwahrscheinlich\b"
    r"|\bvorschlag\w*|\bpourrai\w+|\bpropose\b|\bprobablement\b|\bpodría\w*|\bpropongo\b"
    r"|\bprobablemente\b|\bpoderia\w*|\bproponho\b|\bprovavelmente\b|\bpotrebb\w+|\bpropongo\b"
    r"|\bprobabilmente\b|\bzou(?:den)?\b|\bvoorstel\w*|\bwaarschijnlijk\b|\bmożna by\b"
    r"|\bproponuj\w+|\bprawdopodobnie\b|\bmohl\w* by|\bnavrhuj\w+|\bpravděpodobně\b|\bможно\b"
    r"|\bпредлага\w+|\bвероятно\b|\bнаверное\b|\bможна\b|\bпропону\w+|\bймовірно\b|\bolabilir\b"
    r"|\böner\w+|\bmuhtemelen\b|可以|建议|可能|できます|提案|おそらく|かもしれ|할 수|제안|아마|يمكن|أقترح|ربما"
)

# How a user takes back what they have just decided.
RETRACTIONS = (
    r"(?i)\b(?:forget (?:it|that|about)|never ?mind|scrap (?:that|it)|drop (?:that|it)|on second thought|changed my mind)\b"
    r"|\b(?:vergiss (?:es|das)|lass (?:es|das|mal)|doch nicht|dann nicht|lassen wir)\b"
    r"|\b(?:laisse tomber|oublie ça|finalement non)\b"
    r"|\b(?:olvídalo|déjalo|mejor no|lo descartamos)\b"
    r"|\b(?:esquece|deixa (?:pra lá|estar)|melhor não)\b"
    r"|\b(?:lascia (?:perdere|stare)|meglio di no)\b|\b(?:laat maar|toch niet)\b"
    r"|\b(?:zapomnij|odpuść|jednak nie)\b|\b(?:zapomeň na to|nech(?:me)? to|radši ne)\b"
    r"|\b(?:забудь|не надо|передумал\w*|отмена)\b|\b(?:забудь|не треба|передума\w+)\b"
    r"|\b(?:boş ver|vazgeç\w*)\b|算了|别弄了|やっぱり?(?:やめ|いい)|やめよう|됐어|관두|그만두|انس الأمر|لا داعي"
)
