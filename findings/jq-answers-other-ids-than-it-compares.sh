#!/usr/bin/env bash
# jq 1.13.0 (PyPI, jq 1.8 in Python): within a program an id above 2^53 is exact, and two that differ by one are two; the answer
# that Python gets is made of doubles, so "unique" answers one id twice, and an id equals what it is not. As text (tostring) it
# is exact. strptime takes 30 February for 2 March.
# Guess before the run: exact both within and without, as jq 1.8 keeps the digits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check jq==1.13.0
venv/bin/python - >seen <<'PROGRAM'
import jq

ids = "[9007199254740993, 9007199254740992]"
for program in ("unique", "unique | length", ".[0] == .[1]", "map(tostring)", ".[0]"):
    print(program, "|", jq.compile(program).input_text(ids).first())
print(jq.compile('strptime("%Y-%m-%d") | mktime | todate').input_value("2026-02-30").first())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
unique | [9007199254740992, 9007199254740992]
unique | length | 2
.[0] == .[1] | False
map(tostring) | ['9007199254740993', '9007199254740992']
.[0] | 9007199254740992
2026-03-02T00:00:00Z
SEEN
echo "seen as described"
