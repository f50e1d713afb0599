#!/usr/bin/env bash
# One language for data, two homes: jsonata 2.2.2 (npm) and jsonata-python 0.7.1 (PyPI). The 30th of February is the second of
# March in one and an error in the other; the format 0 makes 2 or 3 of 2.5; the remainder of 5.5 by 2 is 1.5 or 1; 1_000 and a
# number with blanks are numbers in Python alone, which also writes an id of sixteen digits with fifteen and an exponent.
# Guess before the run: one answer, as the port runs the published tests.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'jsonata-python==0.7.1'
npm install --silent --no-audit --no-fund --prefix . jsonata@2.2.2
cat >texts.json <<'TEXTS'
["$toMillis('2026-02-30')", "$toMillis('30/02/2026', '[D]/[M]/[Y]')", "$formatNumber(2.5, '0')", "$formatNumber(0.125, '0.00')", "5.5 % 2", "$number('1_000')", "$number(' 5 ')", "$string(id)", "$base64encode('é')", "$round(2.5)"]
TEXTS
venv/bin/python - >>seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json

import jsonata

for text in json.load(open("texts.json")):
    try:
        answer = json.dumps(jsonata.Jsonata(text).evaluate({"id": 9007199254740991}))
    except Exception:
        answer = "an error"
    print("Python", text, "->", answer)
PROGRAM
cat >program.mjs <<'PROGRAM'
import { readFileSync } from "fs";
import jsonata from "jsonata";

for (const text of JSON.parse(readFileSync("texts.json"))) {
  let answer;
  try { answer = JSON.stringify(await jsonata(text).evaluate({ id: 9007199254740991 })); } catch { answer = "an error"; }
  console.log("JavaScript", text, "->", answer);
}
PROGRAM
TZ=UTC node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
Python $toMillis('2026-02-30') -> an error
Python $toMillis('30/02/2026', '[D]/[M]/[Y]') -> an error
Python $formatNumber(2.5, '0') -> "3"
Python $formatNumber(0.125, '0.00') -> "0.13"
Python 5.5 % 2 -> 1
Python $number('1_000') -> 1000
Python $number(' 5 ') -> 5
Python $string(id) -> "9.00719925474099e+15"
Python $base64encode('é') -> "w6k="
Python $round(2.5) -> 2
JavaScript $toMillis('2026-02-30') -> 1772409600000
JavaScript $toMillis('30/02/2026', '[D]/[M]/[Y]') -> 1772409600000
JavaScript $formatNumber(2.5, '0') -> "2"
JavaScript $formatNumber(0.125, '0.00') -> "0.12"
JavaScript 5.5 % 2 -> 1.5
JavaScript $number('1_000') -> an error
JavaScript $number(' 5 ') -> an error
JavaScript $string(id) -> "9007199254740991"
JavaScript $base64encode('é') -> "6Q=="
JavaScript $round(2.5) -> 2
SEEN
echo "seen as described"
