#!/bin/sh
# Hand an event, JSON on standard input, to Milepost, and do nothing where that is not installed.
command -v milepost >/dev/null 2>&1 || exit 0
# Not with exec: a version that knows no such event ends with 2, which would block the prompt.
milepost hook "$1" || exit 0
