"""How people say that something is another now, gone, or only beside what is known."""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

from milepost.text.expressions import lazy

# The newer says that something is another now.
CHANGES = lazy(
    r"(?i)\b(?:now|nowadays|these days|meanwhile|no longer|any ?more|from (?:now|here) on|as of|as from|"
    r"going forward|effective|instead|since|switch(?:ed|ing)?|mov(?:ed|ing)|relocated|migrat\w+|"
    r"converted|ported|shifted|changed|chang(?:es|ing) to|adjusted|rais\w+|lower(?:ed|ing)|lifted|"
    r"extended|shortened|doubled|halved|trimmed|bump\w*|upgrad\w+|downgrad\w+|reduc\w+|increas\w+|"
    r"decreas\w+|cut|rose|fell to|dropped to|went (?:up|down)|postponed|delayed|pushed (?:back|to)|"
    r"brought forward|rescheduled|renamed|replac\w+|swapped|became|new|updated|rewr[io]t\w+|"
    r"t(?:ook|aken) over|takes over|succeeded|handed|"
    r"jetzt|nun|inzwischen|mittlerweile|neuerdings|nicht mehr|ab (?:sofort|jetzt|heute)|künftig|"
    r"neue\w?|umgestellt|umgestiegen|umgezogen|gewechselt|verlegt|verkürzt|verlängert|geändert|erhöht|"
    r"angehoben|gesenkt|verschoben|statt|übernimmt|übernommen|abgelöst|"
    r"maintenant|désormais|dorénavant|à présent|nouve(?:au|l|lle)|remplac\w+|passée? (?:à|de)|"
    r"passe (?:à|de)|relevée?|baissée?|augmentée?|réduite?|repoussée?|déplacée?|"
    r"ahora|actualmente|ya no|en adelante|nuev[oa]|a partir de|cambi(?:a|ó|amos|ado)|"
    r"pas(?:a|ó|amos) a|reemplaz\w+|sustitu\w+|sub(?:e|ió|imos)|baj(?:a|ó|amos)|aumentó|redujo|"
    r"trasladó|aplaz\w+)\b|改|换成|迁|不再|现在|如今|起|调|升级|已经|推迟|提前"
)
# What stands right before the value that something was changed to.
TO = lazy(r"(?i)(?:\b(?:to|auf|à|a)|改成|改为|改到|为|到|成)\W*$")
# The newer speaks of something beside, of another time, or of what others think.
BESIDE = lazy(
    r"(?i)\b(?:also|too|as well|besides|another|both|asked (?:whether|if|for|in)|wonder\w*|discuss\w*|"
    r"no decision|undecided|some ?day|idea|propos\w+|suggest\w*|consider\w*|thinking (?:of|about)|"
    r"would|might|maybe|perhaps|until|back then|at first|originally|this (?:week|month|time|morning|afternoon|evening)|tonight|today|"
    r"tomorrow|yesterday|temporar\w+|for once|exception\w*|only for|last|old|to-?do|"
    r"auch|ebenfalls|vielleicht|überleg\w*|vorschlag\w*|früher|damals|diese woche|ausnahmsweise|"
    r"aussi|également|peut-être|proposé\w*|autrefois|cette semaine|"
    r"también|además|quizás?|propuso|antes|esta semana)\b|[?？]\s*$|建议|讨论|还没|也"
)
# What is gone, after its name, and what leaves it, before its name.
GONE = lazy(
    r"(?i)^(?:[.\w-]*|['’]s)(?: (?!and|or)\w+)?(?:,? (?:is|are|was|were|has been|have been|got|ist|sind"
    r"|wurde|wird|a été|se|est|fue) (?:now )?(?:gone|removed|retired|given away|deleted|dropped|"
    r"deprecated|shut down|switched off|turned off|decommissioned|sold|cancell?ed|discontinued|"
    r"weg|raus|abgeschaltet|entfernt|gelöscht|gekündigt|verkauft|ausgeschieden|supprimé|retiré|"
    r"abandonné|borró|eliminó|quitó|eliminado)| (?:retired|left (?:us|the)|fell through|went away|"
    r"moved to|está de baja))"
)
LEAVING = lazy(
    r"(?i)(?:\b(?:off|away from|swap(?:ped)?|replac(?:ed|es|ing)|dropped|removed|retired|"
    r"sold|quit|gave up|cancell?ed|ditched|"
    r"not|no longer|instead of|rather than|weg von|statt|nicht mehr|ersetzt|remplacé|au lieu de|"
    r"en vez de|ya no)|不再用?)\s*(?:the |a |an |den |die |das |le |la |el |uses? |use )?$"
)
# A first look for either.
LEFT = lazy(
    r"(?i)gone|remov|retire|given away|delet|dropped|deprecat|shut down|switched off|turned off|sold|"
    r"decommission|cancel|discontinu|\bout\b|\bquit\b|gave up|ditched|fell through|went away|moved|\boff\b|away from|swap|replac|"
    r"\bnot\b|no longer|instead|rather|\bleft\b|weg|raus|abgeschaltet|entfernt|gelöscht|gekündigt|"
    r"verkauft|ausgeschieden|statt|nicht mehr|ersetzt|supprim|retir|abandonn|remplac|au lieu|borró|"
    r"eliminó|quitó|eliminado|de baja|en vez|ya no|不再"
)
# What stands before the first word of a sentence.
BEGINS = lazy(r"(?:^|[.!?:;]\s|\n)\W*$")
# What tells what happened once, and states nothing that another time could change.
HAPPENED = lazy(
    r"(?i)\W*(?:moved|fixed|checked|added|renamed|updated|replaced|tested|looked|worked|tried|talked|"
    r"asked|discussed|finished|committed|reverted|implemented|deployed|merged|reviewed|visited|called|"
    r"watched|noticed|changed|upgraded|ran|found|made|wrote|went|had|saw|did|got|took|came|spent|"
    r"add|update|upgrade|remove|drop|bump|document|refactor|move|change|deprecate|cover|chore|ci|docs?|"
    r"maint|tst|rename|replace|improve|implement|merge|revert|test|clean|enable|disable|"
    r"summary|session|crash|done|commit|next|fix|watch out|still open|todo|habe?|hab)\b"
)
# What one does at a time.
ROLE = lazy(
    r"(?i) (?:does the|owns?|leads?|manages?|handles?|maintains?|runs the|chairs|is (?:our|the|in charge|"
    r"responsible)|looks after|takes care|leitet|betreut|ist (?:unser|der|die|für|zuständig)|kümmert|"
    r"dirige|gère|s'occupe|est (?:notre|le|la|responsable)|lleva|es (?:nuestr[oa]|el|la|responsable))\b"
)
# What may follow a value without being a condition of it.
REASON = lazy(r"(?i)[^\w\s]*[,;.:(]|\W*(?:since|because|so|weil|denn|parce|car|porque)\b")
# What follows these there is one of at a time.
SINGLE = lazy(
    r"(?i)\b(?:is|are|ist|sind|wird|werden|est|sont|es|son|está|están|lives? in|goes to|"
    r"belongs to|runs on|wohnt|liegt|läuft|habite|vive)\b|是|为|用的"
)
# What follows the number of a thing that is told from others by it: chapter 4 is done.
NUMBERED = lazy(r"(?i)\s+(?:is|are|was|were|has|ist|sind|wurde|est|sont|es|son)\b")
# What follows these says of what something is, and there may be more of that.
OF = lazy(r"(?i)\b(?:of|for|von|für|pour|de|du|para)\b")
# The older says what holds: somebody or something is, has, does.
STATES = lazy(
    r"(?i)^\W*(?:the|our|my|der|die|das|unsere?|le|la|les|notre|nos|el|los|las|nuestr[oa]s?)\b|"
    r"\b(?:is|are|has|have|we|i|user|may|must|can|lives?|goes|comes?|costs?|belongs?|owns?|runs?|starts?|"
    r"begins?|opens?|closes?|ends?|expires?|lasts?|stays?|takes?|waits?|allows?|supports?|keeps?|needs?|"
    r"gets?|uses?|wants?|prefers?|pays?|meets?|does|sits?|leads?|handles?|manages?|maintains?|ist|sind|hat|haben|wird|werden|wir|kostet|"
    r"wohnt|liegt|läuft|hält|wartet|dauert|braucht|gilt|est|sont|nous|coûte|habite|dure|accepte|es|son|"
    r"está|están|cuesta|vive|dura|tiene)\b|是|为|用|要|有"
)
CLAUSE = lazy(r"[.;!?](?:\s|$)|\n|[。；，]")
ENVIRONMENTS = frozenset(
    """
    production staging stage development local locally test testing qa ci preview sandbox demo
    io android web desktop mobile tablet window linux maco backend frontend
    produktion lokal producción locale
    """.split()
)
