"""Words by which a short statement is read: what binds a value to its subject, and how tightly."""

from __future__ import annotations

from milepost.text.expressions import lazy


def _all(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What says only which one is meant, or that it holds now: left out where statements are compared.
DETERMINERS = _all(
    "the a an our my your their der die das den dem des ein eine einen einem unser unsere unseren "
    "le la les l' un une notre nos mon ma el los las una unos nuestro nuestra mi"
)
DEFINITE = DETERMINERS - _all("a an ein eine einen einem un une una unos")
NOW = _all(
    "now currently nowadays already today's jetzt nun aktuell inzwischen mittlerweile maintenant "
    "désormais actuellement ahora actualmente ya"
)
# From when on something holds.
SINCE = lazy(
    r"(?i)(?:^|[\s,]+)(?:since|as of|as from|starting|effective|from|seit|ab|depuis|dès|desde)"
    r"(?: (?:the|last|this|next|dem|le|el|revision|version|release))?"
    r" (?:now on|today|jetzt|sofort|heute|week|month|year|spring|summer|autumn|fall|winter"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag"
    r"|samstag|sonntag|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars"
    r"|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo"
    r"|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|v?\d[\d.-]*|[A-Z])"
    r"(?: \d{1,4})?(?=[\s,.;]|$),?|现在|目前|如今|已经"
)
LABELS = _all(": = ：")
COPULAS = _all("is are ist sind est sont es son está están 是 为")
NAMED = _all("called named heißt s'appelle llama genannt")
# After these stands where something is or what it is done with: there is one at a time.
PLACES = _all(
    "in on at with by under via from inside as als auf an bei mit unter über aus im am um "
    "dans sur avec chez à en con por 在 到"
)
# After these more than one may stand, but for what these verbs tell.
TOWARDS = _all("to zu nach vers 给")
GOING = _all("go goes report reports belong belongs point points land lands geht gehen va van")
# A value may be followed by these and what they bind: another part of the frame.
BINDING = (
    PLACES
    | TOWARDS
    | _all(
        "for of per after before within until every per and ab für von nach vor pro par pour de "
        "du después para al old alt ans each"
    )
)
# What there may be more than one of, whatever it is said of.
ADDITIVE = _all(
    "support supports like likes love loves enjoy enjoys know knows speak speaks play plays sell "
    "sells visit visits read reads watch watches fail fails crash crashes break breaks can could "
    "test tests used subscribe subscribes include includes return returns accept "
    "accepts teach teaches treat treats contain contains cover covers check checks stop stops "
    "happen happens occur occurs available programmiert spricht spielt zeigt misst messen parle "
    "aime joue enseigne livrons habla juega enseña lee kann peut puede there gibt hay 支持"
)
# What is done to one thing in several places, by several people and with several tools.
REPEATED = _all(
    "tested called used made read logged imported mentioned sent shown sold spoken referenced "
    "covered described documented checked found seen played taught reviewed fed cooked"
)
# There are several of these: what is told is the name of one.
ACQUAINTANCES = _all(
    "friend customer client sponsor colleague brother sister child son daughter neighbour neighbor "
    "partner supplier competitor member guest reason cause example goal risk idea task hobby "
    "freund freundin kunde kundin ami amie cliente amigo amiga"
)
# These come again: what is told is of one time.
OCCURRENCES = _all(
    "problem issue bug error crash failure exception incident outage train bus flight ferry film "
    "movie concert match game score appointment patient talk lecture tour trip fehler absturz "
    "termin zug flug spiel vol erreur partido vuelo"
)
# Where something comes from does not change, and is told now roughly and now exactly.
ORIGINS = _all("from aus de by von par")
# On more than one day of a week something may be so.
OPEN = _all(
    "open opens closed free available works work operates offen öffnet arbeitet ouvert ouvre "
    "abierto abre trabaja"
)
# A list goes on after these.
JOINED = _all("and or und oder et ou y o &")
TONGUES = _all(
    "english german french spanish italian dutch polish chinese japanese portuguese russian "
    "deutsch englisch französisch spanisch anglais allemand français inglés alemán francés"
)
# One has one of these at a time.
DRIVEN = _all("drive drives fährt conduit conduce")
CHOSEN = _all("use uses nutzen verwenden benutzen utilisons usamos 用")
WANTED = _all("want wants prefer prefers möchte bevorzugt veut préfère quiere prefiere")
# Of a name in front of a colon there is more to come.
NOTES = _all(
    "bug bugs todo note fix fixed idea decision question error issue task done update reminder "
    "lesson tip warning example see problem cause result summary fyi next plan learned finding "
    "fact info changed added removed feature risk blocker merke fehler hinweis idee remarque nota "
    "do wip left open fail failed pass passed ok warn debug cost topic context decided rule"
)
# Of what these pick out, or name, there is one, however it is written.
PICKED = _all(
    "default favourite favorite preferred main primary official chosen standard "
    "bevorzugte préféré préférée favorito favorita"
)
ATTRIBUTES = _all(
    "name branch colour color password language format owner lead leader manager status state mode "
    "level type engine theme region zone currency encoding licence license policy strategy role "
    "job title diet size material compiler editor shell tool framework provider host address url "
    "path unit version port database warehouse passwort farbe sprache couleur langue contraseña"
)
OPPOSITES = {
    word: other
    for line in """
        enabled disabled
        on off
        active inactive
        open closed
        allowed forbidden
        required optional
        mandatory optional
        public private
        true false
        yes no
        aktiviert deaktiviert
        an aus
        offen geschlossen
        activé désactivé
        activada desactivada
        activado desactivado
    """.strip().splitlines()
    for one, two in [line.split()]
    for word, other in ((one, two), (two, one))
}
WE = _all("we i they you wir ich nous on nosotros")
PEOPLE = _all("user he she it i we they nutzer nutzerin utilisateur utilisatrice usuario usuaria")
# What was, by forms that no ending gives away.
PAST = _all(
    "saw left felt led sat shot hung dug rang sank shook tore sought fought thought heard meant "
    "dealt learnt found bent lent war ging kam fuhr sah fand hatte fue fui fuimos visitó leyó vio"
)
# What ends like these names what happens, and does not tell it.
HAPPENINGS = ("ing", "ment", "tion", "termin", "abend")
# Who or what moved to a place was at another before.
MOVED = lazy(
    r"(?i)^(?P<who>.{1,50}?)\W+(?:(?:has|have|had|was|were|is|are|got|ist|sind|wurde|est|sont|a|se)"
    r"\W+)?(?:been\W+)?(?:(?:moved|relocated|migrated|switched|transferred|mudó|trasladó|cambió|"
    r"déménagé|passée?s?)\W+(?:over\W+)?(?:to|into|a|à|al|vers)\W+(?P<where>[^,;.]{2,40})"
    r"|nach\W+(?P<where2>[^,;.]{2,30}?)\W+(?:gezogen|umgezogen|gewechselt))"
    r"|^(?P<who3>.{1,12}?)(?:已经)?(?:搬到|迁到|搬去)了?(?P<where3>.{2,12})"
)
