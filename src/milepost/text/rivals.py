"""Which tools do the same work, so that who uses another now has left the first."""

from __future__ import annotations

_KINDS = """
npm yarn pnpm bun
pip poetry pipenv uv pdm conda hatch
slack mattermost teams discord zulip rocket.chat
jira linear asana trello youtrack redmine shortcut
vim neovim emacs helix zed pycharm intellij vscode code sublime cursor nano
bash zsh fish nushell powershell
jenkins travis circleci buildkite drone teamcity woodpecker
webpack vite rollup parcel esbuild turbopack rspack
git subversion svn mercurial hg perforce
github gitlab bitbucket codeberg gitea forgejo
flake8 pylint ruff eslint biome oxlint
black yapf autopep8 prettier dprint
unittest pytest nose jest vitest mocha jasmine ava
mysql postgresql postgres mariadb sqlite mongodb cockroachdb
heroku fly.io render vercel netlify railway
docker podman
lastpass bitwarden 1password keepass
chrome firefox safari brave edge
react vue svelte angular solid
make just ninja bazel meson cmake
ansible chef puppet salt
sentry bugsnag rollbar
airflow dagster prefect luigi
macos windows ubuntu debian fedora arch
"""
_KIND_OF = {name: kind for kind, line in enumerate(_KINDS.split("\n")) for name in line.split()}


def are_rivals(one: str, other: str) -> bool:
    """Tell whether two names are of tools of which one uses one at a time."""
    kind = _KIND_OF.get(one.casefold())
    return kind is not None and one != other and kind == _KIND_OF.get(other.casefold())
