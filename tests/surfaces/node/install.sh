#!/bin/sh
# Install the clients that test_mcp_clients.py runs, some 700 MB, once for each package.json.
# Failing is allowed: the tests are then skipped and say why.
cd "$(dirname "$0")" || exit 0

installed=node_modules/.installed
cmp -s package.json "$installed" && exit 0
if ! command -v npm >/dev/null; then
    echo "There is no npm here; the tests with real MCP clients will be skipped." >&2
    exit 0
fi
# The clients bring the Node they need, so a complaint about the one here means nothing.
if npm install --no-package-lock --no-audit --no-fund --loglevel=error &&
    node_modules/node/bin/node --version >/dev/null &&
    node_modules/.bin/claude --version >/dev/null; then
    cp package.json "$installed"
else
    echo "The MCP clients could not be installed; the tests with them will be skipped." >&2
fi
exit 0
