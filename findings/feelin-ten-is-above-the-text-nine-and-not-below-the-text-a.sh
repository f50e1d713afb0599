#!/usr/bin/env bash
# Comparisons of a number with a text in feelin 8.2.0 (npm), which reads the expression language of DMN, are those of
# JavaScript: 10 > "9" is true while "10" > "9" is false, true and a list are above 0, and equality of the same operands
# is null. The standard makes all of them null, so that a rule over a price that came as a text does not hold, and says
# so.
# Guess before the run: null for every comparison of two types.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . feelin@8.2.0
cat >program.mjs <<'PROGRAM'
import { evaluate } from "feelin";

for (const text of ['10 > "9"', '"10" > "9"', '10 < "a"', '"b" > 1', "[1] > 0", "true > 0", '10 = "10"']) {
  console.log(text, "->", JSON.stringify(evaluate(text, {}).value));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
10 > "9" -> true
"10" > "9" -> false
10 < "a" -> false
"b" > 1 -> false
[1] > 0 -> true
true > 0 -> true
10 = "10" -> null
SEEN
echo "seen as described"
