"""The words by which a prompt asks for what was before: phrases, and words that go together."""

from __future__ import annotations


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(f" {' '.join(phrase.split())} " for phrase in text.split(","))


# A phrase that by itself asks for the past, for reasons or for customs. Apostrophes are left out.
PHRASES = _phrases("""
    what did we, what did i, what have we, what had we, what were we, what was i, did we, have we,
    had we, were we, who decided, who wrote, who added, what was that, what was our,
    do you remember, you remember, remember when, remember how, remember why, i remember,
    remind me, i forgot, i forget, cant remember, dont remember, from memory, in memory about,
    we decided, we agreed, we discussed, we talked, we settled, we chose, we picked, we tried,
    we fixed, we solved, we said, we planned, we switched, we dropped, we rejected, we removed,
    we ended up, we went with, we came up, we hit, we ran into, we learned, we set up,
    we used last, you said, you told, you mentioned, you suggested, you recommended, you fixed,
    you found, i told you, i mentioned, i asked you, as discussed, as agreed, as decided,
    last time, last session, last sprint, last release, last attempt, last incident,
    previous session, previous sessions, previous conversation, previous chat, previous attempt,
    previous discussion, earlier session, earlier today, past sessions, past decisions,
    the other day, a while ago, a while back, weeks back, months back, this morning we,
    yesterday we, yesterday i, we did yesterday, as before, like before, same as before,
    as last time, like last time, the same way as, same way we, the way we, like we did,
    like we do, as we did, as we do, as always, our usual, how we usually, we usually, we normally,
    we typically, we always, do i usually, do we have any, left off, leave off, left it,
    where were we, where are we, where was i, pick up where, continue from, catch me up,
    bring me up, get me up to speed, up to speed, whats left, what is left, what remains,
    whats the status, what is the status, whats next, what is next, what should i do next,
    what should we do next, whats still open, open problems, open issues, any gotchas,
    lesson learned, pitfalls, whats pending, still failing, still fails, still broken,
    still getting, still seeing, still crashes, still crashing, still happens, still happening,
    still red, still the same, same error, same issue, same problem, same bug, same failure,
    same traceback, same exception, same warning, same thing happen, same thing happens,
    keeps failing, keeps crashing, keeps happening, keeps timing, keeps breaking, keep getting,
    keeps coming, happening again, happened again, broke again, broken again, fails again,
    failing again, failed again, crashed again, crashes again, again today, seen this before,
    saw this before, had this before, seen that before, happened before, done before,
    done this before, tried before, did before, worked yesterday, used to work, stopped working,
    not working anymore, no longer works, no longer working, our convention, our conventions,
    our policy, our rule, our rules, our standard, our standards, our approach, our strategy,
    our process, our workflow, our setup, our decision, our reasoning, our reason, our preference,
    our style, our guidelines, the convention for, the conventions for, the reason we,
    the reason for, the reason behind, reasoning behind, decision behind, already tried,
    already decided, already discussed, already fix, already fixed, already solve, already done,
    ever fix, ever solve, ever tried, ever decide, why not use, how come we, how come our,
    how did we, how did you, how did i, where did we, where did i, where did you, which one did we,
    what happened with, what happened to, whatever happened, what became, what came of,
    result of our, conclusion on, conclude about, what do we know, what do you know, do we know,
    what changed since, whats new since, what i was doing, i was working on, we were working on,
    worked on last, working on before, working on yesterday, on purpose, intentional,
    intentionally, deliberate, deliberately, by design, anything i should know, what should i know,
    what do i need to know, the story with, the story behind, known problem, known bug,
    known limitation, once more, wasnt there, isnt there a, didnt that, didnt this, didnt it,
    wasnt that, wasnt this, havent i, look up what, what happened, we noted, i could swear,
    pretty sure we, i thought we, i think we, supposed to be, supposed to work, from yesterday,
    next steps, why not, what is pending, what was it, its back, any reason, reason why, i keep
""")

# Phrases that are as likely part of an order: "add a regression test", "sort by last week".
WEAK_PHRASES = _phrases("""
    recall, the decision, decision on, decision about, decisions on, decisions about, regression,
    lessons, history of, the history of, rationale, is back, came back, what was the,
    what were the, the usual, status of, gotchas, unfinished, worked fine, still have, outcome of,
    memory of, remember the, remember that, remember what, we made, we had, we saw, i said,
    still open, used to be, already have a, known issues, known issue, as usual, work before,
    when did, anything about, days ago, weeks ago, months ago, last night, last week, last month,
    last year, last monday, last tuesday, last wednesday, last thursday, last friday, still not,
    still see, still doesnt, still does not, worked before, since last, from yesterday, recap,
    the history behind, background on, background of, context on, the deal with, workaround,
    incident, outage, postmortem, post mortem, back then, previously, originally, got done,
    was done, i stopped, a reason, the reason, similar crash, similar issue, similar error,
    similar problem, similar bug, like that before, this before, that before, since yesterday,
    in the past, the agreed, preferred way, back again, down again, error again, again, was fixed,
    were fixed, was solved, was decided, was changed, was removed, got fixed, got removed,
    got changed, happened, in january, in february, in march, in april, in may, in june, in july,
    in august, in september, in october, in november, in december, on monday, on tuesday,
    on wednesday, on thursday, on friday, since monday, since tuesday, since wednesday,
    since thursday, since friday, reasoning, keeps, previous attempts, previous work, yesterday,
    no reason,
    back to normal
""")

# The same in other tongues, at a basic level.
PHRASES_ABROAD = _phrases("""
    was haben wir, haben wir, hatten wir, warum nutzen wir, warum verwenden wir,
    warum benutzen wir, warum haben, warum ist das, warum machen wir, wieso haben, wieso nutzen,
    weshalb, letztes mal, letzte woche, letzten monat, gestern, beim letzten mal, erinnerst du,
    erinnere mich, weißt du noch, wie beim letzten, wie immer, wie üblich, wie letztes mal,
    wie vorher, wo waren wir, wo sind wir stehen, stehen geblieben, stehengeblieben, immer noch,
    schon wieder, derselbe fehler, gleicher fehler, der gleiche fehler, dieselbe fehlermeldung,
    unsere konvention, unsere regel, wie deployen wir, wie machen wir, wie nennen wir,
    was war der grund, entschieden, beschlossen, vereinbart, wer hat, besprochen, damals,
    wie war das, womit haben wir, wofür haben wir, normalerweise, üblicherweise, quavons nous,
    avons nous, avions nous, pourquoi utilisons, pourquoi avons, pourquoi on, pourquoi est ce,
    la dernière fois, dernière fois, la semaine dernière, le mois dernier, hier, tu te souviens,
    te souviens tu, rappelle moi, comme avant, comme dhabitude, la même erreur, même erreur,
    même problème, encore cassé, toujours pas, échoue encore, échoue toujours, encore la même,
    où en étions, où en est, on en était, notre convention, nos conventions, comment on déploie,
    comment déployons, dhabitude, quelle était, quel était, on avait, on a décidé, on a choisi,
    nous avons décidé, décidé, avait choisi, qué decidimos, que decidimos, qué hicimos,
    que hicimos, decidimos, elegimos, acordamos, usamos la, por qué usamos, por que usamos,
    por qué elegimos, por qué no, la última vez, última vez, ultima vez, la semana pasada,
    semana pasada, el mes pasado, ayer, te acuerdas, recuerdas, recuérdame, como antes,
    como siempre, como la otra vez, el mismo error, mismo error, mismo problema, sigue fallando,
    sigue sin, todavía falla, otra vez el, otra vez falla, dónde quedamos, donde quedamos,
    en qué quedamos, nuestra convención, nuestras convenciones, cómo desplegamos, como desplegamos,
    normalmente, cuál era, cual era, cuál fue, cual fue, habíamos, habiamos, solucionamos,
    arreglamos, la otra vez, por qué, por que, pourquoi, warum, wieso, on déploie, resolvimos,
    weisst du noch, motivo de
""")

# What an order begins with.
ORDERS = frozenset(
    """
    add adjust allow append apply bring build bump cache change check clean cleanup comment commit
    compare configure continue convert copy create cut debug delete deploy design disable do
    document download draft drop edit enable ensure export expose extend extract find fix format
    generate get give go handle hide implement import improve increase inline insert install
    investigate keep let lets lint list load log look make merge migrate mock move open optimize
    parse pin point port prepare print publish push put raise read rebase record reduce refactor
    release remember remove rename render reorder replace reproduce rerun reset restart restore
    return revert review rewrite run save scaffold search send set setup show simplify skip sort
    speed split start stop store stub summarize support switch sync tag take test throw tidy
    translate trim try turn undo update upgrade use validate verify wrap write yes no ok okay sure
    füge benenne schreib schreibe lösche ändere mach mache ajoute renomme écris supprime mets añade
    agrega renombra escribe borra cambia pon haz crea crée erstelle
    """.split()
)
# What may stand before the verb of an order.
COURTESY = frozenset(
    """
    please pls plz can could would will you u now then and so ok okay hey hi hello just also next
    alright great good nice cool thanks thank bitte kannst du por favor puedes sil vous te plaît
    peux tu i want need like to id we should lets the quick quickly go ahead
    """.split()
)

# A word that could give an order is a noun before these: "build is red".
AFTER_NOUN = frozenset(
    "is are was were has had fails failed keeps hangs hung breaks broke still does doesnt works "
    "worked takes took shows says gives crashes crashed stopped times".split()
)
# An order to tell something is as good as a question.
TELLING = frozenset(
    "tell give show explain summarize summarise recap list remind find search look describe "
    "check".split()
)
# What a question begins with, if its mark is left out.
ASKING = frozenset("why what whats how hows where wheres which when who whos whose".split())
VERBS_FIRST = frozenset(
    "did do does is are was were have has had wasnt werent didnt isnt arent hadnt havent hasnt "
    "dont doesnt anyone anybody".split()
)
# Who is meant by us, and what is here.
OURS = frozenset("we our us ours weve".split())
HERE = frozenset("we our us this that these those the it its i my you your they there".split())
# A question that plans: "how can we make this faster".
PLANNING = frozenset("can could should would shall might may if to will".split())
# A question with one of these is about what was.
PAST = frozenset(
    """
    was were had did wasnt werent hadnt didnt got been came went chose chosen decided agreed
    settled happened caused broke fixed solved resolved introduced changed removed picked reason
    originally previously formerly recently earlier yesterday
    """.split()
)
# A question to the agent about the turn that just ended: "did that work".
JUST_NOW = ("did you ", "did it ", "did that ", "did this ", "was that ", "was it ", "is that ")
# What somebody is asked about who knows the code, and not its history.
WHO_IN_CODE = frozenset("calls uses imports triggers reads writes sends invokes".split())

# How words are often typed.
SPELLINGS = {
    "wat": "what", "waht": "what", "wht": "what", "wut": "what", "whta": "what", "wath": "what",
    "hwo": "how", "hw": "how", "y": "why", "wy": "why", "whi": "why", "whay": "why",
    "wheer": "where", "whre": "where", "wich": "which", "whcih": "which", "wehn": "when",
    "u": "you", "ur": "your", "r": "are", "teh": "the", "hte": "the", "dit": "did", "ddi": "did",
    "remeber": "remember", "rember": "remember", "remmeber": "remember", "remembr": "remember",
    "remeind": "remind", "decied": "decided", "desided": "decided", "decieded": "decided",
    "decded": "decided", "decid": "decided", "decidet": "decided", "lst": "last", "tiem": "time",
    "agian": "again", "agin": "again", "agan": "again", "stil": "still", "sitll": "still",
    "eror": "error", "erorr": "error", "errror": "error", "failng": "failing", "faling": "failing",
    "usualy": "usually", "ususally": "usually", "usally": "usually", "convetion": "convention",
    "convenion": "convention", "dicussed": "discussed", "discused": "discussed",
    "yesteday": "yesterday", "yestarday": "yesterday", "w": "we", "previus": "previous",
    "prevoius": "previous", "befor": "before", "beofre": "before",
}  # fmt: skip
