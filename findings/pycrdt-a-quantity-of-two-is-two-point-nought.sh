#!/usr/bin/env bash
# Shared documents of a cart, pycrdt 0.14.13 (PyPI) and yjs 13.6.33 (npm): a quantity of 2 that Python sets is 2.0 when
# Python reads it, as is each integer that a double holds below 2^53, while 2^53 is an integer again; on the way to
# JavaScript 2^53 + 1 is an exact bigint, but 2^63 - 1 a rounded number; the bigint 2^64 - 1 of JavaScript is -1.0 in Python,
# and a Date an empty table, without an error.
# Guess before the run: integers stay integers; what fits 64 bits arrives exactly, and what does not is an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . yjs@13.6.33
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pycrdt==0.14.13'
cat >write.mjs <<'FILE'
import { readFileSync, writeFileSync } from "node:fs";
import * as Y from "yjs";

const document = new Y.Doc();
const cart = document.getMap("cart");
const values = { id: 9007199254740993n, number: 18446744073709551615n, quantity: 2, due: new Date("2026-11-30T12:00:00Z") };
for (const [key, value] of Object.entries(values)) cart.set(key, value);
writeFileSync("of-javascript", Y.encodeStateAsUpdate(document));
const other = new Y.Doc();
Y.applyUpdate(other, readFileSync("of-python"));
for (const key of ["quantity", "a", "b", "c"]) {
  const value = other.getMap("cart").get(key);
  console.log("JavaScript reads", key, typeof value, String(value));
}
FILE
cat >set.py <<'FILE'
from pycrdt import Doc, Map

document = Doc()
cart = document.get("cart", type=Map)
for key, value in {"quantity": 2, "a": 2**53, "b": 2**53 + 1, "c": 2**63 - 1}.items():
    cart[key] = value
    print("Python sets", key, value, "and reads", repr(cart[key]))
open("of-python", "wb").write(document.get_update())
FILE
cat >read.py <<'FILE'
from pycrdt import Doc, Map

document = Doc()
document.apply_update(open("of-javascript", "rb").read())
cart = document.get("cart", type=Map)
for key in ("id", "number", "quantity", "due"):
    print("Python reads", key, repr(cart[key]))
FILE
{ venv/bin/python set.py; node write.mjs; venv/bin/python read.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
Python sets quantity 2 and reads 2.0
Python sets a 9007199254740992 and reads 9007199254740992
Python sets b 9007199254740993 and reads 9007199254740993
Python sets c 9223372036854775807 and reads 9223372036854775807
JavaScript reads quantity number 2
JavaScript reads a number 9007199254740992
JavaScript reads b bigint 9007199254740993
JavaScript reads c number 9223372036854776000
Python reads id 9007199254740993
Python reads number -1.0
Python reads quantity 2.0
Python reads due {}
SEEN
echo "seen as described"
