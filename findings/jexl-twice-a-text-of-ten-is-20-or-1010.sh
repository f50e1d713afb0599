#!/usr/bin/env bash
# One language of conditions, two homes: jexl 2.3.0 (npm) and pyjexl 0.3.0 (PyPI). Twice the text "10" is 20 or 1010, -7 % 3
# is -1 or 2, an empty list is true or false, a list equals an equal list in Python alone, the item at -1 is nothing or the
# last, a missing price is not below 5 in one and an error in the other, and an id above 2^53 is exact in Python alone. In
# both 2 ^ 3 ^ 2 is 64, -2 ^ 2 is 4 and 3 > 2 > 1 is false.
# Guess before the run: one answer; 512.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . jexl@2.3.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyjexl==0.3.0'
cat >conditions.json <<'FILE'
["text * 2", "-7 % 3", "[] ? 'yes' : 'no'", "list == [1, 2]", "list[-1]", "missing < 5", "text == 10", "id", "missing.price",
 "2 ^ 3 ^ 2", "-2 ^ 2", "3 > 2 > 1", "7 // 2", "'a' in 'abc'"]
FILE
cat >context.json <<'FILE'
{"text": "10", "list": [1, 2], "id": 9007199254740993}
FILE
cat >program.cjs <<'PROGRAM'
const { readFileSync } = require("node:fs");
const jexl = require("jexl");

const context = JSON.parse(readFileSync("context.json", "utf8"));
for (const text of JSON.parse(readFileSync("conditions.json", "utf8"))) {
  console.log("jexl", text, "->", JSON.stringify(jexl.evalSync(text, context)));
}
PROGRAM
cat >program.py <<'PROGRAM'
import json
from pyjexl import JEXL

context = json.load(open("context.json"))
for text in json.load(open("conditions.json")):
    try:
        print("pyjexl", text, "->", json.dumps(JEXL().evaluate(text, context)))
    except Exception as error:
        print("pyjexl", text, "->", type(error).__name__)
PROGRAM
{ node program.cjs; venv/bin/python program.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
jexl text * 2 -> 20
jexl -7 % 3 -> -1
jexl [] ? 'yes' : 'no' -> "yes"
jexl list == [1, 2] -> false
jexl list[-1] -> undefined
jexl missing < 5 -> false
jexl text == 10 -> true
jexl id -> 9007199254740992
jexl missing.price -> undefined
jexl 2 ^ 3 ^ 2 -> 64
jexl -2 ^ 2 -> 4
jexl 3 > 2 > 1 -> false
jexl 7 // 2 -> 3
jexl 'a' in 'abc' -> true
pyjexl text * 2 -> "1010"
pyjexl -7 % 3 -> 2
pyjexl [] ? 'yes' : 'no' -> "no"
pyjexl list == [1, 2] -> true
pyjexl list[-1] -> 2
pyjexl missing < 5 -> TypeError
pyjexl text == 10 -> false
pyjexl id -> 9007199254740993
pyjexl missing.price -> AttributeError
pyjexl 2 ^ 3 ^ 2 -> 64
pyjexl -2 ^ 2 -> 4
pyjexl 3 > 2 > 1 -> false
pyjexl 7 // 2 -> 3
pyjexl 'a' in 'abc' -> true
SEEN
echo "seen as described"
