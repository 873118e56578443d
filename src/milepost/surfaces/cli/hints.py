"""What somebody means by a word that is no command."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from milepost.surfaces.cli.command import Subcommand

# Words of other programs, by what they are called here: of several, the first that there is.
SYNONYMS = {
    choices: words.split()
    for choices, words in {
        ("store",): "save note write insert put create new memorise memorize learn keep commit",
        ("search",): "query ask grep lookup look fetch match retrieve question q",
        ("get",): "cat view read print open display",
        (
            "list",
            "recall",
        ): "list ls all memories find-memories browse recent latest newest history branches branch",
        ("tags", "storage info"): "tags tag labels label categories topics",
        ("stats", "storage info"): "stats stat statistics count counts size usage du numbers "
        "projects sessions",
        ("review", "recall"): "review triage curate inbox captured audit",
        ("undo", "backup restore"): "undo revert rollback unforget undelete recover",
        ("stale", "doctor"): "stale outdated expired freshness old",
        ("update",): "change modify set-content rename replace amend correct",
        ("delete",): "del erase destroy drop discard",
        ("delete", "uninstall"): "remove",
        ("delete-by-tag",): "untag clear purge wipe clean",
        ("backup create",): "export snapshot archive save-as copy bak",
        ("store-batch", "import"): "load bulk ingest feed",
        ("backup restore",): "restore-backup",
        ("health", "doctor"): "status state ping alive up",
        ("doctor",): "diagnose diagnostics test fix repair selftest debug troubleshoot",
        ("install",): "init setup configure enable add-client connect integrate onboard bootstrap",
        ("uninstall",): "disable deinstall teardown",
        ("config show",): "settings options preferences prefs env login auth key keys",
        ("config set",): "set-config",
        ("daemon start",): "start warm background",
        ("daemon stop",): "stop kill shutdown quit",
        ("serve",): "server http api web rest run up-http listen",
        ("mcp",): "stdio mcp-server",
        ("logs",): "tail journal trace",
        ("monitor",): "watch top dashboard metrics live",
        ("savings",): "tokens cost costs spent bill",
        ("storage compact",): "vacuum optimize optimise gc shrink",
        ("storage reembed",): "reindex index rebuild embed embeddings vectors",
        ("jobs list",): "queue tasks work pending",
        ("model list",): "models embedder embedders",
        ("backup list",): "backups copies snapshots",
        ("eval",): "exec execute python code script program",
        ("episode list",): "episodes tries attempts runs",
        ("pattern list",): "patterns lessons playbook insights rules",
        ("session brief",): "briefing context prime",
        ("pattern recommend",): "advise advice suggest hint recommendation",
        ("completion",): "completions autocomplete bash zsh fish",
        ("similar",): "related like neighbours neighbors",
        ("explain",): "why reason",
        ("summarize",): "summary summarise sum digest",
        ("consolidate",): "merge dedupe deduplicate tidy cleanup compress",
        ("event recall",): "events happenings log",
        ("graph search",): "entities entity nodes relations",
    }.items()
}

# What is done within a group, in the words of other programs.
VERBS = {
    verb: words.split()
    for verb, words in {
        "get": "show view cat read open info",
        "list": "ls all show get view status",
        "show": "get list view cat print",
        "info": "show stats status size get view list",
        "create": "new add make start begin save store write",
        "add": "install download fetch get pull",
        "use": "set select switch choose activate",
        "delete": "rm remove del drop erase",
        "prune": "rm remove del delete clean clear",
        "restore": "load import recover undo",
        "check": "verify test validate fsck",
        "compact": "vacuum optimize optimise shrink gc",
        "start": "restart up on",
        "stop": "kill down off quit",
        "set": "add change edit put",
        "unset": "rm remove del delete clear reset",
        "complete": "end finish close done stop",
        "search": "find query",
    }.items()
}

# Options of other programs, by what says the same here.
OPTIONS = {
    option: words
    for words, options in {
        "--project everywhere": "--everywhere --anywhere --global --all-projects --no-project",
    }.items()
    for option in options.split()
}


def meant(word: str, commands: Sequence[Subcommand], group: str = "") -> list[str]:
    """Return the commands that a word may mean, the likeliest first; within a group, if given."""
    from difflib import get_close_matches

    wanted = word.lower().replace("_", "-")
    names = {" ".join((*c.path[:-1], n)) for c in commands for n in (c.path[-1], *c.aliases)}
    synonyms: Mapping[tuple[str, ...], list[str]] = SYNONYMS
    if group:
        synonyms = {(f"{group} {verb}",): words for verb, words in VERBS.items()}
    others = _of_others(synonyms, names)
    if wanted in others:
        return [others[wanted]]
    spelt = get_close_matches(wanted, others, n=3, cutoff=0.75)
    known = _by_words(commands, group) | {word: others[word] for word in spelt}
    near = get_close_matches(wanted, known, n=3, cutoff=0.6)
    return list(dict.fromkeys(known[each] for each in near))


def _of_others(synonyms: Mapping[tuple[str, ...], list[str]], names: set[str]) -> dict[str, str]:
    """Return by each word of other programs the first command that there is for it."""
    suggestions: dict[str, str] = {}
    for those, words in synonyms.items():
        choice = next((name for name in those if name in names), None)
        for word in words if choice else ():
            suggestions.setdefault(word, str(choice))
    return suggestions


def _by_words(commands: Sequence[Subcommand], group: str) -> dict[str, str]:
    """Return by each word that somebody may type what to suggest for it."""
    suggestions: dict[str, str] = {}
    for command in commands:
        full = " ".join(command.path)
        if not command.listed or (group and command.path[0] != group):
            continue
        if not group:
            suggestions.setdefault(command.path[0], command.path[0])
        for word in (command.path[-1], *command.aliases):
            suggestions.setdefault(word, full)
    return suggestions
