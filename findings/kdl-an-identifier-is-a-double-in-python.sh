#!/usr/bin/env bash
# One document in KDL, four readers: kdl-py 1.2.0 (PyPI) makes a float of every decimal integer, so the id 9007199254740993
# is another one in a language that has integers of any size, and a quantity of 2 is 2.0, while 0x1f is the integer 31; ckdl
# 1.0 (PyPI) keeps integers, also of twenty digits. kdljs 0.3.0 and @bgotink/kdl 0.4.0 (npm) round as JavaScript does. 1e400
# is infinite for all but kdl-py, where it is an error.
# Guess before the run: integers in both of Python, and a bigint or an error in both of JavaScript.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . kdljs@0.3.0 @bgotink/kdl@0.4.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'kdl-py==1.2.0' 'ckdl==1.0'
cat >menu.json <<'FILE'
["quantity 2", "id 9007199254740993", "id 12345678901234567890", "flags 0x1f", "price 1_000", "limit 1e400"]
FILE
cat >menu.mjs <<'FILE'
import { readFileSync } from "node:fs";
import { parse } from "@bgotink/kdl";
import kdljs from "kdljs";

for (const text of JSON.parse(readFileSync("menu.json", "utf8"))) {
  const [first] = kdljs.parse(text).output[0].values;
  console.log(text, "-> kdljs", first, "@bgotink/kdl", parse(text).nodes[0].getArguments()[0]);
}
FILE
cat >menu.py <<'FILE'
import json
import ckdl, kdl


def attempt(run):
    try:
        return repr(run())
    except Exception as error:
        return type(error).__name__


for text in json.load(open("menu.json")):
    first = attempt(lambda: kdl.parse(text).nodes[0].args[0])
    print(text, "-> kdl-py", first, "ckdl", attempt(lambda: ckdl.parse(text).nodes[0].args[0]))
FILE
{ node menu.mjs; venv/bin/python menu.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
quantity 2 -> kdl-py 2.0 ckdl 2
id 9007199254740993 -> kdl-py 9007199254740992.0 ckdl 9007199254740993
id 12345678901234567890 -> kdl-py 1.2345678901234567e+19 ckdl 12345678901234567890
flags 0x1f -> kdl-py 31 ckdl 31
price 1_000 -> kdl-py 1000.0 ckdl 1000
limit 1e400 -> kdl-py OverflowError ckdl inf
SEEN
echo "seen as described"
