"""The commands that are not operations: they look after the installation and the store."""

from milepost.config import Settings
from milepost.surfaces.cli.command import Command, argument, lazily, setting
from milepost.upkeep.values import COPIES

SERVING, CARE = "serving", "care"
HOOKS = ("session-start", "prompt-submit", "post-tool-use", "stop", "session-end", "pre-compact")
AGENTS = "coding agents"
CLIENTS = ("claude-code", "opencode", "cursor", "vscode", "codex")

_COPY = argument("file", metavar="FILE", help="a copy that `milepost backup` made")

_SCOPE = argument(
    "--scope",
    choices=("user", "project"),
    default="user",
    help="the user's settings, or those of the project in the current folder",
)
_YES = argument("--yes", "-y", action="store_true", help="do not ask")

COMMANDS = (
    Command(
        ("serve",),
        "Serve the memory over HTTP.",
        lazily("serving.serve_http"),
        (setting("host"), setting("port"), setting("key")),
        section=SERVING,
    ),
    Command(
        ("mcp",),
        "Serve the memory as an MCP server on standard input and output.",
        lazily("serving.serve_mcp"),
        (setting("tools"),),
        section=SERVING,
    ),
    Command(
        ("daemon", "start"),
        "Start a process that keeps the memory warm.",
        lazily("serving.daemon_start"),
        changes=True,
        section=SERVING,
    ),
    Command(
        ("daemon", "stop"),
        "Stop the process that keeps the memory warm.",
        lazily("serving.daemon_stop"),
        changes=True,
        section=SERVING,
    ),
    Command(
        ("daemon", "status"),
        "Show the processes that keep memories warm.",
        lazily("serving.daemon_status"),
        section=SERVING,
    ),
    Command(
        ("daemon", "run"),
        "Be the process that keeps the memory warm, in the foreground.",
        lazily("serving.daemon_run"),
        (setting("daemon_idle", metavar="SECONDS"),),
        section=SERVING,
    ),
    Command(
        ("hook",),
        "Answer an event of a coding agent's session: JSON on standard input and output.",
        lazily("hooking.answer"),
        (argument("event", choices=HOOKS, metavar="EVENT", help=", ".join(HOOKS)),),
        section=SERVING,
    ),
    Command(
        ("logs",),
        "Show what the daemon and the servers logged.",
        lazily("logs.show_logs"),
        (
            argument("--follow", "-f", action="store_true", help="go on showing what is added"),
            argument("--lines", "-n", type=int, default=50, metavar="N", help="how many lines"),
        ),
        section=SERVING,
    ),
    Command(
        ("monitor",),
        "Watch the memory: count, health, size, daemon, and a server's speed.",
        lazily("monitor.watch"),
        (
            argument("--interval", type=float, default=2.0, metavar="S", help="seconds between"),
            argument("--once", action="store_true", help="show it once and end"),
            argument("--server", metavar="URL", help="also ask the /metrics of this server"),
        ),
        section=SERVING,
    ),
    Command(
        ("savings",),
        "Show the tokens that models were given, and what whole objects would have cost.",
        lazily("savings.savings"),
        (
            argument("--days", type=int, default=30, metavar="N", help="how many days back"),
            argument("--session", metavar="ID", help="only this one, or those that begin so"),
            argument("--plot", metavar="FILE", help="draw it into this .png file"),
            argument("--calculate", action="store_true", help="say what it saves a team"),
            argument("--users", type=int, metavar="N", help="people in the team (10)"),
            argument("--sessions", type=int, metavar="N", help="sessions of each a day (5)"),
            argument("--price", type=float, metavar="P", help="of a million input tokens (3.00)"),
            argument("--currency", metavar="SIGN", help="what stands before a price ($)"),
            argument("--workdays", type=int, metavar="N", help="working days a month (21)"),
        ),
        epilog="For example: milepost savings --calculate --users 20 --sessions 8 --price 5",
        section="admin",
    ),
    Command(
        ("doctor",),
        "Check the installation and say how to repair what is broken.",
        lazily("doctor.examine"),
        section=CARE,
    ),
    Command(
        ("config", "show"),
        "Show every setting and where it comes from.",
        lazily("configuration.show"),
        aliases=("ls",),
        section=CARE,
    ),
    Command(
        ("config", "path"),
        "Show where the configuration file is.",
        lazily("configuration.path"),
        section=CARE,
    ),
    Command(
        ("config", "set"),
        "Write a setting into the configuration file.",
        lazily("configuration.set_value"),
        (
            argument("name", choices=Settings._fields, metavar="NAME", help="the setting"),
            argument("value", metavar="VALUE", help="what it shall be"),
        ),
        changes=True,
        section=CARE,
    ),
    Command(
        ("config", "unset"),
        "Remove a setting from the configuration file.",
        lazily("configuration.unset_value"),
        (argument("name", choices=Settings._fields, metavar="NAME", help="the setting"),),
        changes=True,
        section=CARE,
    ),
    Command(
        ("storage", "info"),
        "Show what the store holds and how large it is.",
        lazily("storing.info"),
        section=CARE,
    ),
    Command(
        ("storage", "check"),
        "Check that the store is whole and that its index agrees with it.",
        lazily("storing.check"),
        section=CARE,
    ),
    Command(
        ("storage", "compact"),
        "Free the space that deletions left, and join the index into one segment.",
        lazily("storing.compact"),
        changes=True,
        section=CARE,
    ),
    Command(
        ("storage", "reembed"),
        "Give every memory a vector of the chosen embedder now.",
        lazily("storing.reembed"),
        (setting("embedder"),),
        changes=True,
        section=CARE,
    ),
    Command(
        ("backup", "create"),
        "Copy the store to a file, while others use it.",
        lazily("backups.create"),
        (argument("file", nargs="?", metavar="FILE", help="where to; else beside the store"),),
        changes=True,
        section=CARE,
    ),
    Command(
        ("backup", "list"),
        "Show every copy beside the store: backups, and what upgrades, restores and crashes left.",
        lazily("backups.listed"),
        aliases=("ls",),
        section=CARE,
    ),
    Command(
        ("backup", "prune"),
        "Remove copies beside the store, the oldest first, and what crashes left of some.",
        lazily("backups.prune"),
        (
            argument("--keep", type=int, metavar="N", help="how many of the newest stay"),
            argument("--older-than", metavar="AGE", help="only older ones: 12h, 30d, 8w"),
            argument("--kind", action="append", choices=COPIES, help="only these; may be repeated"),
            _YES,
        ),
        changes=True,
        epilog="For example: milepost backup prune --keep 3 --older-than 30d",
        section=CARE,
    ),
    Command(
        ("backup", "verify"),
        "Check that a copy is whole.",
        lazily("backups.verify"),
        (_COPY,),
        section=CARE,
    ),
    Command(
        ("backup", "restore"),
        "Replace the store by a copy; what it replaces is kept beside it.",
        lazily("backups.restore"),
        (_COPY,),
        changes=True,
        section=CARE,
    ),
    Command(
        ("jobs", "list"),
        "Show the work that was put off: what waits, what runs, what was given up.",
        lazily("jobs.listed"),
        (
            argument("--state", choices=("waiting", "running", "dead"), help="only these"),
            argument("--limit", "-n", type=int, default=50, metavar="N", help="how many at most"),
        ),
        aliases=("ls",),
        section=CARE,
    ),
    Command(
        ("jobs", "run"),
        "Do the work that is due now, of all spaces.",
        lazily("jobs.run"),
        (argument("--limit", "-n", type=int, metavar="N", help="how many at most"),),
        changes=True,
        section=CARE,
    ),
    Command(
        ("jobs", "retry"),
        "Let work that was given up be tried again.",
        lazily("jobs.retry"),
        changes=True,
        section=CARE,
    ),
    Command(
        ("install",),
        "Give a coding agent its memory: hooks, MCP server, skill. Without a name, list them.",
        lazily("installing.install"),
        (
            argument(
                "client", nargs="?", choices=CLIENTS, metavar="CLIENT", help=", ".join(CLIENTS)
            ),
            _SCOPE,
            _YES,
        ),
        changes=True,
        section=AGENTS,
    ),
    Command(
        ("uninstall",),
        "Take out of a coding agent's settings what `milepost install` put there.",
        lazily("installing.uninstall"),
        (
            argument("client", choices=CLIENTS, metavar="CLIENT", help=", ".join(CLIENTS)),
            _SCOPE,
            _YES,
        ),
        changes=True,
        section=AGENTS,
    ),
    Command(
        ("import",),
        "Remember what a coding agent's instructions and old transcripts say.",
        lazily("importing.import_memories"),
        (
            argument("source", choices=("claude-code",), metavar="CLIENT", help="claude-code"),
            argument(
                "--path",
                action="append",
                metavar="PATH",
                help="a file or folder to read in place of the client's own; may be repeated",
            ),
            argument("--project", metavar="NAME", help="the project, if not that of each file"),
        ),
        changes=True,
        section=AGENTS,
    ),
    Command(
        ("completion",),
        "Print a script that completes commands in a shell.",
        lazily("completion.script"),
        (argument("shell", choices=("bash", "zsh", "fish"), help="which shell"),),
        epilog='For example: eval "$(milepost completion bash)"',
        section=CARE,
    ),
)

GROUPS = {
    "session": "what sessions are told",
    "episode": "what was tried",
    "pattern": "what was learned",
    "daemon": "the process that keeps the memory warm",
    "config": "the settings",
    "storage": "the store's file and its index",
    "backup": "copies of the store",
    "jobs": "work that was put off",
}
