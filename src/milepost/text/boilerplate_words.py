"""Words of texts that say nothing, by what they are; and what is known by its form alone."""

# ruff: noqa: E501 -- lists of words

# Words that tell nothing of what a text is about.
PLAIN = frozenset(
    """
    a an the and or but of to in on at by for from with without as is are was were be been being am i
    me my we us our you your yours he she it its they them their this that these those there here who
    which what when where how if then than so too very much more most some any all no not nor do does
    did doing have has had will would can could may might should shall must let just also only again now
    up out off over into about after before per via s t re ll ve d m don didn isn
    der die das den dem des ein eine einen einem einer und oder aber von zu im in am an auf aus bei mit
    nach für ist sind war wird werden wir ihr sie ich du er es uns ihre ihren unsere dir mir dich mich
    nicht kein keine auch nur noch so wie wenn um als zur zum schon sehr
    le la les un une des du de et ou mais à au aux en dans pour par sur avec sans est sont nous vous je
    tu il elle ce cette ces votre vos notre nos ton ta tes que qui ne pas plus très y l d n c j qu s
    el los las una unos unas y o pero del al en con sin por para es son nosotros usted tú su sus tu tus
    nuestro nuestra que no más muy se lo te me mi si ya hasta
    """.split()
)
# What people say to be kind.
COURTESY = frozenset(
    """
    ok okay k yes yep yeah yup no nope sure great perfect cool nice awesome excellent wonderful lovely
    thanks thank thx ty cheers got understood noted done alright right sounds sound good looks lgtm makes
    sense works helps course certainly absolutely definitely welcome problem worries pleasure hi hello hey
    bye goodbye please agreed exactly correct true fine lot always happy help glad helped morning evening
    night luck job question questions point nice day weekend one thing take care away hesitate ask feel
    free reach contact know letting need anything else today time times any assist regards kind best warm sincerely hmm
    hm mhm uh um oh ah wow haha lol well hope finds soon shortly possible back touch get will respond
    reply replying response within hours business days member team support contacting contacted received
    receive receiving request message inquiry enquiry automatically automated generated sorry
    inconvenience apologize apologies patience
    danke dankeschön vielen dank bitte alles klar verstanden passt super prima gut gerne gern ja nein genau
    klingt ordnung erledigt schönen tag abend hallo tschüss mach bescheid freundlichen grüßen grüße anfrage
    nachricht erhalten haben melden meldet schnellstmöglich rückfragen fragen verfügung stehen
    merci beaucoup accord parfait bien reçu rien prie bonne journée bonjour oui non compris entendu noté
    marche cordialement hésitez hésite message demande répondrons meilleurs délais
    gracias muchas acuerdo perfecto vale genial entendido nada claro sí listo hola buen buenos días
    saludos mensaje consulta recibido respuesta pronto luego responderemos gracias
    great talk go going working look looking into let right started continue proceed wish wishes sent
    fantastic amazing brilliant yay np sweet ahead mache geht sicher geschehen melde einfach
    schau regarde ça tout reçu vu listo hecho estupendo
    obrigado obrigada tudo certo certeza beleza claro valeu grazie mille perfetto bene va prego ciao capito
    спасибо понял поняла хорошо ладно ок да нет конечно отлично пожалуйста привет
    """.split()
)
# What stands around pages and below mails.
BANNER = frozenset(
    """
    loading please wait spdx-license-identifier gmbh inc ltd llc accept cookie cookies accepter accepting agree agreeing consent improve improving experience clicking
    click continue continuing continuar browsing preferences preference manage reject necessary essential
    settings policy privacy terms conditions service notice website site page visit visiting third party
    parties advertising analytics personalise personalize content rights reserved copyright unsubscribe
    subscribe newsletter email emails mail inbox browser view sign signed signing up log logged login
    logout register account menu home blog careers pricing press faq about footer header skip main top
    read share tweet pin facebook twitter linkedin instagram youtube follow like loading load wait javascript
    enable enabled disabled advertisement sponsored confidential intended solely addressee recipient
    attachments attachment disclaimer notifications notification mark new miss update updates enter
    expire session stay details apply see never close dismiss learn download app store
    verwenden nutzen erlebnis verbessern akzeptieren ablehnen notwendige einstellungen datenschutz
    datenschutzerklärung impressum agb rechte vorbehalten abmelden anmelden zustimmen einverstanden
    nutzung webseite website seite weitere informationen newsletter abbestellen
    utilisons utilise améliorer expérience tout refuser paramétrer politique confidentialité mentions légales
    droits réservés désabonner poursuivant acceptez navigation site tous
    utilizamos utiliza propias terceros aceptar aceptas acepta todas todos rechazar configurar política
    privacidad términos condiciones derechos reservados aviso legal continuar mejorar experiencia baja
    navegando sitio web uso
    search contact upgrade supported unsupported sent automatically reply respond message contents named
    confidentiality products shop cart help support us our best blog articles related posts comments popular
    weiteren stimmen diese dieser startseite warenkorb suche kontakt continúa navegación produits accueil
    respond error delete received article join
    """.split()
)
# What licences are made of.
LICENCE_WORDS = frozenset(
    """
    spdx-license-identifier licensed license licence licenses mit apache bsd gpl version software permission hereby granted charge
    person obtaining copy associated documentation files file deal restriction including limitation
    warranty warranties kind express implied merchantability fitness particular purpose noninfringement
    redistribution redistributions source binary forms form modification permitted provided following
    met compliance obtain required applicable law agreed writing distributed basis governing permissions
    limitations under event shall liable authors author holders contributors redistribute modify use
    """.split()
)
# What programs say while they work.
LOG = frozenset(
    """
    done got dev versions information app pub up to date crate crates objects into repo downloading downloaded fetching fetched pulling pulled pushing uploading unpacking extracting resolving
    resolved receiving compressing counting enumerating objects deltas delta remote cloning collecting
    collected installing installed successfully success successful succeeded complete completed finished
    building built build compiling compiled checking linking bundling transforming transformed rendering
    chunks modules module computing gzip size fresh cached cache using preparing metadata packages package
    dependencies dependency added removed audited changed vulnerabilities found looking funding fund run
    running started starting queued passed tests test ok warn warning info debug up-to-date date step task
    tasks executed actionable target targets optimized unoptimized debuginfo dev release profile progress
    eta elapsed remaining epoch batch it gb mb kb bytes status image digest layer library pull push latest
    setting processing triggers reading lists state information newer incompatible constraints outdated
    try details everything checks check exit code process deprecated supported solving specifications
    waiting heartbeat ping pong

    """.split()
)
# What a bar of progress looks like, and a row of dots or letters that stands for tests.
BAR = (
    r"[█▓▒░▏▎▍▌▋▊▉━╸╺⣿]{2,}|\d{1,3}\s?%\s?\||[=#>\-.]{8,}\]?\s*\d{1,3}\s?%"
    r"|\[\s*\d+/\d+\]|^[.fsxeFSXE]{8,}(?:\s*\[\s*\d+%\])?$"
)
# What logs have and sentences have not: dots that wait, times that were taken, rows alike.
LOGGED = (
    r"(?im)\.\.\.|…|\bin \d+(?:[.,:]\d+)*\s?m?s\b|\b\d+ passed\b|\d\s?%|^\s*(?:>|\[|\d{1,2}:\d\d|npm |info\b|warn\b"
    r"|compiling|downloading|fetching|installing|collecting|pulling|successfully|removed \d|added \d)"
    r"|^\W*(\w+)\b.*\n\W*\1\b|\bup[- ]to[- ]date\b"
)
# The first words of licences.
LICENCE = (
    r"(?i)^\W*(?:licensed under|permission is hereby granted|this (?:file|software|program|library|code)"
    r" is (?:free software|licensed|provided|distributed)|redistribution and use|spdx-license-identifier"
    r"|copyright \(c\)|use of this source code is governed|the above copyright notice"
    r"|you may not use this file|unless required by applicable law|the software is provided)"
)
# Whose a page is, how a letter ends.
CLOSING = (
    r"(?is)\W*(?:©|\(c\)|copyright\b).{0,80}?(?:rights reserved|rechte vorbehalten|droits réservés|derechos reservados).{0,60}"
    r"|\W*(?:sent from my|gesendet von meinem|envoyé de mon|enviado desde mi)\s\w+(?:\s\w+)?\W*"
    r"|\W*(?:(?:best|kind|warm|many)\s)?(?:regards|wishes|cheers|thanks|sincerely|mit freundlichen grüßen|viele grüße"
    r"|cordialement|saludos)\b\W*(?:[^\W\d]+\W*){0,2}"
)
# Lines of what programs say while all goes well; alone some of them could begin a sentence.
LOG_LINE = (
    r"\s*(?:npm (?:notice|warn|info|http)\b|requirement already satisfied"
    r"|sending build context|remote:\s|get:\d|hit:\d|step \d+/\d+|-+>|=+ \d+ passed|\* \[?\w+\]? +\S+ +->|(?:get|post|head) /\S* \d{3}\b"
    r"|(?:\d{4}-\d\d-\d\d[ t])?\d\d:\d\d(?::\d\d)?\S*\s+(?:\w+ )?(?:ok|heartbeat|ping|pong|info|debug)\b)"
)
LOG_BEGIN = (
    r"\s*(?-i:\[?(?:INFO|DEBUG|TRACE|NOTICE)\b)|\s*(?:collecting|downloading|downloaded|installing|using cached|successfully|compiling|checking|finished|fresh"
    r"|building|unpacking|setting up|selecting|preparing|processing|reading|fetched|fetching|receiving|resolving|counting"
    r"|compressing|enumerating|extracting|pulling|from https?://|already up|listening on|loading|waiting|running|started|starting)\b"
)
# What must be read even in a log.
TROUBLE = r"(?i)\b(?:errors?|fail\w*|exception|fatal|denied|refused|timed? ?out|warning|cannot|panic|missing)\b"
# Chinese has no words between blanks.
CHINESE = (
    r"(?:[，,。.！!～~\s、？?；;…]|好的?|谢谢(?:你|您|大家)?|感谢(?:您|你)?(?:的)?(?:来信|支持|反馈|关注|理解)?|收到|明白了?"
    r"|知道了?|没问题|不客气|辛苦了?|嗯+|行|可以|了解|哈+|您好|你好|再见|请稍(?:等|候)|(?:正在)?(?:加载|下载|安装|处理)中?"
    r"|(?:我们)?会?尽快(?:回复|处理|联系)(?:您|你)?|(?:我们)?已?(?:经)?收到(?:您|你)的\w{0,6}|(?:本|我们的?)?网站使用\s?cookies?"
    r"|使用\s?cookies?|继续(?:浏览|使用)(?:本站|本网站)?(?:即|则)?(?:表示|视为)?|(?:您|你)?同意(?:我们的?|本站的?)?|隐私政策|用户协议"
    r"|使用条款|和|与|及|服务条款|版权所有|保留所有权利|全部接受|接受(?:全部|所有)?|拒绝|登录|注册|首页|关于我们|联系我们|退订|订阅"
    r"|分享|点赞|如有(?:任何)?(?:疑问|问题)|请(?:随时)?(?:联系|告诉)(?:我们|我)|请勿(?:直接)?回复|此邮件(?:由系统)?自动(?:发送|生成)"
    r"|はい|わかりました|了解(?:しました|です)?|ありがとう(?:ございます|ございました)?|承知(?:しました|いたしました)?|お願い(?:します|いたします)|お疲れ様です|大丈夫です"
    r"|完成|成功|已|共|\d+|%|个|包|项|秒|ok|cookies?)+"
)
