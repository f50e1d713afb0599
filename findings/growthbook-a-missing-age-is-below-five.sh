#!/usr/bin/env bash
# Conditions of feature flags: growthbook 4.0.0 (PyPI) and @growthbook/growthbook 1.8.0 (npm) answer differently for the
# same user. An attribute that is missing or null is below 5 in JavaScript and not in Python, the text "10" is above 5, a
# list with 10 is above 5, and true is 1; Python refuses all of these.
# Guess before the run: one answer, as both run the same published test cases.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'growthbook==4.0.0'
npm install --silent --no-audit --no-fund --prefix . @growthbook/growthbook@1.8.0
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json

from growthbook.core import evalCondition

cases = [
    ({"age": {"$lt": 5}}, {}),
    ({"age": {"$lt": 5}}, {"age": None}),
    ({"price": {"$gt": 5}}, {"price": "10"}),
    ({"price": {"$gt": 5}}, {"price": [10]}),
    ({"price": {"$lte": "10"}}, {"price": 9}),
    ({"member": 1}, {"member": True}),
    ({"age": {"$gt": 5}}, {"age": 10}),
]
open("cases.json", "w").write(json.dumps(cases))
for condition, user in cases:
    print("Python", json.dumps(condition), json.dumps(user), str(evalCondition(user, condition, {})).lower())
PROGRAM
cat >program.mjs <<'PROGRAM'
import { readFileSync } from "fs";
import { evalCondition } from "@growthbook/growthbook";

for (const [condition, user] of JSON.parse(readFileSync("cases.json"))) console.log("JavaScript", JSON.stringify(condition), JSON.stringify(user), evalCondition(user, condition, {}));
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
Python {"age": {"$lt": 5}} {} false
Python {"age": {"$lt": 5}} {"age": null} false
Python {"price": {"$gt": 5}} {"price": "10"} false
Python {"price": {"$gt": 5}} {"price": [10]} false
Python {"price": {"$lte": "10"}} {"price": 9} false
Python {"member": 1} {"member": true} false
Python {"age": {"$gt": 5}} {"age": 10} true
JavaScript {"age":{"$lt":5}} {} true
JavaScript {"age":{"$lt":5}} {"age":null} true
JavaScript {"price":{"$gt":5}} {"price":"10"} true
JavaScript {"price":{"$gt":5}} {"price":[10]} true
JavaScript {"price":{"$lte":"10"}} {"price":9} true
JavaScript {"member":1} {"member":true} true
JavaScript {"age":{"$gt":5}} {"age":10} true
SEEN
echo "seen as described"
