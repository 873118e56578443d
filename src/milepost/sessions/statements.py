"""Tell a decision, a rule, a cause or an open task from what else is said in a session."""

from __future__ import annotations

import re
from functools import cache

from milepost.sessions import custom_words as customs
from milepost.sessions import rule_words
from milepost.sessions import statement_words as words
from milepost.text.attributed import is_passed_on
from milepost.text.pasted import without_quotations

_WORDS_MIN = 4
# As much is said by so many characters where words are not parted by spaces.
_CHARS_MIN = 8

# One pattern a line. Sentences are compared in lower case.
_DECISION = r"""
\b(?:we|i|they|team)(?:'ve| have|'d| had)? (?:also )?(?:decided|agreed|chose|settled|opted|picked)\b
\b(?:we|i) went with\b|\bgoing with\b|\bdecided (?:to|on|against|that|not)\b
\b(?:has|have|was|were|been|is) (?:decided|agreed|settled)\b
^decision\b[^.]{0,30}:|\bthe decision (?:is|was)\b
\blet'?s (?:just |all |not )?CHOOSE\b|\blet'?s not (?!MOOD)\w+ \w+
\bwe(?:'ll| will|'re going to| are going to| should) (?:just |only |not )?CHOOSE\b
\b(?:i'll|i will|i'm going to) CHOOSE\b.{3,200}\b(?:because|since|instead of|rather than|over)\b
\bwe (?:now )?(?:use|keep|store|prefer)\b.{3,200}\b(?:because|since|instead|rather than|so that)\b
\bstays? (?:with|on|at|as|in)\b.{2,120}\b(?:because|since|due to|for now)\b
\b(?:chose|chosen|picked|prefer)\b.{2,80}\b(?:over|instead of|rather than)\b
\b(?:do not|don't|never|stop) us(?:e|ing)\b.{2,120}[,;:.—-]+ ?(?:please )?use\b
^POLITE(?:use|switch to|replace|swap)\b.{2,120}\b(?:instead of|rather than|in place of)\b
^POLITE(?:use|go with|stick with|switch to)\b.{2,120}\b(?:instead|because|since|,? not)\b
"""
# A change that the user orders is a decision against what was.
_CHANGE = r"""
\b(?:replace|swap)\b.{2,100}\b(?:by|with|for)\b
\b(?:change|raise|lower|bump|increase|decrease|reduce|set|put|move)\b.{1,80}\bto [^ ]*\d
\b(?:move|switch|migrate|go|change|over)\b.{0,60}\bfrom\b.{1,60}\bto\b
\bmake (?:it|that|the|them)\b(?! \d+ \w+s\b).{0,60}(?<!\w)\d|\bactually,? (?:make|use|let's|go|we)\b
\bmake .{2,60} actually\b
\b(?:should|must|shall) be \S*\d|\b(?:is|are|goes|go) out,|\binstead of\b|\bno longer\b
\bcap\b.{2,50}\bat\b.{0,8}\d|^POLITE(?:do it|build it|try|take|want)\b.{2,100}, (?:no|not)\b
^POLITE[\w.-]{2,30} then\b[,.]|\bwe (?:build|write|make|keep|roll) our own\b
\b(?:now|then) (?:go|goes) (?:to|via)\b
\blet's (?!NOT_CHOSEN)[a-z]+ .{6,}|\b(?:write|do) it by hand\b|\bgive up after\b
"""
# "Don't use this, use that" decides between two, though it sounds like a rule.
_CONTRAST = r"""
\b(?:do not|don't|never|stop) us(?:e|ing)\b.{2,120}[,;:.—-]+ ?(?:please )?use\b
"""
_PREFERENCE = r"""
\bfrom now on\b|\bgoing forward\b|\bmy preference\b|\bno more\b
\bin (?:the )?future\b.{0,40}\b(?:please|don't|always|use|do)\b
\b(?:i|we) (?:strongly |really |generally |usually )?(?:prefer|hate|dislike)\b
\bi(?:'d| would) (?:rather|prefer)\b|\bi (?:want|like) (?:you|all|every|my|the|our)\b.{3}
\bplease (?:don't|do not|never|always|stop|avoid)\b
^POLITE(?:remember:? )?(?:always|never)\b(?! (?:mind|works?|worked|seen|been|fails?|failed))
\b(?:you|we|must|should) (?:should |must )?(?:always|never) (?!NEVER_RULED)
\bi want (?:you )?to (?:always|never)\b|\bwe (?:only )?use\b.{2,80},? (?:never|not) (?:the|a|an)?\b
^POLITE(?:the |all |our )?[\w` -]{2,40} must (?:not |never |always )?(?:be|have|use|go|stay|start)\b
^POLITE(?:don't|do not) (?:ever )?(?:use|add|write|mock|run|push|amend|commit|touch|create|put)\b
^POLITEstop (?:\w+ing)\b
\bin this (?:repo|repository|project|codebase),? (?:we|you|use|always|never|every)\b
\b(?:every|each|all) (?:\w+ ){1,3}(?:must|needs? to|has to|have to)\b
\b(?:always|never)\b(?! (?:RULED_OUT)\b)(?<!has never)(?<!have never)(?<!had never)(?<!i've never)
\bmust (?:not|never|always|have|go|carry|use|stay|live|come|return|send|accept)\b(?! (?:been|from))
\bmust (?:contain|include|match|start|end|run|support|remain|show|follow|pass|reject|fit|survive)\b
\bmust be (?!a |an |some|because|due )
(?<!the )(?<!not )(?<!if )\bonly (?:ever|via|through|in|with|on|use|for|from|do|named|\w+ please)\b
^POLITEonly \w+.*[,;] ?(?:no|not|never)\b|\bwe only\b
\b(?:in|on|via) (?!the)\w[\w.-]*(?: (?!the|is)\w[\w.-]*)? only\b
\bwe (?:always |only )?(?:use|run|do|write|reject|have|take)\b.{2,60}\bhere\b|\bhere we\b
^POLITE(?:don't|do not) (?:ever )?(?:swallow|edit|clamp|call|import|merge|deploy|catch|skip|hard)\b
\bmax(?:imum)?\b.{0,30}\d|\bat most \d|\bno more than \d|\bno (?:\w+ ){1,3}(?:ever|here|anymore)\b
"""
# What comes up in passing and is asked for again: who owns what, what a service allows.
_FACT = r"""
\bha(?:s|ve) nothing to do with\b|\b(?:wrong|not true|no),? it (?:does|is|has)\b.{3,}
"""
_INSIGHT = r"""
\bCAUSE(?: \w+){0,4} (?:is|was|were|turned out|turns out)\b
\broot cause\b|\bturn(?:s|ed) out\b|\bit was (?:due to|because)\b
\bDOES (?:only )?because\b|^(?:(?:yes|no|right|correct)[,: ]+)?because\b.{20}
^(?:the|this|that|its?) .{8,140} because (?:of|the|its?|they|we|our) \w
\b(?:caused|triggered) by\b|\bi (?:found|reali[sz]ed|learned|discovered|noticed) that\b
\bdue to\b.{0,60}\b(?:race|stale|missing|wrong|bug|limit|timeout|mismatch)\b
"""
_NEXT = r"""
^next(?: steps?| up| tasks?)?(?: is| are|,? we| i should|,? you| would be| session)\b|^next steps?:
^next(?: up)?:|^left(?: open| over)?:|\b(?:noted|left) (?:as )?open\b
^still (?:open|to do)\b|^(?:and )?open:
\b(?:isn't|is not|aren't|are not) (?:written|done|implemented|covered|there|finished) yet\b
\bnext,? we (?:should|need|must|can|will)\b|\bthe next step\b|\b(?:todo|to-do|fixme)\b
\bstill (?:to do|todo|to be done|need(?:s|ed)? to|missing|open|remains?|have to|outstanding)\b
\bremaining (?:work|tasks?|items?|steps?|todos?|issues?|failures?|is|are)\b|^remaining\b.{0,20}:
\bnext time,? (?:we|i|you) (?:should|could|need|must)\b
\bleft to (?:do|fix|implement|write)\b|\bremains to\b|\bfollow[- ]ups?\b|\bwe(?:'ll)? still need\b
\bnot (?:yet|been) (?:implemented|done|fixed|covered|tested|written|migrated)\b
\b(?:do|finish|continue|tackle|up) (?:\w+ ){0,4}(?:later|tomorrow|next (?:time|week|session))\b
\bneeds? to be \w+ (?:later|next|still|before)\b|^(?:open|pending)(?: \w+)?:
"""
# It asks, supposes, or says that nothing is settled.
_OPEN = r"""
\?\s*$
^do (?!not\b|the following|th(?:is|at|ese)\b|it\b)
^(?:should|shall|could|can|would|does|did|is|are|what|how|which|who|when|where|why)\b(?! not)
^(?:if|unless|suppose|assuming|maybe|perhaps|whether|alternatively|imagine|say we)\b
\b(?:should|could|can|shall|would) (?:we|i|you)\b|\b(?:if|unless|whether) (?:we|i|you|it|the|they)\b
\b(?:what if|whether|maybe|perhaps|might|would (?:be|have|need)|could (?:also|use|be))\b
\b(?:considering|alternatively|unsure|not sure|hypothetical\w*|want me to|would you like)\b
\b(?:do you want|let me know|i guess)\b|\boptions?:
\b(?:ha[sd]|have)(?:n't| not) (?:yet )?(?:decided|agreed|chosen|settled)\b
\bdid(?:n't| not) (?:decide|agree|choose)\b|\b(?:undecided|not decided|yet to (?:decide|choose))\b
\b(?:until|once|before|after|when) (?:we|you|i)(?:'ve| have)? (?:decided?|agreed?|choose|chosen)\b
\b(?:is|was)(?:n't| not) (?:caused|because|the (?:root )?cause)\b|\bnot (?:because|caused)\b
"""
# An agent that says which of its tools it takes next decides nothing.
_CHATTER = r"""
\b(?:grep|rg|sed|awk|cat|find|ls|curl|head|tail|subagent|heredoc|the tool)\b
\b(?:read|edit|write|bash|glob|search|task) tool\b
"""
_GUESS = r"""
\b(?:may|might|could|maybe|perhaps|possibly|probably|likely|suspect|seems?|guess|wonder|unclear)\b
\b(?:i think|i believe|let me|let's|find out|figure out|not sure|once (?:we|i)|to see (?:if|why))\b
\bcheck(?:ing)? (?:if|whether)\b|\blook(?:ing)? (?:for|into)\b
"""
_DONE = r"""
\b(?:no|nothing) (?:remaining|left|follow[- ]ups?|todos?|to do)\b
\b(?:all|every) (?:todos?|tasks?) (?:are )?(?:done|complete)\b|\bremoved? (?:the |all )?todos?\b
"""
_PARTS = {
    **customs.PARTS,
    **rule_words.PARTS,
    "NOT_CHOSEN": r"(?:see|look|check|start|get|have|fix|run|talk|say|be|wait|continue|begin|hope"
    r"|find|figure|discuss|worry|not|take a|do (?:it|that|this)|go (?:on|ahead)|call it)\b",
    "CHOOSE": r"(?:use|go with|stick (?:with|to)|switch (?:over )?to|adopt|keep|move to|store|avoid"
    r"|drop|standardi[sz]e on|target|pin)",
    "POLITE": r"(?:(?:please|ok|okay|no|and|but|also|so|actually),? )*",
    "MOOD": r"(?:worry|forget|panic|rush|overthink|bother|kid|pretend|jump|be )",
    "RULED_OUT": r"mind|work\w*|seen|saw|been|got|gets?|had|has|knew|knows?|heard|fail\w*|sees?"
    r"|ends?|ended|finish\w*|return\w*|happen\w*|br[eo]\w+|crash\w*|hang\w*|was|were|is|are|did"
    r"|does|understood|thought|tried|asked|said|told|the (?:same|case)|wrong|red|green|forget\w*",
    "NEVER_RULED": r"(?:mind|work|seen|saw|been|got|had|knew|know|heard|fail|get|see|end)",
    "CAUSE": r"(?:cause|problem|issue|culprit|bug|reason|catch|trick|fix|key insight|explanation"
    r"|race|leak|deadlock|bottleneck|regression)",
    "DOES": r"(?:works?|worked|fail(?:s|ed|ing)|breaks?|broke|happen(?:s|ed)|crash(?:es|ed)|hangs?"
    r"|hung|was|is|were|are|occurs?|occurred)",
}
# A sentence without any of these makes no statement of the kind; to look is faster than to match.
_SIGNS = {
    "next": "next,todo,to-do,fixme,still ,remain,left to,follow,not yet,not been,later,tomorrow,"
    "pending,open,left,yet",
    "preference": "from now on,forward,prefer,no more,future,hate,dislike,rather,i want,i like,"
    "please,always,never,don't,do not,stop ,in this ,must,need,has to,have to,only,here,max,"
    "at most,more than,no ,not ,shall ,make sure,ensure ,see to it,require,important,"
    "essential,crucial,vital,mandatory,critical,nobody,no one,none,supposed,expected",
    "insight": "cause,problem,issue,culprit,bug,reason,catch,trick,fix is,fix was,insight,"
    "explanation,turns out,turned out,i found,i reali,i learned,i discovered,i noticed,due to,"
    "triggered,because,race,leak,deadlock,bottleneck,regression",
    "decision": "decid,decision,agreed,settled,chose,opted,picked,went with,going with,let's,lets ,"
    "we'll,we will,going to,we should,instead,rather,because,since,use ,using ,in place, over ,"
    "replace,swap,change,raise,lower,bump,crease,reduce,set ,put ,move,switch,migrate,make,"
    "actually, be , out,no longer,cap ,then,our own,keep,by hand,give up,try ,take ,want ,"
    "do it,build it, go ",
}


def kind_of(sentence: str, role: str) -> str | None:
    """Return what kind of statement a sentence makes, or None if it is not worth keeping."""
    said = _in_full(sentence.lower().replace("’", "'"))
    if not _says_enough(said) or (role == "user" and _has(customs.OTHERS, said)):
        return None
    if role == "user":
        # What is so may be told by anybody; what shall be is the will of who says it.
        if is_passed_on(said):
            return "fact" if _is_fact(said) else None
        said = without_quotations(said)
    if _is_english(said):
        kind = next((kind for kind in _SIGNS if _makes(kind, said, role)), None)
        return kind or ("fact" if role == "user" and _is_fact(said) else None)
    return _kind_abroad(said, role) or next((k for k in _SIGNS if _makes(k, said, role)), None)


def is_of_others(said: str) -> bool:
    """Whether a sentence in lower case tells what others do or say."""
    return _has(customs.OTHERS, said) or is_passed_on(said)


def without_refusal(sentence: str) -> str:
    """Return a sentence without the "No," that it corrects with."""
    said = _compiled(words.REFUSAL_FIRST).sub("", sentence, count=1)
    return said if any(map(str.isalnum, said)) else sentence


def _in_full(said: str) -> str:
    """Return a sentence with the apostrophes that are left out in a hurry."""
    return _HURRIED.sub(lambda match: f"{match[1]}n't", said).replace("lets ", "let's ")


_HURRIED = re.compile(r"\b(do|does|did|ca|wo|is|are|was|have|has|should)nt\b")


def _says_enough(said: str) -> bool:
    unspaced = sum("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" for c in said)
    if said.count(" ") >= _WORDS_MIN - 1 or unspaced >= _CHARS_MIN:
        return True
    return _BRIEF.match(said) is not None


# A rule or a custom may be said in three words.
_BRIEF = re.compile(
    r"(?:always|never|don't|do not) (?:use|run|commit|push|log|mock|edit|call|import|write|add"
    r"|store|deploy) \S|we (?:use|deploy|host) \S"
)
_ENGLISH = re.compile(
    r"\b(?:the|is|are|was|to|and|we|it|for|of|you|i|that|this|not|don't|be|with|in|a|on|use|from)\b"
)


# Small words of others that are written in plain letters; English has "in" and "on" in common.
_ABROAD = re.compile(
    r"\b(?:wir|nicht|sondern|und|das|ist|mit|auf|les|des|dans|avec|mais|pas|nous|est|une|los|las|con"
    r"|para|una|sino|del|della|sono|che|niet|het|een|nooit|met|wij|nie|jest|jsou|de|la|el|le|pour|por|zu"
    r"|haben|von|der)\b"
)


def _is_english(said: str) -> bool:
    """Whether a sentence has the small words of English, or nothing but plain letters and few."""
    own = len(_ENGLISH.findall(said)) if said.isascii() else 0
    return own >= max(1, said.count(" ") // 8) and own >= len(_ABROAD.findall(said))


def _kind_abroad(said: str, role: str) -> str | None:
    """Return what a sentence states in another language than English."""
    if _any_of("LEFT").search(said) and not said.endswith(("?", "？", "؟")):
        return "next"
    if role != "user" or _compiled(words.UNSETTLED).search(said):
        return None
    if _any_of("CHOICES").search(said):
        return None if _has(rule_words.EDITS, said) else "decision"
    if _any_of("RULES").search(said) and not _has(customs.FAILING, said):
        return "preference"
    return "fact" if _is_fact(said) else None


def _is_fact(said: str) -> bool:
    asks = re.search(r"\b(?:what'?s|how (?:much|many|long)|do you think)\b", said)
    if asks or said.endswith(("?", "？", "؟")) or _has(_OPEN, said):
        return False
    if re.search(r"\d", said) and _compiled(words.LIMITS).search(said):
        return True
    if any(_has(table, said) for table in (words.ASIDES, words.OWNERS, _FACT)):
        return True
    return _is_custom(said)


def _is_custom(said: str) -> bool:
    """Whether a sentence says plainly how this project does things."""
    if not (_has(customs.CUSTOM, said) or _has(customs.CUSTOMS, said)):
        return False
    return not any(
        _has(table, said) for table in (customs.MOMENTARY, customs.FAILING, customs.TROUBLE)
    )


@cache
def _any_of(table: str) -> re.Pattern[str]:
    """Return all patterns of a table, whatever their language."""
    tables = {"LEFT": words.LEFT, "RULES": rule_words.RULES, "CHOICES": rule_words.CHOICES}
    lines = (line for text in tables[table].values() for line in text.split("\n"))
    return re.compile("|".join(filter(None, lines)))


def _makes(kind: str, said: str, role: str) -> bool:
    if kind == "preference" and role != "user":
        return False
    if not any(sign in said for sign in _signs(kind)):
        return False
    if kind == "next":
        return _has(_NEXT, said) and not said.endswith("?") and not _has(_DONE, said)
    if kind == "preference":
        return _is_rule(said) and not _has(_OPEN, said) and not _has(_CONTRAST, said)
    if kind == "insight":
        return _has(_INSIGHT, said) and not _has(_OPEN, said) and not _has(_GUESS, said)
    if _has(_OPEN, said):
        return False
    chatter = role == "assistant" and _has(_CHATTER, said)
    if _has(_DECISION, said) and not chatter:
        return True
    return role == "user" and _has(_CHANGE, said) and not _has(rule_words.EDITS, said)


def _is_rule(said: str) -> bool:
    """Whether a sentence states a rule; that something always fails is none."""
    if _has(customs.FAILING, said) and " must not " not in said and " must never " not in said:
        return False
    contrast = _has(customs.NOT_BUT, said) and not _has(customs.TROUBLE, said)
    return contrast or _has(_PREFERENCE, said) or _is_needed(said)


def _is_needed(said: str) -> bool:
    """Whether a sentence says what a thing has to be like for good, and not what is left to do."""
    return _has(rule_words.NEEDED, said) and not _has(rule_words.FOR_NOW, said)


@cache
def _signs(kind: str) -> tuple[str, ...]:
    return tuple(_SIGNS[kind].split(","))


def is_unsettled(sentence: str) -> bool:
    """Whether a sentence asks or supposes, so that nothing is settled by it."""
    said = _in_full(sentence.lower().replace("’", "'"))
    if _is_english(said):
        return _has(_OPEN, said)
    return _has(_OPEN, said) or _compiled(words.UNSETTLED).search(said) is not None


def is_requirement(sentence: str) -> bool:
    """Whether a rule says what the work must be like, and not how it is to be done."""
    return _has(rule_words.REQUIRED, sentence.lower().replace("’", "'"))


def _has(patterns: str, said: str) -> bool:
    return _compiled(patterns).search(said) is not None


@cache
def _compiled(patterns: str) -> re.Pattern[str]:
    for name, part in _PARTS.items():
        patterns = patterns.replace(name, part)
    return re.compile("|".join(patterns.strip().splitlines()))
