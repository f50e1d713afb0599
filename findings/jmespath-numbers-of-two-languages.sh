#!/usr/bin/env bash
# One query language, two homes: jmespath 1.1.0 (PyPI) and jmespath 0.16.0 (npm). to_number takes what Python, and what
# JavaScript, take for a number: 1_000 and Infinity here, 0x10 and the empty text there. A list of true contains 1 in Python,
# where true == 1 is false. Both order texts by >, which is null by the specification.
# Guess before the run: numbers as in JSON in both, as the language's specification has it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . jmespath@0.16.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check jmespath==1.1.0
cat >queries.json <<'QUERIES'
[
  ["to_number(@)", "0x10"], ["to_number(@)", "1_000"], ["to_number(@)", ""], ["to_number(@)", " 5"], ["to_number(@)", "Infinity"],
  ["contains(@, `1`)", [true]], ["[0] == `1`", [true]], ["[0] > [1]", ["b", "a"]], ["max(@)", []]
]
QUERIES
cat >program.cjs <<'PROGRAM'
const fs = require("fs");
const jmespath = require("jmespath");

const answer = (query, data) => { try { return String(JSON.stringify(jmespath.search(data, query))); } catch { return "error"; } };
fs.writeFileSync("js.json", JSON.stringify(JSON.parse(fs.readFileSync("queries.json")).map((each) => answer(...each))));
PROGRAM
node program.cjs
venv/bin/python - >seen <<'PROGRAM'
import json
import jmespath


def answer(query, data):
    try:
        return json.dumps(jmespath.search(query, data))
    except Exception:
        return "error"


for (query, data), other in zip(json.load(open("queries.json")), json.load(open("js.json"))):
    print(query, json.dumps(data), "| Python", answer(query, data), "| JavaScript", other)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
to_number(@) "0x10" | Python null | JavaScript 16
to_number(@) "1_000" | Python 1000 | JavaScript null
to_number(@) "" | Python null | JavaScript 0
to_number(@) " 5" | Python 5 | JavaScript 5
to_number(@) "Infinity" | Python Infinity | JavaScript null
contains(@, `1`) [true] | Python true | JavaScript false
[0] == `1` [true] | Python false | JavaScript false
[0] > [1] ["b", "a"] | Python true | JavaScript true
length(@) "\ud83c\udf54" | Python 1 | JavaScript 2
max(@) [] | Python null | JavaScript null
SEEN
echo "seen as described"
