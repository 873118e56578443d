"""What a line of a shell did: its commands, each with program and verb, objects, and effect.

`cd web && CI=1 pnpm add -D jsdom 2>&1 | tail` is `pnpm add`, which changes something, and `tail`,
which only looks. In patterns a command is named without its objects: `run pnpm add`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ACTION_CHARS = 60
_LINE_MAX = 4_000
_DEPTH_MAX = 3
_CODE_MAX = 80

_TOOLS = frozenset(
    "bash sh zsh shell terminal console exec execute cmd powershell command process "
    "run_command run_shell_command execute_command execute_bash".split()
)
# Programs whose first word after the name says what they do.
WITH_VERB = frozenset(
    "git npm pnpm yarn bun deno cargo rustup go docker docker-compose podman kubectl helm uv pip "
    "pip3 poetry hatch conda apt apt-get brew nix systemctl terraform gh aws gcloud dotnet mix "
    "bundle rails rake composer make just mvn gradle gradlew nx turbo alembic flask django-admin "
    "manage.py artisan tox nox ruff prisma playwright bazel swift flutter dart".split()
)
# Verbs that are followed by another one.
_GROUPS = {
    "docker": "compose image container volume network", "podman": "compose image container",
    "kubectl": "rollout config", "git": "stash remote worktree submodule", "uv": "pip tool cache",
    "gh": "pr issue run repo release workflow", "terraform": "state workspace", "go": "mod work",
    "helm": "repo dependency", "poetry": "env config", "npm": "run config cache", "deno": "task",
    "aws": "s3 ec2 ecs ecr iam sts logs lambda ssm rds eks",
    **dict.fromkeys(("pnpm", "yarn", "bun", "composer", "turbo", "nx"), "run"),
}  # fmt: skip
# These run what the project itself defines.
_SCRIPT = r"(?:(?:npm|pnpm|yarn|bun|composer|turbo|nx|deno) (?:run|task)|make|just|rake) "
# Patterns in existing stores name a command by its first verb, but for these by both or by none.
_BY_BOTH = frozenset((
    "docker compose", "docker image", "docker container", "kubectl rollout", "git stash",
    "git remote", "gh pr", "gh issue", "uv pip", "terraform state", "aws s3",
))  # fmt: skip
_BY_NONE = frozenset("ruff prisma playwright bazel swift flutter dart".split())
# What runs the command that follows it; some name a place before that.
_WRAPPERS = {
    **dict.fromkeys(("sudo", "env", "time", "timeout", "nohup", "nice", "exec", "command"), 0),
    **dict.fromkeys(("xargs", "stdbuf", "xvfb-run", "npx", "bunx", "uvx", "pipx run"), 0),
    **dict.fromkeys(("uv run", "poetry run", "pipenv run", "hatch run", "conda run"), 0),
    **dict.fromkeys(("pnpm exec", "pnpm dlx", "npm exec", "yarn dlx", "bundle exec"), 0),
    **dict.fromkeys(("docker exec", "podman exec", "kubectl exec", "docker-compose exec"), 1),
    **dict.fromkeys(("docker compose exec", "docker compose run"), 1),
}
_SHELLS = frozenset(("bash", "sh", "zsh"))
_INTERPRETER = r"python[\d.]*|py|node|ruby|php|tsx|ts-node|bash|sh|zsh"
# Options that are followed by a value, before a verb or the command that is run.
_VALUED = frozenset(
    "-C -c -n -f -F -w -p -u -e -v -r -I -R -W -X -pl --namespace --context --file --prefix "
    "--filter --cwd --workspace --directory --project --profile --region --repo --extra --with "
    "--group --env --user --workdir --git-dir --work-tree --package --from --python".split()
)
_OPENING = frozenset("{ ! if then elif else while until do".split())
_PREPARING = frozenset(
    "cd pushd popd export source . set unset eval for done fi } esac case true : alias trap "
    "shopt local declare read return exit".split()
)
# What tidies up around the command that a line is about.
_TIDYING = frozenset("mkdir touch rm cp mv ln chmod chown kill pkill killall tee".split())

_LOOKING = frozenset(
    "ls cat bat grep rg ag find fd head tail less more which whereis type file stat wc tree pwd "
    "echo printf ps top htop df du diff cmp jq yq awk sed perl cut sort uniq tr test [ [[ sleep "
    "wait history man date id whoami hostname uname lsof ss netstat ping dig nslookup curl wget "
    "psql mysql sqlite3 printenv journalctl xxd od strings basename dirname realpath tee gofmt "
    "column nl".split()
)
_LOOK_VERBS = (
    r"(?:describe|list|get|show|is|ls|rev)(?:-.*)?|status|diff|logs?|blame|shortlog|reflog|grep"
    r"|view|ps|images|inspect|top|events|port|history|info|version|search|outdated|why|tree|env"
    r"|metadata|explain|current|heads|whoami|output|providers|graph|freeze|checks|watch|branch"
    r"|tag|config|remote|api|routes|doc"
)
_CMDLETS = r"(?:Get|Test|Select|Measure|Where|Format|Sort|Write|Compare|Resolve)-[A-Z]\w+"
_CHECKING = (
    r"\w*tests?|\w*lint(?:er)?|specs?|check(?:s|er)?|typecheck|types|vet|clippy|verify|validate"
    r"|plan|audit|doctor|coverage|bench|e2e|template|mypy|pyright|flake8|tsc|jest|mocha|rspec"
    r"|phpunit|phpstan|tox|nox|shellcheck|rubocop|cypress|staticcheck|bandit"
)
_FIXING = r" --?(?:fix|write|in-place|autocorrect)\b|[:-]fix\b"
_TRYING = r" --?(?:check|check-only|dry-run|diff|help|version|noEmit)\b"
_STATEMENT = (
    r"(?i)\b(?:insert|update|delete|create|alter|drop|grant|truncate)\b| (?:-f|--file)\b| <"
)
_WRITING = r"writ|unlink|remove|rename|mkdir|rmtree|copy|['\"][wax]b?\+?['\"]|\bsave|dump\("
# What makes a command change something that otherwise only looks.
_CHANGING = {
    "sed": r" -\w*i| --in-place", "perl": r" -\w*i", "gofmt": r" -w", "tee": r"^",
    "find": r" -delete\b| -exec\w* (?:sed -i|rm|mv)", "wget": r"^(?!.*(?:-\w*O ?-|--spider))",
    "curl": r" (?:-\w*X ?(?!GET|HEAD)|-d\b|--data|--json|-\w*[oOFT]\b|--output)",
    "psql": _STATEMENT, "mysql": _STATEMENT, "sqlite3": _STATEMENT,
    "git branch": r" -[dDmMfu]\b|branch [^-\s]", "git tag": r"tag (?!-l|-n)\S",
    "git config": r"config (?!.*(?:--get|--list|-l\b))(?:--\w+ )*\S+ \S",
    "git remote": r"remote (?:add|set-|rm|remove|rename)", "npm config": r" (?:set|delete)\b",
    "kubectl config": r" (?:use|set|delete)-", "gh api": r" (?:-X|-f|-F|--method)\b",
}  # fmt: skip


class Command(NamedTuple):
    """A command: program with verb, what patterns call it, the words behind that, and its effect.

    effect: "changes" something, "checks" something and leaves it as it was, or only "looks".
    """

    name: str
    action: str
    words: frozenset[str]
    text: str
    effect: str

    @property
    def objects(self) -> frozenset[str]:
        """Return the files, folders and addresses that it was about."""
        return frozenset(w for w in self.words if w[:1] != "-" and re.fullmatch(r"\S*[/.]\S*", w))

    @property
    def changes(self) -> bool:
        """Whether things are other than before once it went well."""
        return self.effect == "changes"


def is_shell(tool: str) -> bool:
    """Tell whether a tool runs commands, so that its input says it all."""
    return tool.strip().lower() in _TOOLS


@lru_cache(1_024)
def commands(line: str, depth: int = _DEPTH_MAX) -> tuple[Command, ...]:
    """Return the commands of a line in order; what only prepares one if there is nothing else."""
    done: list[Command] = []
    prepared: list[Command] = []
    for part, document in _parts(line[:_LINE_MAX]):
        words = _unwrapped(part)
        text = " ".join(word for word in part if word not in _OPENING)
        if words and words[0] in _PREPARING:
            prepared.append(_named(words[0], words, "looks"))
        elif depth and (inner := _inner_line(words)):
            done += commands(inner, depth - 1)
        elif words:
            command = _command(words, document)._replace(text=text)
            # That the output of a check is kept as well as shown changes nothing.
            copied = command.name == "tee" and done and done[-1].effect != "looks"
            done.append(command._replace(effect="looks") if copied else command)
    return tuple(done or prepared[:1])


def main_command(line: str) -> Command:
    """Return the command that a line is about: the last that does more than look or tidy up."""
    every = commands(line)
    acting = [command for command in every if command.effect != "looks"]
    telling = [command for command in acting if command.name not in _TIDYING]
    return [Command("", "run", frozenset(), "", "looks"), *every[:1], *acting, *telling][-1]


def _parts(line: str) -> Iterator[tuple[list[str], str]]:
    """Yield the words of each command, and the document that it reads."""
    documents: list[str] = []

    def taken(document: re.Match[str]) -> str:
        documents.append(document["body"])
        return f"<<{len(documents) - 1} {document['rest']}\n"

    words: list[str] = []
    document = ""
    for token in _token().finditer(_heredoc().sub(taken, line) + "\n"):
        sign, target = token["sign"], token["target"]
        if token["end"]:
            yield words, document
            words, document = [], ""
        elif token["word"]:
            words.append(token["word"])
        elif sign == "<<" and target in map(str, range(len(documents))):
            document = documents[int(target)]
        elif (
            sign in (">", ">>", "<") and target not in (None, "/dev/null") and token["from"] != "2"
        ):
            words.append(f"{sign} {target}")


@cache
def _token() -> re.Pattern[str]:
    inner = r"[^()\"']|\"[^\"]*\"|'[^']*'|\([^()]*\)"
    quoted = rf"\"(?:[^\"\\]|\\.)*\"|'[^']*'|`[^`]*`|\$\((?:{inner})*\)"
    word = rf"(?:[^\s\"'`$\\;|&<>()]|\\.|{quoted}|\$)+"
    redirect = rf"(?P<from>\d*|&)(?P<sign>>>|>|<<<|<<|<)(?:&[\d-]|[ \t]*(?P<target>{word}))?"
    skipped = r"\\\n|(?<![^\s;&|(])\#[^\n]*"
    end = r"(?P<end>&&|\|\||[;|&\n()])"
    return re.compile(rf"{skipped}|{redirect}|{end}|(?P<word>{word})", re.DOTALL)


@cache
def _heredoc() -> re.Pattern[str]:
    opening = r"<<-?[ \t]*(['\"]?)(?P<mark>[A-Za-z_]\w*)\1(?P<rest>[^\n]*)\n"
    return re.compile(rf"{opening}(?P<body>.*?)(?<=\n)[ \t]*(?P=mark)\b", re.DOTALL)


def _is_assignment(word: str) -> bool:
    """Tell whether a word sets a variable, or says how long a wrapper waits."""
    return re.match(r"\$?[A-Za-z_][\w:]*\+?=|[\d.]+[smhd]?$", word) is not None


def _plain(words: Sequence[str]) -> list[int]:
    """Return the places of the words that are neither options nor their values."""
    places: list[int] = []
    valued = False
    for place, word in enumerate(words):
        option = place > 0 and word[0] in "-+<>"
        if not option and not valued:
            places.append(place)
        valued = option and word in _VALUED
    return places


def _unwrapped(words: list[str]) -> list[str]:
    """Return the words of a command without what stands before it."""
    while words:
        if words[0] in _OPENING or _is_assignment(words[0]):
            words = words[1:]
            continue
        plain = _plain(words)
        called = [_program(words[place]) for place in plain[:3]]
        names = (" ".join(called[:size]) for size in (3, 2, 1))
        wrapper = next((name for name in names if name in _WRAPPERS), None)
        start = len(wrapper.split()) + _WRAPPERS[wrapper] if wrapper else len(plain)
        if start >= len(plain):
            break
        words = words[plain[start] :]
    return words


def _program(word: str) -> str:
    name = re.split(r"[/\\]", word.strip("'\""))[-1]
    return re.sub(r"\.(?:exe|cmd|bat)$", "", name) or word


def _inner_line(words: Sequence[str]) -> str:
    """Return the line that a shell is told to run."""
    if not words or _program(words[0]) not in _SHELLS:
        return ""
    place = next((n for n, word in enumerate(words) if re.fullmatch(r"-\w*c", word)), len(words))
    return "".join(words[place + 1 : place + 2]).strip("'\"").replace('\\"', '"')


def _command(words: list[str], document: str) -> Command:
    program = _program(words[0])
    if re.fullmatch(_INTERPRETER, program):
        return _interpreted(program, words, document)
    name = program
    if program in WITH_VERB:
        name = " ".join([program, *_verbs(program, [words[place] for place in _plain(words)[1:]])])
    return _named(name, words, _effect(name, words, document))


def _verbs(program: str, words: Sequence[str]) -> Iterator[str]:
    shape = r":?[A-Za-z][\w:.-]*" if program == "mix" else r":?[A-Za-z][\w:-]*"
    for word in [word for word in words if not _is_assignment(word)][:2]:
        if not re.fullmatch(shape, word):
            return
        yield word
        if word not in _GROUPS.get(program, "").split():
            return


def _interpreted(program: str, words: list[str], document: str) -> Command:
    """Read what runs a module, a piece of code, or a script."""
    rest = words[1:]
    while rest and rest[0][0] in "-<>" and rest[0] not in ("-m", "-c", "-e"):
        rest = rest[2 if rest[0] in _VALUED else 1 :]
    flag, rest = (rest[0], rest[1:]) if rest and rest[0][0] == "-" else ("", rest)
    script = _program(rest[0]) if rest and not flag else ""
    if (flag == "-m" and rest) or script in WITH_VERB:
        return _command(rest, document)
    name = f"{program} {flag or script}".rstrip()
    if script:
        return _named(name, words, _effect(name, words, ""), f"run {program}")
    code = rest[0] if flag and rest else document
    effect = "changes" if re.search(_WRITING, code) else "checks"
    # Two pieces of code are the same when they begin alike.
    about = frozenset((re.sub(r"\W+", ".", code)[:_CODE_MAX],))
    return _named(name, words, effect, f"run {program}")._replace(words=about)


def _named(name: str, words: Sequence[str], effect: str, action: str = "") -> Command:
    action = (action or _action(name))[:ACTION_CHARS]
    behind = frozenset(word.strip("'\"") for word in words[1:] if word[0] not in "<>")
    return Command(name, action, behind, " ".join(words), effect)


def _action(name: str) -> str:
    """Return what a pattern calls a command: "npm run test" and "npm test" are the same."""
    words = name.split()
    if re.match(_SCRIPT, name) and words[1] in ("run", "task"):
        del words[1]
    both = " ".join(words[:2]) in _BY_BOTH
    return " ".join(["run", *words[: 1 if words[0] in _BY_NONE else 3 if both else 2]])


def _effect(name: str, words: Sequence[str], document: str) -> str:
    program, *verbs = name.split()
    text = " ".join([*words, document])
    options = " ".join(["", *(word for word in words if word[0] == "-")])
    changing = _CHANGING.get(name) or _CHANGING.get(program)
    if re.search(_TRYING, options):
        return "checks"
    if changing and re.search(changing, text):
        return "changes"
    looks = any(re.fullmatch(_LOOK_VERBS, verb) for verb in verbs) and not re.match(_SCRIPT, name)
    if looks or program in _LOOKING or re.fullmatch(_CMDLETS, program):
        return "changes" if any(word[0] == ">" for word in words) else "looks"
    checks = any(re.fullmatch(_CHECKING, part) for part in re.split(r"[-_.:\s]", name))
    return "checks" if checks and not re.search(_FIXING, text) else "changes"
