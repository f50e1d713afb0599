#!/usr/bin/env bash
# MessagePack written by @msgpack/msgpack 3.1.3 and msgpackr 2.1.4 (npm), read by msgpack 1.2.4 (PyPI): of a Map of
# prices and of a Set of tags the first writes an empty map, with no error; a member that is undefined is an extension of
# type 0 from the second, not null and not absent. Back, a microsecond before 1970 is 1970: the fraction is cut
# towards 1970, not downwards.
# Guess before the run, of the moments alone: each is read as the same millisecond. Of a Map and undefined none was written.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @msgpack/msgpack@3.1.3 msgpackr@2.1.4
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check msgpack==1.2.4
cat >write.mjs <<'PROGRAM'
import { encode } from "@msgpack/msgpack";
import { pack } from "msgpackr";

const values = {
  "a map": new Map([["cola", 2.5]]),
  "a set": new Set(["vegan"]),
  "an absent price": { dish: "cola", price: undefined },
};
for (const [name, value] of Object.entries(values)) {
  console.log(`@msgpack/msgpack|${name}|${Buffer.from(encode(value)).toString("hex")}`);
  console.log(`msgpackr|${name}|${pack(value).toString("hex")}`);
}
PROGRAM
cat >program.py <<'PROGRAM'
import datetime
import msgpack

with open("written") as file:
    for writer, name, text in (line.split("|") for line in file):
        print(f"{writer}, {name} -> {msgpack.unpackb(bytes.fromhex(text))}")
with open("moments", "w") as file:
    for day in ("1969-12-31T23:59:59.999999", "1969-12-31T23:59:58.000001", "2026-11-28T10:00:00.999999"):
        text = f"{day}+00:00"
        file.write(f"{text} {msgpack.packb(datetime.datetime.fromisoformat(text), datetime=True).hex()}\n")
PROGRAM
cat >read.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { decode } from "@msgpack/msgpack";
import { unpack } from "msgpackr";

for (const line of readFileSync("moments", "utf8").trim().split("\n")) {
  const [text, bytes] = line.split(" ");
  console.log(text, "->", ...[decode, unpack].map((read) => read(Buffer.from(bytes, "hex")).toISOString()));
}
PROGRAM
node write.mjs >written
{ venv/bin/python program.py && node read.mjs; } >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
@msgpack/msgpack, a map -> {}
msgpackr, a map -> {'cola': 2.5}
@msgpack/msgpack, a set -> {}
msgpackr, a set -> ['vegan']
@msgpack/msgpack, an absent price -> {'dish': 'cola', 'price': None}
msgpackr, an absent price -> {'dish': 'cola', 'price': ExtType(code=0, data=b'\x00')}
1969-12-31T23:59:59.999999+00:00 -> 1970-01-01T00:00:00.000Z 1970-01-01T00:00:00.000Z
1969-12-31T23:59:58.000001+00:00 -> 1969-12-31T23:59:58.001Z 1969-12-31T23:59:58.001Z
2026-11-28T10:00:00.999999+00:00 -> 2026-11-28T10:00:00.999Z 2026-11-28T10:00:00.999Z
SEEN
echo "seen as described"
