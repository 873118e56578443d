"""The words by which claims are compared: those that carry nothing, those that turn a claim."""

from __future__ import annotations


def _all(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What is left out: articles, forms of to be, "and", "that".
EMPTY = _all(
    """
    a an the it its be is are am been being do does and so please that which who
    der die das den dem des ein eine einen einem einer eines und es sich wird werden ist sind sei
    man dass le la les un une des du de et est sont ce cette que qui se y
    el los las una unos unas del al es son lo está están 的 是 了 个
    """
)
# Small words that one text may have and the other not; if each has one of its own, they differ.
SMALL = {
    word: key
    for line in """
        we us our ours wir uns unser unsere unseren unserem unserer nous notre nos nuestro nuestra
        i my me mine ich mir mich mein meine
        you your yours
        they their them ihr ihre
        he his him
        she her
        this these here
        those there
        in im dans en 在
        on an am auf sur
        at bei beim
        of von
        for für pour para
        with use mit avec con
        as
        to zu zum zur → 到
        from 从
        has have having hat haben ont
        how
        what
        where
        just
        than
        à au aux a
        por
        run live listen
    """.strip().splitlines()
    for key, *others in [line.split()]
    for word in (key, *others)
}
# Words that may stand in one of two texts that say the same.
LIGHT = _all(
    "noted note decision memo reminder fyi currently now already per = jetzt aktuell schon"
    " maintenant actuellement déjà ahora actualmente ya 现在 目前 已经"
)
# By mood, the words that make another claim of the same words.
MOODS = {
    word: mood
    for mood, words in {
        "not": """
            not no none nothing nobody neither nor without cannot nicht kein keine keinen keinem
            keiner ohne weder ne n pas sans aucun aucune rien sin ningún ninguna nada 不 没 无 未 别
        """,
        "never": "never nie niemals jamais nunca",
        "only": """
            only solely exclusively nur ausschließlich seulement uniquement solo sólo solamente
            只 仅
        """,
        "may": """
            may might could maybe perhaps possibly probably suggested suggest proposed propose
            proposal considering consider idea vielleicht eventuell könnte könnten möglicherweise
            peut-être pourrait podría quizás 可能 也许 建议
        """,
        "if": "if wenn falls sofern si 如果 若",
        "unless": "unless sauf",
        "ask": "? ？ whether ob",
        "will": "will shall planned planning todo geplant demnächst bientôt será serán 将 计划",
        "should": "should ought soll sollen sollte sollten devrait debería 应该",
        "must": "must muss müssen doit doivent debe deben 必须",
        "past": """
            was were had did used formerly previously war waren wurde wurden hatte früher était
            étaient avait era eran fue fueron 曾 以前
        """,
        "too": "also too additionally auch ebenfalls aussi également también además 也 还",
        "whose": "'s",
    }.items()
    for word in words.split()
}
# Words of one meaning, by the first of each line.
SYNONYMS = {
    other: first
    for line in """
        every each all
        prefer like prefers likes
        request req reqs requests
        database db databases dbs
        development dev
        production prod
        configuration config configs configurations
        repository repo repos repositories
        documentation docs doc
        environment env environments
        maximum max maximal
        minimum minimal
        number nr num count
        delete remove erase
        start begin launch
        end finish stop terminate
        need require
        single one
        release ship publish
        fail break die
        fix repair mend
        error err
        directory folder dir
        application app
        message msg
        percent % prozent pourcent
        because since weil denn car parce porque
        return answer respond reply
        store save persist
        change modify alter edit
        show display
        choose pick select
        buy purchase
        send deliver
        allow permit let
        forbid prohibit ban disallow
        happen occur
        fast quick rapid
        big large
        small little tiny
        kid child
        mum mom mother
        dad father
        phone telephone
        flat apartment
        holiday vacation
        rubbish garbage trash
        fridge refrigerator
        bike bicycle
        film movie
        photo picture pic
        colour color
        grey gray
        licence license
        email mail
        login signin
        kubernetes k8s
        postgresql postgres
        javascript js
        typescript ts
        password passwd pw
        about approximately approx roughly around circa ungefähr etwa
        through via
        whole entire
        price cost
        name heißt heißen
        nom appelle appellent
        nombre llama llaman
        provider supplier vendor
        administrator admin
        specification spec
        parameter param
        argument arg
        dependency dep
        package pkg
        button btn
        temporary temp
        implementation impl
        reference ref
        variable var
        function func fn
        library lib
        address addr
        account acct
        annual yearly
        sick ill
        first 1st
        owner own
        often frequently
        twice zweimal
        jeder jede jedes jedem jeden alle allen
        tous toutes chaque
        cada todos todas
    """.strip().splitlines()
    for first, *others in [line.split()]
    for other in (first, *others)
}
# Two words that are one.
PHRASES = {
    tuple(words): one
    for line in """
        pr: pull request, pull requests, merge request, merge requests
        login: log in, logs in, sign in, signs in
        setup: set up, sets up
        daily: every day, each day, per day, a day
        weekly: every week, each week, per week, a week
        monthly: every month, each month, per month, a month
        annual: every year, each year, per year, a year
        hourly: every hour, each hour, per hour, an hour
        nightly: every night, each night
        maximum: at most
        minimum: at least
        name: is called, are called, is named, are named
        must: have to, has to, need to, needs to
        too: as well
    """.strip().splitlines()
    for one, _, phrases in [line.strip().partition(": ")]
    for words in map(str.split, phrases.split(", "))
}
_UNITS: dict[str, dict[float, str]] = {
    "duration": {
        0.001: "ms millisecond milliseconds millisekunden millisecondes milisegundos 毫秒",
        1: "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos 秒",
        60: "min mins minute minutes minuten minuto minutos 分钟",
        3600: "h hr hrs hour hours stunde stunden heure heures hora horas 小时",
        86_400: "day days tag tage tagen jour jours día días dia dias 天",
        604_800: "week weeks woche wochen semaine semaines semana semanas 周",
    },
    "months": {
        1: "month months monat monate monaten mois mes meses 个月",
        12: "year years jahr jahre jahren an ans année années año años 年",
    },
    "size": {
        1: "byte bytes",
        1_000: "kb kilobyte kilobytes",
        1_000_000: "mb megabyte megabytes",
        1_000_000_000: "gb gigabyte gigabytes",
        1_000_000_000_000: "tb terabyte terabytes",
    },
    "euros": {1: "euro euros eur €"},
    "dollars": {1: "dollar dollars usd $ dólares"},
    "pounds": {1: "pound pounds gbp £"},
    "francs": {1: "chf franken"},
    "yuan": {1: "元 块"},
    "percent": {1: "% percent prozent pourcent"},
}
# By word the kind of value that it measures, and how much one of it is.
UNITS = {
    word: (kind, size)
    for kind, sizes in _UNITS.items()
    for size, words in sizes.items()
    for word in words.split()
}
NUMBERS = {
    word: str(number)
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "deux trois quatre cinq six sept huit neuf dix onze douze",
        "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, word in enumerate(words.split(), 2)
} | {
    word: str(10 * number)
    for words in (
        "twenty thirty forty fifty sixty seventy eighty ninety hundred",
        "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert",
        "vingt trente quarante cinquante soixante - - - cent",
        "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien",
    )
    for number, word in enumerate(words.split(), 2)
}
WEEKDAYS = {
    form: number
    for words in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
    )
    for number, word in enumerate(words.split(), 1)
    for form in (word, f"{word}s")
}
MONTHS = {
    word: number
    for words in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "jan feb mar apr may jun jul aug sep oct nov dec",
    )
    for number, word in enumerate(words.split(), 1)
}
