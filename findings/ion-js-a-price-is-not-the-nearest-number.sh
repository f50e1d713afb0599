#!/usr/bin/env bash
# Prices as decimals of Ion, by ion-js 5.2.1 (npm): the text keeps 19.99, but as a number, and so in JSON, it is
# 19.990000000000002, which is not the double nearest to it: the digits are multiplied by a power of ten. Of the prices from
# 0.01 to 99.99, 1,327 are another number than JavaScript reads from the same text. amazon-ion 0.15.0 (PyPI) gives the decimal
# itself.
# Guess before the run: 19.99, as Number("19.99") is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'amazon-ion==0.15.0'
npm install --silent --no-audit --no-fund --prefix . ion-js@5.2.1
cat >program.mjs <<'PROGRAM'
import ion from "ion-js";

for (const text of ["19.99", "1.10", "8.50", "0.07"]) {
  const price = ion.load(text);
  console.log(text, "text", price.toString(), "number", price.numberValue(), "JSON", JSON.stringify(price));
}
let other = 0;
for (let cents = 1; cents < 10000; cents++) {
  const text = (cents / 100).toFixed(2);
  if (ion.load(text).numberValue() !== Number(text)) other++;
}
console.log("prices below 100 with another number:", other);
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
venv/bin/python - >>seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import amazon.ion.simpleion

print("amazon-ion", amazon.ion.simpleion.loads("19.99"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
19.99 text 19.99 number 19.990000000000002 JSON 19.990000000000002
1.10 text 1.10 number 1.1 JSON 1.1
8.50 text 8.50 number 8.5 JSON 8.5
0.07 text 0.07 number 0.07 JSON 0.07
prices below 100 with another number: 1327
amazon-ion 19.99
SEEN
echo "seen as described"
