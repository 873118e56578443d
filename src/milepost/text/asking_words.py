"""The words by which a sentence asks, and the words that say little of what it asks about."""

from __future__ import annotations


def _by_first_word(text: str) -> dict[str, list[list[str]]]:
    phrases: dict[str, list[list[str]]] = {}
    for phrase in text.split(","):
        words = phrase.split()
        phrases.setdefault(words[0], []).append(words)
    return phrases


# What may stand before a question without being part of it.
OPENERS = frozenset(
    """
    so and but or also oh ok okay well anyway btw hey hi hello please pls now then first just
    actually again meanwhile still und aber also ach na ja y pero bueno oye et mais alors donc e mas
    então ma allora dunque quick question um uh lol sry
    """.split()
)

QUESTION_WORDS = frozenset("what whats when where wheres which who whos whom whose why how".split())
# An English question word asks when one of these follows soon, before any subject.
AUXILIARIES = frozenset(
    """
    is are was were am do does did has have had can could will would shall should may might must
    s isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt cant couldnt wont wouldnt
    shouldnt
    """.split()
)
SUBJECTS = frozenset(
    """
    i im ive you youre he hes she shes it we they theyre there the this that these those my your
    our his her their its any anyone anybody somebody someone something everyone people a an
    """.split()
)
# What "how" and "who" ask with by themselves: "how many", "who wrote".
AFTER_HOW = frozenset("to many much often long old far big late come".split())
# What follows where the subject was left out: "will do", "would love to", "could be".
NOT_ASKED = frozenset(
    """
    do be been being not love like have never also always work definitely probably get now only
    """.split()
) | {""}

# Words that begin a question in other tongues.
QUESTION_WORDS_ABROAD = frozenset(
    """
    wer wen wem wessen was wann wo woher wohin warum wieso weshalb welche welcher welches welchen
    welchem wie wieviel womit wofür wozu worüber woran quién quien quiénes qué cuándo cuando cuál
    cual cuáles dónde donde cómo cuánto cuánta cuántos cuántas qui quoi quel quelle quels quelles
    quand où pourquoi comment combien quem qual quais quando onde como quanto quanta quantos
    quantas chi cosa quale quali dove perché perche come quanti quante
    """.split()
)

# What says that something is asked, wherever it stands. Apostrophes are left out.
FRAMES = _by_first_word("""
    need to know, needs to know, want to know, like to know, love to know, wanted to ask is,
    wanted to ask, want to ask is, want to ask, ask something, question is, what i dont get is,
    what i need is, tell me, let me know, show me, explain to me, explain, remind me,
    refresh my memory, find out, figure out, look up, check, wonder, wondering, curious,
    looking for, forgot, forget, forgotten, dont remember, cant remember, cannot remember,
    dont recall, cant recall, cannot recall, trying to remember, try to remember, remember, recall,
    not sure, unsure, idea, clue,
    erinnerst du dich, erinnere mich, weißt du noch, weisst du noch, sag mir, frage mich,
    weiß nicht mehr, weiss nicht mehr, such mir, finde heraus,
    recuérdame, recuerdame, acuerdas, recuerdas, dime, pregunto, recuerdo, acuerdo, busca,
    quisiera saber, rappelle moi, tu te souviens, te souviens tu, dis moi, je me demande,
    je ne sais plus, jaimerais savoir, lembras te, lembra se, você lembra, lembre me, diga,
    diz me, lembro, gostaria de saber, ti ricordi, ricordami, dimmi, mi chiedo, ricordo,
    vorrei sapere
    """)
# First words of those that ask only before one of these, or before a verb.
WEAK = frozenset(
    "check show explain looking not unsure idea clue remember recall wonder forget".split()
)
AFTER_WEAK = AUXILIARIES | QUESTION_WORDS | frozenset("whether if about".split())
# What says that a question follows.
ANNOUNCING = frozenset("question questions q tldr dr frage fragen pregunta duda".split())

# With what talk goes on after a question that has no mark.
REASONS = frozenset("because cos cuz coz bc um uh uhm weil porque parce perché".split())
JOINING = frozenset("and also but so since before as while then und aber dann damit y pero".split())
TALKERS = frozenset(
    """
    i ive we he she they it its nobody somebody someone everybody everyone whoever let
    please then after also ich wir kann
    """.split()
)
MINE = frozenset("i ive dont thanks thx thank".split())
TALK_VERBS = frozenset(
    """
    think want need had have would swear know said was will just guess hope should only can cant
    dont didnt am tried keep
    """.split()
)
# With what it goes on after a comma, or with a capital.
GOING_ON = TALKERS.union(
    MINE,
    """
    but so then my this that thats these those there just no not do also afterwards after if
    anything maybe probably our her his their you your sorry
    """.split(),
)
# After these words no clause begins with a subject.
LEADING = AUXILIARIES.union(
    QUESTION_WORDS,
    """
    that if whether than or because cos the a an my our your his her their it we you they he she i
    """.split(),
)

# What asks where words are not spaced.
UNSPACED = tuple(
    """
    什么 谁 哪 怎么 为什么 为何 多少 多久 多大 多长 几点 几号 几个 几月 几分 几次 几天 几年 何时
    吗 记得 告诉我 提醒我 想知道
    查一下 找一下 什麼 誰 怎麼 為什麼 嗎 幾 何時 記得 告訴我
    ですか ますか でしたか ましたか でしょうか 何 いつ どこ だれ なぜ どうして どの どれ
    いくつ いくら 覚えて 教えて 思い出
    """.split()
)

# Of these, what stands before a question.
UNSPACED_FRAMES = "查一下|找一下|告诉我|提醒我|想知道|请问|記得|告訴我"

# Who is asked to do something is given a task, unless it is to tell or to find.
TELLING = frozenset(
    """
    tell remember recall remind say find look search check confirm know show give let see dig
    retrieve list name explain
    """.split()
)
# Orders that want something known, where a sentence begins with them.
TO_FIND = frozenset("find search retrieve recall list compare name summarize summarise".split())
PREPOSITIONS = frozenset(
    "in on at with from to for by after until till since of under into about mit von für de à com"
    " con per por para en a".split()
)
YOU = frozenset("you your yours youre du dir dein deine".split())
# Whoever is asked for their view or their day is not asked for what is known.
SAID_BY_YOU = frozenset(
    """
    remember recall know said say told tell mentioned mention recommended recommend suggested
    suggest gave give wrote write remind find
    """.split()
)

# What refers to something said before.
PRONOUNS = frozenset(
    """
    it its he him his she her hers they them their theirs this these ihn ihm dessen
    deren él ella ello ellos ellas eso il elle ils elles lui leur cela celui ele ela eles elas isso
    lei loro
    """.split()
)

# Words that a question can do without: function words of other tongues, and courtesy.
EMPTY = frozenset(
    """
    please pls plz thanks thank thx hello hey hi ok okay oh ah hm hmm well anyway btw right sure
    yes no yeah nope cheers sorry guys folks help helps think thinks thought sense make makes mean
    means know knows believe say says tell told remember remind recall wonder wondering idea ideas
    question questions unrelated different else thing things something anything nothing everything
    anyone anybody someone somebody everyone way kind sort bit lot really just quite maybe perhaps
    actually possible sound
    sounds good fine great nice like want wants need needs get gets got getting go goes going come
    let lets see look looks take takes give try also even still yet ever never always much many
    today moment minute second quick mind feel feeling im ive id ill youre youve its thats whats
    dont doesnt didnt isnt wasnt cant couldnt wouldnt wont hows wheres whos up out off down back
    happen happens agree asking ask wrong matter point call one ones name names
    der die das den dem des ein eine einen einem einer und oder aber nicht auch noch schon mal ist
    sind war waren hat haben habe hatte wird werden kann kannst könnte könntest ich du er sie es
    wir ihr mir mich dir dich uns euch mein dein sein unser was wer wie wo wann warum welche
    welcher welches zu zum zur von vom im in am an auf für mit bei aus nach über bitte danke hallo
    helfen meinst denkst hilfe weiß weißt so ja nein doch denn dann dass ob wenn
    el la los las un una unos unas y o pero no es son era fue ha han hay yo tú tu te me se nos mi
    su sus de del al a en con por para que qué quién cuál cuándo dónde cómo sí lo le les muy más
    hola gracias favor ayudar ayudas ayuda crees piensas puedes podrías sabes
    le les des du un une et ou mais ne pas est sont était a ont avait je tu il elle nous vous ils
    elles on me te se ce cette ces mon ma ton ta son sa de à au aux en dans avec pour par sur que
    qui quoi quel quelle quels quelles quand où pourquoi comment merci salut bonjour peux pourrais
    aider aide penses plaît s d l c j n m t qu
    o os as um uma e ou mas não é são era foi tem eu você ele ela nós de do da dos das em no na nos
    nas com por para que quem qual quando onde como obrigado obrigada olá pode poderia ajudar acha
    il lo gli i un uno una e o ma non è sono era ha hanno io tu lui lei noi di del della dei in nel
    nella con per che chi cosa quale quando dove come grazie ciao puoi potresti aiutare aiutarmi
    pensi
    """.split()
)
# Characters that say as little where words are not spaced.
EMPTY_CHARACTERS = frozenset(
    "的了吗呢吧啊是在我你他她它们这那有和就都也不很说去会能可以什么谁哪怎为多少几个请帮忙觉得想要"
    "のはがをにでとももかねよなですますたしてるいうあれこそど何誰私"
)
