"""Tell a decision, a rule, a cause or an open task from what else is said in a session."""

from __future__ import annotations

import re
from functools import cache

_WORDS_MIN = 4

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
"""
_INSIGHT = r"""
\bCAUSE(?: \w+){0,4} (?:is|was|were|turned out|turns out)\b
\broot cause\b|\bturn(?:s|ed) out\b|\bit was (?:due to|because)\b
\bDOES (?:only )?because\b|^(?:the|this|that|its?) .{8,140} because (?:of|the|its?|they|we|our) \w
\b(?:caused|triggered) by\b|\bi (?:found|reali[sz]ed|learned|discovered|noticed) that\b
\bdue to\b.{0,60}\b(?:race|stale|missing|wrong|bug|limit|timeout|mismatch)\b
"""
_NEXT = r"""
^next(?: steps?| up| tasks?)?(?: is| are|,? we| i should|,? you| would be| session)\b|^next steps?:
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
^(?:should|shall|could|can|would|do|does|did|is|are|what|how|which|who|when|where|why)\b(?! not)
^(?:if|unless|suppose|assuming|maybe|perhaps|whether|alternatively|imagine|say we)\b
\b(?:should|could|can|shall|would) (?:we|i|you)\b|\b(?:if|unless|whether) (?:we|i|you|it|the|they)\b
\b(?:what if|whether|maybe|perhaps|might|would (?:be|have|need)|could (?:also|use|be))\b
\b(?:considering|alternatively|unsure|not sure|hypothetical\w*|want me to|would you like)\b
\b(?:do you want|let me know)\b|\boptions?:
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
    "CHOOSE": r"(?:use|go with|stick (?:with|to)|switch (?:over )?to|adopt|keep|move to|store|avoid"
    r"|drop|standardi[sz]e on|target|pin)",
    "POLITE": r"(?:(?:please|ok|okay|no|and|but|also|so|actually),? )*",
    "MOOD": r"(?:worry|forget|panic|rush|overthink|bother|kid|pretend|jump|be )",
    "NEVER_RULED": r"(?:mind|work|seen|saw|been|got|had|knew|know|heard|fail|get|see|end)",
    "CAUSE": r"(?:cause|problem|issue|culprit|bug|reason|catch|trick|fix|key insight|explanation"
    r"|race|leak|deadlock|bottleneck|regression)",
    "DOES": r"(?:works?|worked|fail(?:s|ed|ing)|breaks?|broke|happen(?:s|ed)|crash(?:es|ed)|hangs?"
    r"|hung|was|is|were|are|occurs?|occurred)",
}
# A sentence without any of these makes no statement of the kind; to look is faster than to match.
_SIGNS = {
    "next": "next,todo,to-do,fixme,still ,remain,left to,follow,not yet,not been,later,tomorrow,"
    "pending,open",
    "preference": "from now on,forward,prefer,no more,future,hate,dislike,rather,i want,i like,"
    "please,always,never,don't,do not,stop ,in this ,must,need,has to,have to",
    "insight": "cause,problem,issue,culprit,bug,reason,catch,trick,fix is,fix was,insight,"
    "explanation,turns out,turned out,i found,i reali,i learned,i discovered,i noticed,due to,"
    "triggered,because,race,leak,deadlock,bottleneck,regression",
    "decision": "decid,decision,agreed,settled,chose,opted,picked,went with,going with,let's,lets ,"
    "we'll,we will,going to,we should,instead,rather,because,since,use ,using ,in place, over ",
}


def kind_of(sentence: str, role: str) -> str | None:
    """Return what kind of statement a sentence makes, or None if it is not worth keeping."""
    said = sentence.lower().replace("’", "'")
    if said.count(" ") < _WORDS_MIN - 1:
        return None
    return next((kind for kind in _SIGNS if _makes(kind, said, role)), None)


def _makes(kind: str, said: str, role: str) -> bool:
    if kind == "preference" and role != "user":
        return False
    if not any(sign in said for sign in _signs(kind)):
        return False
    if kind == "next":
        return _has(_NEXT, said) and not said.endswith("?") and not _has(_DONE, said)
    if kind == "preference":
        return _has(_PREFERENCE, said) and not _has(_OPEN, said) and not _has(_CONTRAST, said)
    if kind == "insight":
        return _has(_INSIGHT, said) and not _has(_OPEN, said) and not _has(_GUESS, said)
    chatter = role == "assistant" and _has(_CHATTER, said)
    return _has(_DECISION, said) and not chatter and not _has(_OPEN, said)


@cache
def _signs(kind: str) -> tuple[str, ...]:
    return tuple(_SIGNS[kind].split(","))


def _has(patterns: str, said: str) -> bool:
    return _compiled(patterns).search(said) is not None


@cache
def _compiled(patterns: str) -> re.Pattern[str]:
    for name, part in _PARTS.items():
        patterns = patterns.replace(name, part)
    return re.compile("|".join(patterns.strip().splitlines()))
