#!/usr/bin/env bash
# Prices in words by written-number 0.11.1, number-to-words 1.2.4 and to-words 5.7.0 (npm): 2.50 is `three`, `two` and `two
# point five`; 0.5 is one, zero and `zero point five`; minus a half is an empty text in the first, 1e21 is one in the second;
# 0.1 + 0.2 is `zero point thirty quadrillion four` in the third, whose currency says thirty cents.
# Guess before the run: the first two say the point, or refuse; none rounds up.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . written-number@0.11.1 number-to-words@1.2.4 to-words@5.7.0
cat >program.mjs <<'PROGRAM'
import written from "written-number";
import numbers from "number-to-words";
import { ToWords } from "to-words";

const words = new ToWords({ localeCode: "en-US" });
for (const price of [2.5, 0.5, -0.5, 99.995, 1e21, 0.1 + 0.2]) {
  console.log([price, written(price), numbers.toWords(price), words.convert(price), words.convert(price, { currency: true })].join(" | "));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2.5 | three | two | Two Point Five | Two Dollars And Fifty Cents Only
0.5 | one | zero | Zero Point Five | Zero Dollars And Fifty Cents Only
-0.5 |  | zero | Minus Zero Point Five | Minus Zero Dollars And Fifty Cents Only
99.995 | one hundred | ninety-nine | Ninety Nine Point Nine Hundred Ninety Five | One Hundred Dollars Only
1e+21 | one sextillion | one | One Sextillion | One Sextillion Dollars Only
0.30000000000000004 | zero | zero | Zero Point Thirty Quadrillion Four | Zero Dollars And Thirty Cents Only
SEEN
echo "seen as described"
