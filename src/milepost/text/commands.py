"""What a line of a shell did: its commands, each with program and verb, objects, and effect.

`cd web && CI=1 pnpm add -D jsdom 2>&1 | tail` is `pnpm add`, which changes something, and `tail`,
which only looks. In patterns a command is named without its objects: `run pnpm add`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ACTION_CHARS = 60
_LINE_MAX, _CODE_MAX = 4_000, 80

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
# Verbs that are followed by another one; of a program that stands alone every verb is.
_GROUPS = frozenset(
    "aws,npm run,pnpm run,yarn run,bun run,composer run,turbo run,nx run,deno task,npm config,"
    "pnpm config,yarn config,pip config,pip3 config,bundle config,gcloud config,kubectl config,"
    "kubectl rollout,go mod,go work,docker compose,docker image,docker container,docker volume,"
    "docker network,docker system,docker context,docker buildx,podman compose,podman image,"
    "podman container,podman volume,podman network,git stash,git remote,git worktree,git submodule,"
    "git bisect,git lfs,gh pr,gh issue,gh run,gh repo,gh release,gh workflow,gh secret,gh auth,"
    "gh config,uv pip,uv tool,uv python,conda env,helm repo,helm dependency,terraform state,"
    "terraform workspace,prisma migrate,prisma db,dotnet tool,dotnet ef,flutter pub,dart pub,"
    "swift package".split(",")
)
# These run what the project itself defines.
_SCRIPT = r"(?:(?:npm|pnpm|yarn|bun|composer|turbo|nx|deno) (?:run|task)|make|just|rake) "
# What runs the command that follows it; those of a container name it before.
_WRAPPERS = frozenset(
    "sudo,env,time,timeout,nohup,nice,exec,command,xargs,stdbuf,xvfb-run,npx,bunx,uvx,uv run,"
    "poetry run,pipenv run,hatch run,conda run,pipx run,pnpm exec,pnpm dlx,npm exec,yarn dlx,"
    "bundle exec,docker exec,podman exec,kubectl exec,docker-compose exec,docker compose exec,"
    "docker compose run".split(",")
)
_INTERPRETER = r"python[\d.]*|py|node|ruby|php|tsx|ts-node|bash|sh|zsh"
_ASSIGNMENT = r"\$?[A-Za-z_][\w:]*\+?=|[\d.]+[smhd]?$"
# Options that are followed by a value, before a verb or the command that is run.
_VALUED = frozenset(
    "-C -c -n -f -F -w -p -u -e -v -r -I -R -W -X -pl --namespace --context --file --prefix "
    "--filter --cwd --workspace --directory --project --profile --region --repo --extra --with "
    "--group --env --user --workdir --git-dir --work-tree --package --from --python".split()
)
_WORD = (
    r"(?:[^\s\"'`$\\;|&<>()]|\\.|\"(?:[^\"\\]|\\.)*\"|'[^']*'|`[^`]*`"
    r"|\$\((?:[^()\"']|\"[^\"]*\"|'[^']*'|\([^()]*\))*\)|\$)+"
)
_TOKEN = (
    rf"(?s)\\\n|(?<![^\s;&|(])\#[^\n]*|(?P<end>&&|\|\||(?!&>)[;|&\n()])|(?P<word>(?!\d+[<>]){_WORD})"
    rf"|(?P<from>\d*|&)(?P<sign>>>|>|<<<|<<|<)(?:&[\d-]|[ \t]*(?P<target>{_WORD}))?"
)
_HEREDOC = (
    r"(?s)<<-?[ \t]*(['\"]?)(?P<mark>[A-Za-z_]\w*)\1(?P<rest>[^\n]*)\n"
    r"(?P<body>.*?)(?<=\n)[ \t]*(?P=mark)\b"
)
_OPENING = frozenset("{ ! if then elif else while until do".split())
_PREPARING = frozenset("cd pushd popd export source . set eval for done fi } true : exit".split())

_LOOKING = frozenset(
    "ls cat grep rg find fd head tail less more which whereis type file stat wc tree pwd echo tee "
    "printf ps top df du diff cmp jq yq awk sed perl cut sort uniq tr test [ [[ sleep wait history "
    "man date id whoami hostname uname lsof ss netstat ping dig curl wget psql mysql sqlite3 gofmt "
    "printenv journalctl xxd strings basename dirname realpath".split()
)
_LOOK_VERBS = (
    r"(?:describe|list|get|show|is|ls|rev)(?:-.*)?|status|diff|logs?|blame|reflog|grep|view|ps"
    r"|images|inspect|top|events|history|info|version|search|outdated|why|tree|env|explain|current"
    r"|heads|whoami|output|freeze|checks|watch|branch|tag|config|remote|api"
)
_CMDLETS = r"(?:Get|Test|Select|Measure|Where|Format|Sort|Write|Compare|Resolve)-[A-Z]\w+"
_CHECKING = (
    r"\w*tests?|\w*lint(?:er)?|specs?|check(?:s|er)?|typecheck|types|vet|clippy|verify|validate"
    r"|plan|audit|doctor|coverage|bench|e2e|template|mypy|pyright|flake8|tsc|jest|mocha|rspec"
    r"|phpunit|phpstan|tox|nox|shellcheck|rubocop|cypress|staticcheck|bandit"
)
_FIXING = r" --?(?:fix|write|in-place|autocorrect)\b|[:-]fix\b"
_TRYING = r" --?(?:check|check-only|dry-run|diff|help|version|noEmit)\b"
_STATEMENT = r"(?i)\b(?:insert|update|delete|create|alter|drop|grant|truncate)\b| -f\b| <"
_WRITING = r"writ|unlink|remove|rename|mkdir|rmtree|copy|open\([^)]*, ?['\"]?[wax]|\bsave|dump\("
_SETTING = r"config (?!.*(?:--get|--list|-l\b)|get |list\b)(?:--\w+ )*\S+ \S"
_SET = r" (?:set|unset|delete|add|rm|edit)\b"
# What makes a command change something that otherwise only looks.
_CHANGING = {
    "sed": r" -\w*i| --in-place", "perl": r" -\w*i", "gofmt": r" -w", "tee": r"^",
    "find": r" -delete\b| -exec\w* (?:sed -i|rm|mv)", "wget": r"^(?!.*(?:-\w*O ?-|--spider))",
    "curl": r" (?:-\w*X ?(?!GET|HEAD)|-d\b|--data|--json|-\w*[oOFT]\b|--output)",
    "psql": _STATEMENT, "mysql": _STATEMENT, "sqlite3": _STATEMENT,
    "git branch": r" -[dDmMfu]\b|branch [^-\s]", "git tag": r"tag (?!-l|-n)\S",
    "git remote": r"remote (?:add|set-|rm|remove|rename|prune|update)",
    "git config": _SETTING, "poetry config": _SETTING, "composer config": _SETTING,
    "npm config": _SET, "pnpm config": _SET, "yarn config": _SET, "pip config": _SET,
    "pip3 config": _SET, "bundle config": _SET, "gcloud config": _SET, "gh config": _SET,
    "conda config": r" --(?:set|add|append|prepend|remove)", "go env": r" -[wu]\b",
    "kubectl config": r" (?:use|set|delete|rename|unset)\b", "aws logs": r" (?:put|create|delete)-",
    "gh api": r" (?:-X|-f|-F|--method)\b",
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
        named = (w for w in self.words if ("/" in w or "." in w) and w[0] != "-")
        return frozenset(w for w in named if w.split() == [w])

    @property
    def changes(self) -> bool:
        """Whether things are other than before once it went well."""
        return self.effect == "changes"


def is_shell(tool: str) -> bool:
    """Tell whether a tool runs commands, so that its input says it all."""
    return tool.strip().lower() in _TOOLS


@lru_cache(4_096)
def commands(line: str, depth: int = 3) -> tuple[Command, ...]:
    """Return the commands of a line in order; what only prepares one if there is nothing else."""
    done: list[Command] = []
    prepared: list[Command] = []
    for part in _parts(line[:_LINE_MAX]):
        words = _unwrapped(part)
        text = " ".join(word for word in part if word not in _OPENING and word[:2] != "<<")
        if words and words[0] in _PREPARING:
            prepared.append(_named(words[0], words, "looks"))
        elif depth and (inner := _inner_line(words)):
            done += commands(inner, depth - 1)
        elif words:
            command = _command(words)._replace(text=text)
            # That the output of a check is kept as well as shown changes nothing.
            copied = command.name == "tee" and done and done[-1].effect != "looks"
            done.append(command._replace(effect="looks") if copied else command)
    return tuple(done or prepared[:1])


def _parts(line: str) -> Iterator[list[str]]:
    """Yield the words of each command, with the files and the document that it reads or writes."""
    words: list[str] = []
    unquoted = str.maketrans("", "", "'\"")
    line = re.sub(_HEREDOC, lambda m: f" <<'{m['body'].translate(unquoted)}'{m['rest']}\n", line)
    for token in re.finditer(_TOKEN, f"{line}\n"):
        if token["end"]:
            yield words
            words = []
        elif token["word"]:
            words.append(token["word"])
        elif token["target"] and token["from"] != "2" and token["target"] != "/dev/null":
            # Close together, as what could pass for a tag is looked for.
            space = " " if token["sign"][0] == ">" else ""
            words.append(f"{token['sign']}{space}{token['target']}")


def _plain(words: Sequence[str]) -> list[int]:
    """Return the places of the words that are neither options nor their values."""
    options = [place > 0 and word[0] in "-+<>" for place, word in enumerate(words)]
    valued = [False, *(words[place] in _VALUED and option for place, option in enumerate(options))]
    return [place for place, option in enumerate(options) if not option and not valued[place]]


def _unwrapped(words: list[str]) -> list[str]:
    """Return the words of a command without what stands before it."""
    while words:
        if words[0] in _OPENING or re.match(_ASSIGNMENT, words[0]):
            words = words[1:]
            continue
        plain = _plain(words)
        called = [_program(words[place]) for place in plain[:3]]
        sizes = [size for size in (3, 2, 1) if " ".join(called[:size]) in _WRAPPERS]
        start = (
            sizes[0] + called[0].startswith(("docker", "podman", "kubectl"))
            if sizes
            else len(plain)
        )
        if start >= len(plain):
            break
        words = words[plain[start] :]
    return words


def _program(word: str) -> str:
    name = re.split(r"[/\\]", word.strip("'\""))[-1]
    return re.sub(r"\.(?:exe|cmd|bat)$", "", name).strip() or word


def _inner_line(words: Sequence[str]) -> str:
    """Return the line that a shell is told to run."""
    if not words or _program(words[0]) not in ("bash", "sh", "zsh"):
        return ""
    place = next((n for n, word in enumerate(words) if re.fullmatch(r"-\w*c", word)), len(words))
    return "".join(words[place + 1 : place + 2]).strip("'\"").replace('\\"', '"')


def _command(words: list[str]) -> Command:
    program = _program(words[0])
    if re.fullmatch(_INTERPRETER, program):
        return _interpreted(program, words)
    name = program
    if program in WITH_VERB:
        plain = [words[place] for place in _plain(words)[1:]]
        verbs = [word for word in plain if not re.match(_ASSIGNMENT, word)][:2]
        shape = r":?[A-Za-z][\w:.-]*" if program == "mix" else r":?[A-Za-z][\w:-]*"
        count = 1 + (not _GROUPS.isdisjoint(_prefixes([program, *verbs[:1]])))
        name = " ".join([program, *takewhile(re.compile(shape).fullmatch, verbs[:count])])
    return _named(name, words, _effect(name, words))


def _interpreted(program: str, words: list[str]) -> Command:
    """Read what runs a module, a piece of code, or a script."""
    rest = words[1:]
    while rest and rest[0][0] == "-" and rest[0] not in ("-m", "-c", "-e"):
        rest = rest[2 if rest[0] in _VALUED else 1 :]
    flag = rest.pop(0) if rest and rest[0][0] == "-" else ""
    code = "" if rest and not flag and rest[0][0] != "<" else "".join(rest[:1])
    script = _program(rest[0]) if rest and not code else ""
    if rest and (flag == "-m" or script in WITH_VERB):
        return _command(rest)
    name = f"{program} {flag or script}".rstrip()
    effect = _effect(name, words)
    if code:
        effect = "changes" if re.search(_WRITING, code) else "checks"
        # Two pieces of code are the same when they begin alike.
        words = [program, re.sub(r"\W+", ".", code)[:_CODE_MAX]]
    return _named(name, words, effect, f"run {program}")


def _named(name: str, words: Sequence[str], effect: str, action: str = "") -> Command:
    action = (action or _action(name))[:ACTION_CHARS]
    behind = frozenset(word.strip("'\"") for word in words[1:] if word[0] not in "<>")
    return Command(name, action, behind, " ".join(words), effect)


def _action(name: str) -> str:
    """Return what a pattern calls a command: "npm run test" and "npm test" are the same."""
    words = name.split()
    if re.match(_SCRIPT, name) and words[1] in ("run", "task"):
        del words[1]
    return " ".join(["run", *words])


def _prefixes(words: Sequence[str]) -> list[str]:
    """Return the program, the program with its verb, and so on."""
    return [" ".join(words[:size]) for size in range(1, len(words) + 1)]


def _effect(name: str, words: Sequence[str]) -> str:
    program, *verbs = name.split()
    text = " ".join(words)
    options = " ".join(["", *(word for word in words if word[0] == "-")])
    changing = [_CHANGING[prefix] for prefix in _prefixes(name.split()) if prefix in _CHANGING]
    if re.search(_TRYING, options):
        return "checks"
    if any(re.search(sign, text) for sign in changing):
        return "changes"
    looks = any(re.fullmatch(_LOOK_VERBS, verb) for verb in verbs) and not re.match(_SCRIPT, name)
    if looks or program in _LOOKING or re.fullmatch(_CMDLETS, program):
        return "changes" if any(word[0] == ">" for word in words) else "looks"
    checks = any(re.fullmatch(_CHECKING, part) for part in re.split(r"[-_.:\s]", name))
    return "checks" if checks and not re.search(_FIXING, text) else "changes"
