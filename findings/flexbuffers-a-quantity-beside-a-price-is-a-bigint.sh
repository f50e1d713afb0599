#!/usr/bin/env bash
# Values in FlexBuffers, written by flatbuffers 25.12.19 (PyPI) and read by flatbuffers 25.9.23 (npm), and back: beside a
# price, which takes 64 bits, a quantity of 2 is the bigint 2n in JavaScript, which JSON.stringify refuses, and a list of 1
# and 2^40 cannot be read at all. On the way to Python a number of 1e300, which is whole, is 0, the bigint 2^64 - 1 is -1 and
# a Date an empty table, without an error.
# Guess before the run: numbers are numbers, as far as a double is exact; 1e300 stays a double, and a Date is an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . flatbuffers@25.9.23
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'flatbuffers==25.12.19'
cat >write.py <<'FILE'
from flatbuffers import flexbuffers

values = {"a": {"quantity": 2}, "b": {"price": 19.99, "quantity": 2}, "c": [1, 2], "d": [1, 2**40], "e": {"id": 2**31}}
for name, value in values.items():
    open(f"{name}.python", "wb").write(flexbuffers.Dumps(value))
FILE
cat >both.mjs <<'FILE'
import { readFileSync, writeFileSync } from "node:fs";
import flexbuffers from "flatbuffers/js/flexbuffers.js";

const shown = (value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));
for (const name of "abcde") {
  const bytes = readFileSync(`${name}.python`);
  let answer;
  try {
    answer = shown(flexbuffers.toObject(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
  } catch (error) {
    answer = String(error.message ?? error);
  }
  console.log("JavaScript reads", name, answer);
}
const values = { f: 19.99, g: 1e300, h: 18446744073709551615n, i: new Date("2026-11-30T12:00:00Z"), j: 2 ** 60 };
for (const [name, value] of Object.entries(values)) writeFileSync(`${name}.javascript`, flexbuffers.encode(value));
FILE
cat >read.py <<'FILE'
from flatbuffers import flexbuffers

for name in "fghij":
    print("Python reads", name, repr(flexbuffers.Loads(open(f"{name}.javascript", "rb").read())))
FILE
{ venv/bin/python write.py; node both.mjs; venv/bin/python read.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
JavaScript reads a {"quantity":2}
JavaScript reads b {"price":19.99,"quantity":"2n"}
JavaScript reads c [1,2]
JavaScript reads d Cannot mix BigInt and other types, use explicit conversions
JavaScript reads e {"id":"2147483648n"}
Python reads f 19.99
Python reads g 0
Python reads h -1
Python reads i {}
Python reads j 1152921504606846976
SEEN
echo "seen as described"
