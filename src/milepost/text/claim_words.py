"""The words by which claims are compared: those that carry nothing, those that turn a claim."""

from __future__ import annotations


def _all(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What is left out: articles, pronouns, forms of to be, prepositions of place that anybody exchanges.
EMPTY = _all(
    """
    a an the this that these those there here it its we our ours us i my me mine you your they their
    them he his she her be is are am been being has have having do does and in on at of for with as
    so just really please which who what where how i.e ie eg e.g etc s t re ll ve m d
    der die das den dem des ein eine einen einem einer eines und in im an am auf bei beim mit für
    wir uns unser unsere unseren unserem unserer es sich wird werden ist sind sei hat haben man ich
    mir mich zur zum dass ihr ihre
    le la les l un une des du de d et en dans à au aux sur pour nous notre nos on est sont ce cette
    c qu que qui se y ont
    el los las una unos unas del al es son para por con lo nos nuestro nuestra nuestros nuestras
    está están
    的 是 了 在 们 我 你 个 也 就 会 里 上
    """
)
# By mood, the words that make another claim of the same words.
MOODS = {
    word: mood
    for mood, words in {
        "not": """
            not no never none nothing nobody neither nor without cannot nicht nie niemals kein keine
            keinen keinem keiner ohne weder ne n pas jamais sans aucun aucune rien nunca sin ningún
            ninguna nada 不 没 无 未 别
        """,
        "only": "only solely exclusively nur ausschließlich seulement uniquement solo sólo solamente 只 仅",
        "may": """
            may might could maybe perhaps possibly probably probable suggested suggest proposed
            propose proposal considering consider idea vielleicht eventuell könnte könnten
            möglicherweise peut peut-être pourrait puede podría quizás tal vez 可能 也许 建议
        """,
        "if": "if unless whether wenn falls sofern ob sauf cuando when quand 如果 若",
        "ask": "? ？",
        "will": "will shall soon planned planning todo tomorrow next bald geplant demnächst "
        "bientôt pronto será serán 将 计划",
        "ought": "should must ought soll sollen sollte sollten muss müssen doit doivent devrait debe deben "
        "debería 应该 必须",
        "past": """
            was were had did used formerly previously until war waren wurde wurden hatte früher bis
            était étaient avait jusque era eran fue fueron antes hasta 曾 之前 以前
        """,
        "too": "also too additionally auch ebenfalls aussi également también además 也 还",
        "whose": "'s",
    }.items()
    for word in words.split()
}
# Words that may stand in one of two texts that say the same.
LIGHT = _all(
    """
    run use go live keep take get give make set put call work listen sit stand happen noted note
    decision decid memo reminder fact info fyi currently actual now already always to from after per → =
    jetzt aktuell schon immer zu von nach bereit
    maintenant actuellement déjà toujours ahora actualmente ya siempre
    现在 目前 已经
    """
)
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
        must: have to, has to, need to, needs to
        too: as well
    """.strip().splitlines()
    for one, _, phrases in [line.strip().partition(": ")]
    for words in map(str.split, phrases.split(", "))
}
# Beginnings of words that are made from others and mean another thing.
UNRELATED = _all("product process custom contract express commit posit gener intern univers import")
_UNITS = {
    "duration": {
        0.001: "ms millisecond milliseconds millisekunden millisecondes milisegundos 毫秒",
        1: "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos 秒",
        60: "min mins minute minutes minuten minuto minutos 分钟",
        3600: "h hr hrs hour hours stunde stunden heure heures hora horas 小时",
        86_400: "d day days tag tage tagen jour jours día días dia dias 天",
        604_800: "w week weeks woche wochen semaine semaines semana semanas 周",
        2_592_000: "month months monat monate monaten mois mes meses 个月",
        31_536_000: "year years jahr jahre jahren an ans année années año años 年",
    },
    "size": {
        1: "b byte bytes",
        1_000: "kb kib kilobyte kilobytes",
        1_000_000: "mb mib megabyte megabytes",
        1_000_000_000: "gb gib gigabyte gigabytes",
        1_000_000_000_000: "tb tib terabyte",
    },
    "money": {
        1: "euro euros eur €",
        1.0001: "dollar dollars usd $ dólares",
        1.0002: "chf francs franken pounds gbp £ 元 块",
    },
    "share": {1: "% percent prozent pourcent"},
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
