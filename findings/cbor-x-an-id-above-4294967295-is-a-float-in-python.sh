#!/usr/bin/env bash
# Values in CBOR between JavaScript and Python: cbor-x 1.6.9 (npm) writes whole numbers from 2^32 on as doubles, so the id
# 4294967296 is a float for cbor2 6.3.0 (PyPI), and -0 as 0; cbor2 2.3.0 (npm) writes integers and keeps -0. A decimal of
# 1.10 from Python is 1.1 for cbor-x and, for cbor2 of npm, a tag with two numbers in it; a day is a tag for the first and a
# moment for the second; a table with an integer as key is a table of texts or a Map.
# Guess before the run: integers up to 2^53 are integers; decimals are doubles or texts in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TZ=UTC
npm install --silent --no-audit --no-fund --prefix . cbor-x@1.6.9 cbor2@2.3.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cbor2==6.3.0'
cat >write.py <<'FILE'
import json
from datetime import date
from decimal import Decimal

import cbor2

values = {"price": Decimal("1.10"), "free": Decimal("0.00"), "day": date(2026, 11, 30), "table": {1: "fries"}}
json.dump({key: cbor2.dumps(value).hex() for key, value in values.items()}, open("python.json", "w"))
FILE
cat >both.mjs <<'FILE'
import { readFileSync, writeFileSync } from "node:fs";
import * as cborX from "cbor-x";
import * as cbor2 from "cbor2";

const packages = { "cbor-x": cborX, cbor2 };
const part = (_, value) => (value instanceof Map ? ["Map", ...value] : value);
for (const [key, text] of Object.entries(JSON.parse(readFileSync("python.json", "utf8")))) {
  for (const [name, { decode }] of Object.entries(packages)) {
    const value = decode(Buffer.from(text, "hex"));
    console.log(name, "reads", key, typeof value, JSON.stringify(value, part));
  }
}
const written = [];
for (const value of [4294967295, 4294967296, 9007199254740991, -0, 19.99]) {
  for (const [name, { encode }] of Object.entries(packages)) {
    written.push([name, String(value), Buffer.from(encode(value)).toString("hex")]);
  }
}
writeFileSync("javascript.json", JSON.stringify(written));
FILE
cat >read.py <<'FILE'
import json
import cbor2

for name, value, text in json.load(open("javascript.json")):
    print("Python reads", value, "of", name, repr(cbor2.loads(bytes.fromhex(text))))
FILE
{ venv/bin/python write.py; node both.mjs; venv/bin/python read.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
cbor-x reads price number 1.1
cbor2 reads price object {"tag":4,"contents":[-2,110]}
cbor-x reads free number 0
cbor2 reads free object {"tag":4,"contents":[-2,0]}
cbor-x reads day object {"value":"2026-11-30","tag":1004}
cbor2 reads day object "2026-11-30T00:00:00.000Z"
cbor-x reads table object {"1":"fries"}
cbor2 reads table object ["Map",[1,"fries"]]
Python reads 4294967295 of cbor-x 4294967295
Python reads 4294967295 of cbor2 4294967295
Python reads 4294967296 of cbor-x 4294967296.0
Python reads 4294967296 of cbor2 4294967296
Python reads 9007199254740991 of cbor-x 9007199254740991.0
Python reads 9007199254740991 of cbor2 9007199254740991
Python reads 0 of cbor-x 0
Python reads 0 of cbor2 -0.0
Python reads 19.99 of cbor-x 19.99
Python reads 19.99 of cbor2 19.99
SEEN
echo "seen as described"
