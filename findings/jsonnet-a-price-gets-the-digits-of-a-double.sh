#!/usr/bin/env bash
# Two readers of one configuration language: 19.99 is written as 19.989999999999998 by jsonnet 0.22.0 (PyPI, C++) and as 19.99
# by rjsonnet 0.5.6 (Rust), so a rendered configuration changes with the program. An integer of 30 digits differs as well; the
# 17th digit of an id is lost in both.
# Guess before the run: both write the shortest text of a double.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check jsonnet==0.22.0 rjsonnet==0.5.6
venv/bin/python - >seen <<'PROGRAM'
import _jsonnet
import rjsonnet

for text in ("19.99", "0.1", "1.005", "9007199254740993", "123456789012345678901234567890"):
    print(text, _jsonnet.evaluate_snippet("file", text).strip(), rjsonnet.evaluate_snippet("file", text).strip())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
19.99 19.989999999999998 19.99
0.1 0.10000000000000001 0.1
1.005 1.0049999999999999 1.005
9007199254740993 9007199254740992 9007199254740992
123456789012345678901234567890 123456789012345677877719597056 123456789012345680000000000000
SEEN
echo "seen as described"
