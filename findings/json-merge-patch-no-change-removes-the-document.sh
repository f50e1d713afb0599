#!/usr/bin/env bash
# Changes of settings as JSON Merge Patch (RFC 7396): json-merge-patch 1.0.2 (npm) generates undefined where nothing differs,
# and applied, undefined takes the place of the whole document, while a change of a member works; json-merge-patch 0.3.0
# (PyPI) generates {} there, but {} also where 1 becomes true or 0 false. A member that becomes null is removed by both, as
# the format cannot say null.
# Guess before the run: {} from both where nothing differs, and a change where a number becomes true.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . json-merge-patch@1.0.2
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'json-merge-patch==0.3.0'
cat >changes.json <<'FILE'
[[{"price": 5}, {"price": 5}], [{"price": 5}, {"price": 6}],
 [{"stock": 1}, {"stock": true}], [{"stock": 0}, {"stock": false}], [{"note": "hot"}, {"note": null}]]
FILE
cat >program.cjs <<'PROGRAM'
const { apply, generate } = require("json-merge-patch");

for (const [before, after] of require("./changes.json")) {
  const patch = generate(before, after);
  const copy = structuredClone(before);
  const change = `${JSON.stringify(before)} ${JSON.stringify(after)}`;
  console.log("npm", change, "patch", JSON.stringify(patch), "->", JSON.stringify(apply(copy, patch)));
}
PROGRAM
cat >program.py <<'PROGRAM'
import copy
import json

import json_merge_patch

for before, after in json.load(open("changes.json")):
    patch = json_merge_patch.create_patch(copy.deepcopy(before), copy.deepcopy(after))
    answer = json_merge_patch.merge(copy.deepcopy(before), copy.deepcopy(patch))
    print("PyPI", json.dumps(before), json.dumps(after), "patch", json.dumps(patch), "->", json.dumps(answer))
PROGRAM
{ node program.cjs; venv/bin/python program.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
npm {"price":5} {"price":5} patch undefined -> undefined
npm {"price":5} {"price":6} patch {"price":6} -> {"price":6}
npm {"stock":1} {"stock":true} patch {"stock":true} -> {"stock":true}
npm {"stock":0} {"stock":false} patch {"stock":false} -> {"stock":false}
npm {"note":"hot"} {"note":null} patch {"note":null} -> {}
PyPI {"price": 5} {"price": 5} patch {} -> {"price": 5}
PyPI {"price": 5} {"price": 6} patch {"price": 6} -> {"price": 6}
PyPI {"stock": 1} {"stock": true} patch {} -> {"stock": 1}
PyPI {"stock": 0} {"stock": false} patch {} -> {"stock": 0}
PyPI {"note": "hot"} {"note": null} patch {"note": null} -> {}
SEEN
echo "seen as described"
