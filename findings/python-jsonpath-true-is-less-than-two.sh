#!/usr/bin/env bash
# python-jsonpath 2.2.2: in a filter, true is above 0.5 and below 2, as Python's True is the number 1, though == keeps them
# apart; RFC 9535 (section 2.3.5.2.2) orders numbers and texts alone, and every comparison of a boolean by < or > is false.
# jsonpath-ng 1.16.0 gives the numbers alone.
# Guess before the run: booleans are not ordered, as == tells them from numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check python-jsonpath==2.2.2 jsonpath-ng==1.16.0
venv/bin/python - >seen <<'PROGRAM'
import jsonpath
from jsonpath_ng.ext import parse

rows = {"rows": [{"value": value} for value in (1, 1.0, True, False, "1", None)]}
for condition in ("== 1", "== true", "< 2", "> 0.5", "<= true"):
    print(condition, "| python-jsonpath", jsonpath.findall(f"$.rows[?@.value {condition}].value", rows), end=" | jsonpath-ng ")
    print([found.value for found in parse(f"$.rows[?(@.value {condition})].value").find(rows)])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
== 1 | python-jsonpath [1, 1.0] | jsonpath-ng [1, 1.0]
== true | python-jsonpath [True] | jsonpath-ng [True]
< 2 | python-jsonpath [1, 1.0, True, False] | jsonpath-ng [1, 1.0]
> 0.5 | python-jsonpath [1, 1.0, True] | jsonpath-ng [1, 1.0]
<= true | python-jsonpath [True, False] | jsonpath-ng [True]
SEEN
echo "seen as described"
