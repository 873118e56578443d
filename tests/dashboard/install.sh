#!/bin/sh
# Install the Chromium that the tests of the dashboard open, some 350 MB, where there is none yet.
# Failing is allowed: the tests are then skipped and say why.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "There is no Chromium here, and only root can install it, by apt-get;" \
        "the tests of the dashboard will be skipped." >&2
    exit 0
fi

apt() {
    DEBIAN_FRONTEND=noninteractive timeout 600 apt-get -qq -o Acquire::Retries=1 \
        -o Acquire::http::Timeout=20 -o Dpkg::Use-Pty=0 "$@" >/dev/null 2>&1
}
packages="chromium fonts-dejavu-core"
# shellcheck disable=SC2086 # they are two words
if apt install -y --no-install-recommends $packages ||
    { apt update && apt install -y --no-install-recommends $packages; }; then
    chromium --version >/dev/null 2>&1 && exit 0
    # Some systems have a package of this name that only points to a shop of theirs.
    apt purge -y chromium
fi
echo "Chromium could not be installed; the tests of the dashboard will be skipped." >&2
exit 0
