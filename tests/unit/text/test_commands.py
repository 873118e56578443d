"""What an agent ran: which program with which verb, on what, and whether it changed anything."""

import pytest

from milepost.text.commands import commands, is_shell


def main_command(line):
    """Return the command that a line is about: the last that does more than look."""
    every = commands(line)
    return [*every[:1], *(command for command in every if command.effect != "looks")][-1]


# A line, the command it is about, and whether that changes anything.
LINES = [
    # Tests, linters and compilers prove something and change nothing.
    ("pytest -q tests/test_a.py", "pytest", False),
    ("python -m pytest -q", "pytest", False),
    (".venv/bin/python -m pytest -n 2 tests", "pytest", False),
    ("uv run pytest", "pytest", False),
    ("uv run --extra dev python -m mypy src", "mypy", False),
    ("poetry run python -m pytest", "pytest", False),
    ("npm run test", "npm run test", False),
    ("npm test -- --run", "npm test", False),
    ("npm --prefix web run lint", "npm run lint", False),
    ("pnpm --filter web test", "pnpm test", False),
    ("pnpm exec vitest run", "vitest", False),
    ("npx tsc --noEmit", "tsc", False),
    ("npx --yes eslint src", "eslint", False),
    ("cargo +nightly clippy --all", "cargo clippy", False),
    ("cargo fmt --check", "cargo fmt", False),
    ("go test ./...", "go test", False),
    ("./gradlew :app:test", "gradlew :app:test", False),
    (r".\gradlew.bat test", "gradlew test", False),
    ("mvn -q -pl api test", "mvn test", False),
    ("bundle exec rspec spec/a_spec.rb", "rspec", False),
    ("dotnet test --no-build", "dotnet test", False),
    ("make -C web lint", "make lint", False),
    ("ruff check src", "ruff check", False),
    ("ruff format --check .", "ruff format", False),
    ("black --check .", "black", False),
    ("terraform -chdir=infra plan -out x", "terraform plan", False),
    ("helm lint ./chart", "helm lint", False),
    ("python manage.py test", "manage.py test", False),
    ("pytest -q > out.log 2>&1", "pytest", False),
    ('python -c "import numpy; print(numpy.__version__)"', "python -c", False),
    ("docker exec -it app pytest", "pytest", False),
    ("docker compose run --rm -e CI=1 web pytest -x", "pytest", False),
    # Looking proves nothing either.
    ("ls -la src 2>/dev/null", "ls", False),
    ("cat src/a.py", "cat", False),
    ("sed -n 1,5p a.py", "sed", False),
    ("find . -name '*.py'", "find", False),
    ("git -C /srv status", "git status", False),
    ("git branch -a", "git branch", False),
    ("git stash list", "git stash list", False),
    ("docker compose -f dev.yml logs web", "docker compose logs", False),
    ("kubectl -n prod get pods -o wide", "kubectl get", False),
    ("kubectl rollout status deploy/web", "kubectl rollout status", False),
    ("kubectl exec web-0 -- cat /etc/hosts", "cat", False),
    ("gh pr view 12 --json title", "gh pr view", False),
    ("aws --profile dev s3 ls s3://b", "aws s3 ls", False),
    ("pip list", "pip list", False),
    ("npm ls react", "npm ls", False),
    ("systemctl status nginx", "systemctl status", False),
    ("curl -s localhost:8000/health", "curl", False),
    ("psql -c 'select 1'", "psql", False),
    ("Get-ChildItem -Recurse", "Get-ChildItem", False),
    ("git remote -v", "git remote", False),
    ("git remote get-url origin", "git remote get-url", False),
    ("git config --get user.name", "git config", False),
    ("git config get user.name", "git config", False),
    ("npm config get registry", "npm config get", False),
    ("pnpm config list", "pnpm config list", False),
    ("kubectl config current-context", "kubectl config current-context", False),
    ("go env GOPATH", "go env", False),
    ("prisma migrate status", "prisma migrate status", False),
    ("docker volume ls", "docker volume ls", False),
    ("aws logs describe-log-groups", "aws logs describe-log-groups", False),
    ("aws lambda list-functions", "aws lambda list-functions", False),
    # What leaves things other than they were.
    ("sed -i s/bild/build/ Makefile", "sed", True),
    ("sed -E -i.bak 's/a/b/' a.py", "sed", True),
    ("perl -pi -e 's/a/b/' a.py", "perl", True),
    ("echo DEBUG=1 >> .env", "echo", True),
    ("cat > conf.toml <<'EOF'\na = 1\nEOF", "cat", True),
    ("echo 127.0.0.1 db | sudo tee -a /etc/hosts", "tee", True),
    ("mv a.py b.py", "mv", True),
    ("mkdir -p build", "mkdir", True),
    ("find . -name '*.pyc' -delete", "find", True),
    ("grep -rl foo src | xargs sed -i s/foo/bar/", "sed", True),
    ("git commit -am 'a && b'", "git commit", True),
    ("git -c user.name=x commit -m y", "git commit", True),
    ("git branch -D old", "git branch", True),
    ("git stash pop", "git stash pop", True),
    ("git checkout -- src/a.py", "git checkout", True),
    ("pnpm add -D jsdom", "pnpm add", True),
    ("npm ci", "npm ci", True),
    ("npm run build -- --watch", "npm run build", True),
    ("npx eslint --fix src", "eslint", True),
    ("npm run lint:fix", "npm run lint:fix", True),
    ("npx prettier --write .", "prettier", True),
    ("ruff check --fix .", "ruff check", True),
    ("ruff format .", "ruff format", True),
    ("sudo apt-get install -y jq", "apt-get install", True),
    ("uv pip install -e .", "uv pip install", True),
    ("bundle install", "bundle install", True),
    ("bin/rails db:migrate", "rails db:migrate", True),
    ("php artisan migrate", "artisan migrate", True),
    ("npx prisma migrate dev", "prisma migrate dev", True),
    ("go mod tidy", "go mod tidy", True),
    ("cargo build --release", "cargo build", True),
    ("docker compose up -d db", "docker compose up", True),
    ("docker compose exec -T web python manage.py migrate", "manage.py migrate", True),
    ("docker run --rm -p 80:80 nginx", "docker run", True),
    ("kubectl --context prod apply -f k8s/", "kubectl apply", True),
    ("helm upgrade --install shop ./chart", "helm upgrade", True),
    ("terraform apply -auto-approve", "terraform apply", True),
    ("alembic upgrade head", "alembic upgrade", True),
    ("psql -f schema.sql", "psql", True),
    ("psql -c 'drop table users'", "psql", True),
    ("curl -X POST -d '{}' localhost:8000/jobs", "curl", True),
    ("kill -9 4711", "kill", True),
    ("make", "make", True),
    ("python3 tools/load.py --all", "python3 load.py", True),
    ("nohup ./server --port 8000 > log 2>&1 &", "server", True),
    ("python - <<'EOF'\nfrom pathlib import Path\nPath('a').write_text('')\nEOF", "python", True),
    ("Remove-Item -Recurse dist", "Remove-Item", True),
    ("git remote add origin git@host:a/b.git", "git remote add", True),
    ("git remote set-url origin git@host:a/b.git", "git remote set-url", True),
    ("git config user.name x", "git config", True),
    ("npm config set registry https://r.example", "npm config set", True),
    ("npm config --global delete proxy", "npm config delete", True),
    ("pnpm config set store-dir ~/.store", "pnpm config set", True),
    ("yarn config set nodeLinker node-modules", "yarn config set", True),
    ("pip config set global.index-url https://r.example", "pip config set", True),
    ("python -m pip config unset global.proxy", "pip config unset", True),
    ("poetry config virtualenvs.in-project true", "poetry config", True),
    ("conda config --add channels conda-forge", "conda config", True),
    ("go env -w GOFLAGS=-mod=mod", "go env", True),
    ("gcloud config set project shop", "gcloud config set", True),
    ("kubectl config use-context prod", "kubectl config use-context", True),
    ("kubectl config set-context --current --namespace web", "kubectl config set-context", True),
    ("docker volume rm data", "docker volume rm", True),
    ("aws logs delete-log-group --log-group-name x", "aws logs delete-log-group", True),
    ("helm repo add bitnami https://r.example", "helm repo add", True),
    # What stands around a command is none.
    ('FOO=1 BAR="a b" timeout 30 cargo test --all', "cargo test", False),
    ("env CI=1 npm test", "npm test", False),
    ("sudo -u postgres psql -c 'alter role x'", "psql", True),
    ("time nice -n 10 make build", "make build", True),
    ("(cd web && npm test)", "npm test", False),
    ('bash -lc "cd api && go test ./..."', "go test", False),
    ("for f in *.py; do python -m black $f; done", "black", True),
    ("source .venv/bin/activate && pytest", "pytest", False),
    ('$env:CI="1"; npm test', "npm test", False),
    ("# run the tests\npytest", "pytest", False),
    ("pytest -q | tee out.log | tail -5", "pytest", False),
    ("cd /srv/app", "cd", False),
]


@pytest.mark.parametrize(("line", "name", "changes"), LINES)
def test_a_line_is_about_a_program_with_its_verb(line, name, changes):
    command = main_command(line)
    assert (command.name, command.changes) == (name, changes)


# A line and all the commands in it.
SPLIT = [
    ("pnpm add -D jsdom && pnpm test", ["pnpm add", "pnpm test"]),
    (
        "cd web && npm ci && npm run build 2>&1 | tail -20",
        ["npm ci", "npm run build", "tail"],
    ),
    ("make lint; make test", ["make lint", "make test"]),
    ("npm test || npm run test:ci", ["npm test", "npm run test:ci"]),
    ("git add -A\ngit commit -m x\n", ["git add", "git commit"]),
    ("echo 'a && b; c' | grep a", ["echo", "grep"]),
    ("cat > a.py <<'EOF'\nimport os; rm -rf x && y\nEOF\npython a.py", ["cat", "python a.py"]),
    (
        "git add -A && git commit -m \"$(cat <<'EOF'\nAdd it; and that && more\n\nEOF\n)\"",
        ["git add", "git commit"],
    ),
    ("kubectl get pods -o json | jq '.items[] | .name'", ["kubectl get", "jq"]),
    ("docker run \\\n  --rm \\\n  nginx && echo ok", ["docker run", "echo"]),
    ("sleep 5 & pytest; wait", ["sleep", "pytest", "wait"]),
    ("if [ -f x ]; then rm x; else touch x; fi", ["[", "rm", "touch"]),
    ("rev=$(git rev-parse HEAD | cut -c1-8); docker build -t app:$rev .", ["docker build"]),
    ("find . -name '*.orig' -print0 | xargs -0 -n 1 rm -f", ["find", "rm"]),
    ('bash -c "npm ci && npm test"', ["npm ci", "npm test"]),
    ("{ date; npm test; } > log", ["date", "npm test"]),
    ("git commit -m 'it isn'\\''t; it was'", ["git commit"]),
    ("", []),
]


@pytest.mark.parametrize(("line", "names"), SPLIT)
def test_a_compound_line_is_split_into_its_commands(line, names):
    assert [command.name for command in commands(line)] == names


@pytest.mark.parametrize(
    ("line", "objects"),
    [
        ("pytest tests/test_a.py::test_x -k foo", {"tests/test_a.py::test_x"}),
        ("pip install dist/shop-1.2.whl", {"dist/shop-1.2.whl"}),
        ("git commit -m 'see src/a.py'", set()),
        ("ruff check src/ 'lib/b.py'", {"src/", "lib/b.py"}),
        ("npm test", set()),
    ],
)
def test_the_objects_of_a_command_are_the_files_and_folders_it_names(line, objects):
    assert main_command(line).objects == objects


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("pytest tests/x.py -k foo", "run pytest"),
        ("npm run build -- --watch", "run npm build"),
        ("python3 tools/load.py --all", "run python3"),
        ("docker run --rm nginx", "run docker run"),
        ("ruff check src", "run ruff check"),
        ("go mod tidy", "run go mod tidy"),
        ("gh run list", "run gh run list"),
        ("docker compose up -d", "run docker compose up"),
        ("python manage.py migrate", "run manage.py migrate"),
        ("cat notes.md | psql -f -", "run psql"),
    ],
)
def test_in_patterns_a_command_is_named_without_its_objects(line, action):
    assert main_command(line).action == action


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ruff check .", "ruff format ."),
        ("playwright install", "playwright test"),
        ("prisma generate", "prisma studio"),
        ("prisma db push", "prisma db seed"),
        ("bazel build //a", "bazel run //a"),
        ("flutter build apk", "flutter pub get"),
        ("docker volume rm data", "docker volume ls"),
        ("docker network create web", "docker network rm web"),
        ("go mod tidy", "go mod download"),
        ("git worktree add ../x", "git worktree remove ../x"),
        ("git submodule update", "git submodule add url"),
        ("helm repo add a url", "helm repo update"),
        ("kubectl config use-context a", "kubectl config get-contexts"),
        ("terraform workspace new a", "terraform workspace select a"),
        ("uv tool install a", "uv tool uninstall a"),
        ("aws ecs update-service", "aws ecs register-task-definition"),
    ],
)
def test_two_subcommands_of_one_program_are_two_commands(one, other):
    (first,), (second,) = commands(one), commands(other)
    assert first.name != second.name
    assert first.action != second.action


def test_a_command_is_told_as_it_was_given_without_what_only_hides_its_output():
    line = "cd web && CI=1 pnpm add -D jsdom 2>&1 | tail -3 && echo X >> .env"
    assert [command.text for command in commands(line)] == [
        *("CI=1 pnpm add -D jsdom", "tail -3", "echo X >> .env"),
    ]


def test_tools_that_run_commands_are_known_by_any_spelling():
    assert all(map(is_shell, ("Bash", "bash", "shell", "PowerShell", "run_shell_command")))
    assert not any(map(is_shell, ("Edit", "browser", "")))


@pytest.mark.parametrize(
    "line", ["'", '"', '" "', "&&", ";;", "<<E", "a=b", "\\", "$(", "((", "x" * 9_999]
)
def test_what_is_no_command_line_is_read_without_complaint(line):
    assert all(command.name for command in commands(line))
