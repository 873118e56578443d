"""By which words people hand over a text to work on, in the languages that sessions are held in.

Matched in a line's lower case.
"""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

# What is done with words alone: what follows is the text, whatever it is called.
WORDING = (
    r"\b(?:summar(?:y|i[sz]e)|translat(?:e|ion)|proof-?read|re-?phrase|paraphrase|re-?word|tl;?dr|grammar|typos?|spelling|bullet points?|shorten|shorter|friendlier|(?:more|less) (?:formal|polite|friendly|concise|professional))\b"
    r"|\bzusammenfass|\bfass\w*\b.*\bzusammen\b|\bübersetz|\bkorrekturles|\bumformulier|\brechtschreib|\btippfehler"
    r"|\brésum(?:e|er|ez|é)\b|\btradui|\breformul|\borthograph|\bcorrige\b.*\bfautes\b|\brelis\b"
    r"|\bresum(?:e|ir|en|a)\b|\btradu[cz]|\breescrib|\bortograf|\briassum|\btraduci|\briformul|\brefraseie\b"
    r"|\bsamenvat|\bvat\b.*\bsamen\b|\bvertaal|\bstreść|\bprzetłumacz|\bpodsumuj|\bshrň|\bpřelož"
    r"|\bперевед|\bизложен|\bсуммир|\bрезюм|\bпереклад|\bпідсум|\bözetle|\bçevir|总结|概括|翻译|润色|改写|要約|翻訳|校正|요약|번역|교정|لخص|ترجم"
)
# What is built is no text, though its name may speak of one: "a summary endpoint".
WORKING = (
    r"^\W*(?:(?:please|pls|can you|could you|let's|now|and|bitte) )*(?:add|build|create|implement|write|make (?:a|the)|develop|refactor|rework|update|extend|set up|change|move|rename"
    r"|baue?|schreibe?|erstelle?|implementiere?|ergänze?|erweitere?|ajoute|crée|écris|implémente|añade|agrega|crea|escribe|implementa|aggiungi|scrivi|adicione|crie|escreva|добавь|создай|напиши)\b"
)
# What is done with what one has before one's eyes: with "this" it hands something over.
READING = (
    r"\b(?:review|check|read|look (?:at|over|through|into)|explain|rewrite|convert|turn|transform|extract|compare|rate|improve|polish|correct|analy[sz]e|classify|format|comment|criti(?:que|ci[sz]e)|thoughts|opinion|think (?:of|about)|which of|simplify|list)\b"
    r"|\b(?:prüf|überprüf|lies|lesen|schau|guck|erklär|korrigier|bewert|vergleich|verbesser|wandle|analysier|hältst|halten|formulier|kürz)\w*"
    r"|\b(?:vérifi|lis|lire|regarde|expliqu|corrig|compar|amélior|analys|évalu|transform|penses)\w*"
    r"|\b(?:revis|lee|leer|mira|explic|corrig|corrij|compar|mejor|analiz|eval[uú]|convier|pása|pasa|extrae|opin|parece)\w*"
    r"|\b(?:verific|leia|veja|olha|melhor|avali|controlla|leggi|guarda|spieg|correggi|confront|miglior|valut)\w*"
    r"|\b(?:controleer|lees|kijk|leg uit|verbeter|vergelijk|beoordeel|sprawdź|przeczytaj|wyjaśnij|popraw|porównaj|oceń|zkontroluj|přečti|vysvětli|oprav|porovnej)\w*"
    r"|\b(?:проверь|прочитай|посмотри|объясни|исправь|сравни|оцени|улучши|перевір|прочитай|подивись|поясни|виправ|порівняй)\w*"
    r"|\b(?:kontrol et|incele|oku|açıkla|düzelt|karşılaştır|değerlendir)\w*"
    r"|看|检查|审阅|审查|解释|修改|整理|比较|评价|分析|提取|転|確認|説明|レビュー|読んで|比較|整理|添削|검토|확인|설명|비교|정리|읽|راجع|اشرح|اقرأ|صحح|قارن"
)
# "This", "the following", "below".
POINTING = (
    r"\b(?:this|these|following|below|under(?:neath)? the line|above)\b"
    r"|\b(?:dies\w*|das|folgend\w*|untenstehend\w*|unten|obig\w*)\b"
    r"|\b(?:ce|cet|cette|ces|ceci|cela|ça|suivante?s?|ci-dessous|ci-dessus)\b"
    r"|\b(?:est[eao]s?|siguientes?|abajo|est[ae]s?|isto|isso|seguintes?|abaixo)\b"
    r"|\b(?:quest[oaie]|seguent[ei]|sotto|deze|volgende|onderstaande|hieronder)\b"
    r"|\b(?:ten|tę|poniższ\w+|następując\w+|tento|tuto|toto|následující\w*|níže)\b"
    r"|\b(?:эт[оауи]т?|следующ\w+|ниже|цю|цей|ці|наступн\w+|нижче|bu|şu|aşağıdaki\w*)\b"
    r"|[这此该]|下面|以下|この|これ|次の|以下|이 |다음|아래|هذا|هذه|التالي"
)
# "This" that nothing is named with.
BARE = r"\b(?:this|these|following|below|das|dies|dazu|davon|hiervon|ça|ceci|esto|questo|isto|это|це)\b\W*(?:$|(?:for|to|please|pls|and|out|bitte|pour|stp|por|per|voor)\b)"
# Asking what somebody makes of "this" hands it over as well.
OPINION = (
    r"\b(?:what do you (?:think|say|make)|what(?:'s| is| are) your (?:take|thoughts?|opinion|view)|your (?:take|thoughts|opinion) on|thoughts on|how do you (?:like|find|feel)|do you agree|agree with)\b.*\b(?:this|these|below)\b\W*$"
    r"|\b(?:is|are|was) (?:this|these|all this) (?:[\w-]+ ){0,3}?(?:good|bad|right|true|correct|ok|okay|sensible|sound|valid|wise|reasonable|advice|fair|accurate|outdated|realistic|best practice)\b"
    r"|\b(?:does|do) (?:this|these|all this) (?:still )?(?:make (?:any )?sense|hold|apply|sound|look|seem|read|work for us)\b"
    r"|^(?!.*\b(?:fix|solve|implement|make|build|add|change|finish|merge|rename|update|handle|write|create|set up|try|run|deploy|use|keep|start|adapt|why|how|can you do|could you do)\b).*\b(?:this|these|the following)\W*$"
    r"|^\W*(?:any )?(?:opinions?|thoughts|agree|agreed|comments|feedback|your take|meinung(?:en)?|deine meinung|ton avis|vos avis|opinión|opiniones|pareri|意见)\W*$"
    r"|\bwas (?:meinst|denkst|sagst|hältst) du (?:dazu|davon|hierzu|hiervon)\b|\bwie findest du (?:das|dies)\b|\bist das (?:so )?(?:richtig|sinnvoll|gut|korrekt|ok)\b|\bergibt das sinn\b"
    r"|\bqu'en pens|\bque penses-tu de (?:ça|ceci|cela)\b|\bton avis\b|\best-ce que (?:ça|c'est|ceci) .*(?:sens|correct|juste|bon)\b|\bqué (?:te|os|le) parece\b|\bqué (?:opinas|piensas) de (?:esto|eso)\b|\btiene sentido esto\b"
    r"|\bo que (?:você )?acha d(?:isso|isto)\b|\bche ne pensi\b|\bcosa ne pensi\b|\bwat vind je (?:hier|daar)van\b|\bco o tym (?:myślisz|sądzisz)\b|\bco si o tom myslíš\b|\bчто (?:ты )?(?:об этом )?думаешь\b|\bщо (?:ти )?(?:про це )?думаєш\b|\bne düşünüyorsun\b"
    r"|你觉得(?:这|下面|以下)|怎么看|(?:这|以下|下面).{0,6}(?:合理|正确|对|有道理)吗|どう思い?|어떻게 생각|ما رأيك"
)
# "My notes" are handed over by whoever asks to look at them.
MINE = r"\b(?:my|mein\w*|mon|ma|mes|mis?|meus?|minhas?|mio|mia|mijn|mój|moje|мо[йюяёи]\w*)\b|我的"
# What somebody wrote.
TEXTS = (
    r"\b(?:documents?|docs?|texts?|paragraphs?|passages?|proposals?|rfcs?|specs?|specifications?|tickets?|polic(?:y|ies)|minutes|(?:meeting|retro|release|my) notes|notes from|e-?mails?|letters?|articles?|blog ?posts?|essays?|drafts?|transcripts?|conversations?|guidelines?|style guide|advice|user stor(?:y|ies)|wiki|read-?mes?|handbook|guides?|checklist|manifesto|abstract|papers?|poem|speech|prompts?|contracts?|announcements?|press release|excerpt|paste)\b"
    r"|(?:\b|\w)(?:dokumente?|text|absatz|vorschlag|konzept|protokoll|notizen|mail|richtlinien?|beitrag|entwurf|spezifikation|artikel|brief|auszug|leitfaden)\b"
    r"|\b(?:textes?|paragraphes?|proposition|compte[- ]rendu|courriel|charte|lettre|extrait|brouillon|cahier des charges)\b"
    r"|\b(?:textos?|documentos?|párrafos?|propuesta|acta|notas|correo|guía|artículo|borrador|parágrafo|proposta|mensagem|artigo|rascunho)\b"
    r"|\b(?:testo|documento|paragrafo|verbale|bozza|tekst|alinea|voorstel|notulen|dokument\w*|akapit\w*|propozycj\w*|notatk\w*|odstavec|návrh|zápis)\b"
    r"|\b(?:текст\w*|документ\w*|абзац\w*|предложение|протокол\w*|заметк\w*|письм\w*|стать\w*|статт\w*|пропозиці\w*|metn?i\w*|belge\w*|paragraf\w*|öneri\w*|tutanak\w*)\b"
    r"|文档|文件|文章|段话|段落|文字|方案|提案|需求|纪要|邮件|规范|文書|議事録|メール|ドキュメント|문서|글|문단|회의록|메일|제안|نص|مستند|فقرة|محضر|رسالة|مقترح"
)
# What others said, where a line begins with it.
TALK = (
    r"^\W*(?:the |an? |some )?(?:[\w']+ ){0,2}(?:transcript|thread|minutes|meeting notes|retro notes|notes from|conversation|excerpt|comments? (?:from|by)|feedback from|(?:e-?mail|message|mail|reply|answer|review) (?:from|of|by))\b"
    r"|^\W*(?:gesprächs?protokoll|protokoll|notizen (?:aus|von|vom)|kommentar (?:von|des|der)|auszug|(?:nachricht|mail) von)\b"
    r"|^\W*(?:compte[- ]rendu|notes de|extrait|commentaire de|message de|mail de)\b|^\W*(?:notas de|acta de|comentario de|mensaje de|correo de|extracto)\b"
    r"|^\W*(?:verbale|notulen|commento di|notatki z|zápis z|протокол|заметки с)\b|^\W*(?:会议纪要|聊天记录|議事録|회의록)"
)
# Who says what they want, or asks that something be kept to, speaks for themselves.
OWN = (
    r"\b(?:i|we) (?:want|need|decided|would like|insist|expect)\b|\bi'd like\b|\b(?:my|our) (?:\w+ )?(?:rules?|requirements?|conventions?|wishes|preferences|standards|guidelines?)\b"
    r"|\b(?:follow|obey|stick to|keep to|respect|apply|remember|mind|comply|adhere|note|rules for you|don't forget)\b|^\W*(?:please )?(?:update|extend|edit|rework|add|fix)\b(?!.*\b(?:typos?|grammar|spelling|texts?|paragraphs?|wording|sentences?)\b)"
    r"|\bich (?:will|möchte|brauche)\b|\bwir (?:wollen|brauchen)\b|\bhalte? dich\b|\bbeachte\b|\bmerk|\bunsere regeln\b|\bmeine regeln\b"
    r"|\bje veux\b|\bon veut\b|\brespecte\b|\bretiens\b|\bquiero\b|\bqueremos\b|\brespeta\b|\brecuerda\b|\bvoglio\b|\bquero\b|\bik wil\b|\bchcę\b|\bchci\b|\bхочу\b|\bistiyorum\b|我要|我想要|记住|遵守|してほしい|覚えて|기억"
)
# "The above": the text stands before the request.
ABOVE = (
    r"\b(?:above|obige[nrs]?|oben|ci-dessus|de arriba|anterior|acima|qui sopra|hierboven|powyższ\w+|výše|выше|вище|yukarıdaki)\b"
    r"|上面|上述|以上の|上の|위의|أعلاه"
)
# Whoever comes back to what was handed over speaks for themselves again.
TURNING = (
    r"[?？؟]\W*$|^\W*(?:anyway|btw|by the way|so,|but |ok\b|okay\b|now\b|please\b|tell me|ignore|forget|that's|i (?:do not|don't|disagree|agree|only|just|think|want|don't)|we (?:do none|don't do|do not do|ignore))"
    r"|\b(?:the rest|rest of (?:it|that|this)|none of (?:that|it|this)|our (?:own )?(?:rules?|way)|(?:that|this|the) (?:doc(?:ument)?|plan|report|ticket|text|mail|proposal|page|guide) (?:is|was|says)|what i want|in our case|unlike|do (?:that|this) here)\b"
    r"|^\W*(?:übrigens|egal|davon|das gilt|bei uns|sag mir|ich (?:will|finde|möchte)|was ich)\b|\b(?:der rest|nichts davon|unsere regel)\b"
    r"|^\W*(?:au passage|bref|chez nous|on n'en|dis-moi|je (?:veux|ne suis))|\b(?:le reste|rien de tout)\b"
    r"|^\W*(?:por cierto|en fin|eso no|lo nuestro|dime|quiero|aquí)\b|\b(?:el resto|nada de eso)\b"
    r"|^\W*(?:顺便|反正|我们这|告诉我|不过)|^\W*(?:ちなみに|とにかく|うちでは)|^\W*(?:кстати|у нас|в общем)\b|^\W*(?:a proposito|da noi|comunque)\b"
)
# Who others say it is from, with no colon.
SENT = (
    r"\b(?:here|this|below|what)\b.*\b(?:sent|wrote|forwarded|says)\b|\b(?:das|dies|was)\b.*\b(?:geschickt|weitergeleitet|schreibt|schreiben)\b"
    r"|\b(?:voici|ce que)\b.*\b(?:envoyé|écrit|transmis)\b|\b(?:esto|lo que)\b.*\b(?:enviado|mandado|escrito|envió|mandó)\b"
)
# How letters, mails and minutes begin.
SALUTATION = (
    r"(?i)\W*(?:(?:dear|liebe[rs]?|sehr geehrte\w*|chers?|chères?|estimad[oa]s?|querid[oa]s?|egregi\w*|geachte|beste|szanown\w+|drodzy|vážen\w+|уважаем\w+|дорогие|шановн\w+|sayın|değerli) .{1,40}"
    r"|(?:hi|hello|hey|hallo|bonjour|hola|ciao) (?:all|team|everyone|folks|zusammen|à tous|a todos|a tutti|allemaal))[,!:]?\s*$|\W*(?:各位|大家好|尊敬的)"
)
MAIL = r"(?i)\W{0,4}(?:from|to|cc|subject|sent|date|reply-to|von|an|betreff|gesendet|datum|de|à|objet|envoyé|para|asunto|enviado|assunto|da|oggetto|van|onderwerp|od|do|temat|předmět|от|кому|тема|від|kimden|konu|发件人|收件人|主题|差出人|件名)\s?[:：]\s*\S"
FORWARDED = (
    r"(?i)\W*(?:-{2,} ?)?(?:(?:begin )?forwarded message|original message|weitergeleitete nachricht|ursprüngliche nachricht|message (?:transféré|d'origine)|mensaje (?:reenviado|original)|mensagem encaminhada|messaggio inoltrato|转发的邮件|原始邮件)\b"
    r"|(?:on|am|le|el) .{6,80}\b(?:wrote|schrieb\b.*|a écrit|escribió)\s?:\s*$"
)
MINUTES = r"(?i)\W*(?:attendees|participants?|present|agenda|minutes of|teilnehmer|anwesend\w*|tagesordnung|présents|ordre du jour|asistentes|participantes|orden del día|presenti|aanwezig|obecni|участники|присутствовали|учасники|katılımcılar|参会|与会|出席|참석자|الحضور)[^\s:：]{0,6}\s?[:：]"
