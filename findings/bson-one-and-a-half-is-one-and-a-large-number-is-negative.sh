#!/usr/bin/env bash
# Extended JSON read by bson 7.3.4 (npm) and by the json_util of pymongo 4.20.1 (PyPI), both of one maker: in the first, a
# $numberDouble of "1,5" is 1, a $numberInt of "7.9" is 7, one of 3000000000 is -1294967296 when types are kept, a $numberLong
# just too large is the most negative one, and the 30th of February is March 2. The second refuses these and keeps the large.
# Guess before the run: both agree, refuse February 30 and a $numberInt of "7.9", and keep a $numberLong.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . bson@7.3.4
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pymongo==4.20.1
cat >values.json <<'VALUES'
[{"$numberDouble": "1,5"}, {"$numberInt": "7.9"}, {"$numberInt": "3000000000"}, {"$numberLong": "9223372036854775808"},
 {"$numberLong": "1e3"}, {"$date": "2026-02-30T00:00:00Z"}, {"$date": "2026-11-28T24:00:00Z"}, {"$date": "2026-11-28"}]
VALUES
cat >program.cjs <<'PROGRAM'
const { readFileSync } = require("node:fs");
const { EJSON } = require("bson");

for (const value of JSON.parse(readFileSync("values.json"))) {
  const [name, text] = Object.entries(value)[0];
  const written = (options) => {
    try {
      const row = EJSON.parse(JSON.stringify({ value }), options).value;
      return name === "$date" ? row.toISOString() : String(row);
    } catch {
      return "error";
    }
  };
  console.log(`bson ${name} ${text} -> ${written({ relaxed: false })} | relaxed ${written({})}`);
}
PROGRAM
cat >program.py <<'PROGRAM'
import json

from bson import json_util

for value in json.load(open("values.json")):
    [(name, text)] = value.items()
    try:
        seen = json_util.loads(json.dumps(value))
    except ValueError:
        seen = "error"
    print(f"pymongo {name} {text} -> {seen}")
PROGRAM
{ node program.cjs && venv/bin/python program.py; } >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
bson $numberDouble 1,5 -> 1 | relaxed 1
bson $numberInt 7.9 -> 7 | relaxed 7
bson $numberInt 3000000000 -> -1294967296 | relaxed 3000000000
bson $numberLong 9223372036854775808 -> -9223372036854775808 | relaxed -9223372036854776000
bson $numberLong 1e3 -> error | relaxed error
bson $date 2026-02-30T00:00:00Z -> 2026-03-02T00:00:00.000Z | relaxed 2026-03-02T00:00:00.000Z
bson $date 2026-11-28T24:00:00Z -> 2026-11-29T00:00:00.000Z | relaxed 2026-11-29T00:00:00.000Z
bson $date 2026-11-28 -> 2026-11-28T00:00:00.000Z | relaxed 2026-11-28T00:00:00.000Z
pymongo $numberDouble 1,5 -> error
pymongo $numberInt 7.9 -> error
pymongo $numberInt 3000000000 -> 3000000000
pymongo $numberLong 9223372036854775808 -> 9223372036854775808
pymongo $numberLong 1e3 -> error
pymongo $date 2026-02-30T00:00:00Z -> error
pymongo $date 2026-11-28T24:00:00Z -> error
pymongo $date 2026-11-28 -> error
SEEN
echo "seen as described"
