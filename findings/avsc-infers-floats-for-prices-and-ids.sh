#!/usr/bin/env bash
# avsc 5.7.9 (npm) infers types of Avro from values: a price of 19.99 and an id above 2147483647 get a float of 32 bits, and
# come back as 19.989999771118164 and as another id. The greatest integer that JavaScript holds exactly, 9007199254740991, is
# no long for it, the one below is.
# Guess before the run: double and long.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . avsc@5.7.9
cat >program.mjs <<'PROGRAM'
import avro from "avsc";

for (const value of [19.99, 2147483647, 2147483649]) {
  const type = avro.Type.forValue(value);
  console.log(value, String(type), type.fromBuffer(type.toBuffer(value)));
}
for (const value of [9007199254740990, 9007199254740991]) console.log(value, avro.Type.forSchema("long").isValid(value));
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
19.99 "float" 19.989999771118164
2147483647 "int" 2147483647
2147483649 "float" 2147483648
9007199254740990 true
9007199254740991 false
SEEN
echo "seen as described"
