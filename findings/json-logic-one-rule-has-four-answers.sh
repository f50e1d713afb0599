#!/usr/bin/env bash
# Rules written in JsonLogic, evaluated by json-logic-js 2.0.5 and json-logic-engine 5.0.7 (npm), json-logic-qubit 0.9.1 and
# panzi-json-logic 1.0.1 (PyPI): they disagree on null, on the sign of a remainder, on what is missing, and on what is an error.
# The two packages of PyPI are one module by name, so who installs both has whichever came last.
# Guess before the run: the operations of the format's own page agree; only texts of numbers differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . json-logic-js@2.0.5 json-logic-engine@5.0.7
cat >rules.json <<'RULES'
[
  [{"==": [null, 0]}, null], [{">=": [null, 0]}, null], [{"==": ["01", 1]}, null], [{"%": [-1, 3]}, null], [{"/": [1, 0]}, null],
  [{"missing": ["store"]}, {"store": null}], [{"cat": ["a", true, null]}, null], [{"<": ["a", 1]}, null], [{"+": ["1,5", 2]}, null],
  [{"in": [1, "123"]}, null]
]
RULES
cat >program.mjs <<'PROGRAM'
import fs from "node:fs";
import first from "json-logic-js";
import { LogicEngine } from "json-logic-engine";

const engine = new LogicEngine();
const answer = (evaluate) => { try { return JSON.stringify(evaluate()); } catch { return "error"; } };
const rules = JSON.parse(fs.readFileSync("rules.json"));
fs.writeFileSync("js.json", JSON.stringify(rules.map(([rule, data]) => answer(() => first.apply(rule, data)))));
fs.writeFileSync("engine.json", JSON.stringify(rules.map(([rule, data]) => answer(() => engine.run(rule, data)))));
PROGRAM
node program.mjs
cat >program.py <<'PROGRAM'
import json
import sys
from json_logic import jsonLogic


def answer(rule, data):
    try:
        return json.dumps(jsonLogic(rule, data))
    except Exception:
        return "error"


with open("rules.json") as file, open(sys.argv[1], "w") as to:
    json.dump([answer(*each) for each in json.load(file)], to)
PROGRAM
for package in json-logic-qubit==0.9.1 panzi-json-logic==1.0.1; do
  python3 -m venv "venv-$package"
  "venv-$package/bin/pip" install --quiet --disable-pip-version-check "$package" six==1.17.0
  "venv-$package/bin/python" program.py "${package%%=*}.json"
done
python3 - >seen <<'PROGRAM'
import json

names = ("js", "engine", "json-logic-qubit", "panzi-json-logic")
rules, *answers = (json.load(open(f"{name}.json")) for name in ("rules", *names))
for rule, *of_rule in zip(rules, *answers):
    print(json.dumps(rule[0]), *(f"{name} {each}" for name, each in zip(names, of_rule)), sep=" | ")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"==": [null, 0]} | js false | engine true | json-logic-qubit false | panzi-json-logic true
{">=": [null, 0]} | js true | engine true | json-logic-qubit false | panzi-json-logic true
{"==": ["01", 1]} | js true | engine true | json-logic-qubit false | panzi-json-logic true
{"%": [-1, 3]} | js -1 | engine -1 | json-logic-qubit 2 | panzi-json-logic 2
{"/": [1, 0]} | js null | engine error | json-logic-qubit error | panzi-json-logic error
{"missing": ["store"]} | js ["store"] | engine [] | json-logic-qubit ["store"] | panzi-json-logic ["store"]
{"cat": ["a", true, null]} | js "atrue" | engine "atrue" | json-logic-qubit "aTrueNone" | panzi-json-logic "aTruenull"
{"<": ["a", 1]} | js false | engine error | json-logic-qubit error | panzi-json-logic false
{"+": ["1,5", 2]} | js 3 | engine error | json-logic-qubit error | panzi-json-logic NaN
{"in": [1, "123"]} | js true | engine true | json-logic-qubit error | panzi-json-logic true
SEEN
echo "seen as described"
