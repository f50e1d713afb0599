#!/usr/bin/env bash
# parse-ingredient 3.0.0 (npm): `1,5 l cola` are 15 litres, `-1 burger` is one, `2 and 1/2 burgers` are two of `and 1/2
# burgers`, `2x burger` two of `x burger`; `two burgers` and `a dozen eggs` have no quantity. numeric-quantity 3.3.3 below it
# knows the sign and loses the comma, too.
# Guess before the run: a decimal comma is refused or read; words for small numbers are read.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . parse-ingredient@3.0.0 numeric-quantity@3.3.3
cat >program.mjs <<'PROGRAM'
import { parseIngredient } from "parse-ingredient";
import { numericQuantity } from "numeric-quantity";

for (const words of ["1,5 l cola", "1.5 l cola", "1 1/2 burgers", "2 and 1/2 burgers", "-1 burger", "2x burger", "two burgers", "dozen eggs", "a dozen eggs"]) {
  const [{ quantity, unitOfMeasure, description }] = parseIngredient(words);
  console.log([words, quantity, unitOfMeasure, description, numericQuantity(words, { allowTrailingInvalid: true })].join(" | "));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1,5 l cola | 15 | l | cola | 15
1.5 l cola | 1.5 | l | cola | 1.5
1 1/2 burgers | 1.5 |  | burgers | 1.5
2 and 1/2 burgers | 2 |  | and 1/2 burgers | 2
-1 burger | 1 |  |  | -1
2x burger | 2 |  | x burger | 2
two burgers |  |  | two burgers | NaN
dozen eggs |  | dozen | eggs | NaN
a dozen eggs |  |  | a dozen eggs | NaN
SEEN
echo "seen as described"
