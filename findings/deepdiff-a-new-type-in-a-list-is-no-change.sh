#!/usr/bin/env bash
# deepdiff 9.1.0 compares types, but not of the items of a list: {"a": 1} and {"a": True} differ, {"a": [1]} and {"a": [True]} do
# not, nor do [1] and [1.0], or [[1]] and [[True]]. An object within a list is compared as elsewhere, and ignore_order=True,
# which is meant to find less, finds the items too. jsonpatch 1.48 finds each of them.
# Guess before the run: a change of type is one wherever it stands.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'deepdiff==9.1.0' 'jsonpatch==1.48'
venv/bin/python - >seen <<'PROGRAM'
import json

from deepdiff import DeepDiff
from jsonpatch import make_patch

pairs = [
    ({"a": 1}, {"a": True}),
    ({"a": [1]}, {"a": [True]}),
    ([1], [1.0]),
    ([[1]], [[True]]),
    ([{"a": 1}], [{"a": True}]),
]
for before, after in pairs:
    found = [DeepDiff(before, after), DeepDiff(before, after, ignore_order=True), make_patch(before, after).patch]
    print(json.dumps(before), json.dumps(after), ["found" if changes else "nothing" for changes in found])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"a": 1} {"a": true} ['found', 'found', 'found']
{"a": [1]} {"a": [true]} ['nothing', 'found', 'found']
[1] [1.0] ['nothing', 'found', 'found']
[[1]] [[true]] ['nothing', 'found', 'found']
[{"a": 1}] [{"a": true}] ['found', 'found', 'found']
SEEN
echo "seen as described"
