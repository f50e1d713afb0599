#!/usr/bin/env bash
# Comparisons of a number with a text in feelin 8.2.0 (npm), which reads the expression language of DMN, are those of
# JavaScript: 10 > "9" is true while "10" > "9" is false, and [1] > 0 is true; equality of the same operands is null.
# The standard makes all of them null. Years and months between January 31 and February 28 are P28D, which equals no
# number of months.
# Guess before the run: null for every comparison of two types, and P0M.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . feelin@8.2.0
cat >program.mjs <<'PROGRAM'
import { evaluate } from "feelin";

const apart = 'years and months duration(date("2026-01-31"), date("2026-02-28"))';
for (const text of ['10 > "9"', '"10" > "9"', '10 < "a"', "[1] > 0", '10 = "10"', `string(${apart})`, `${apart} = duration("P0M")`]) {
  console.log(text, "->", JSON.stringify(evaluate(text, {}).value));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
10 > "9" -> true
"10" > "9" -> false
10 < "a" -> false
[1] > 0 -> true
10 = "10" -> null
string(years and months duration(date("2026-01-31"), date("2026-02-28"))) -> "P28D"
years and months duration(date("2026-01-31"), date("2026-02-28")) = duration("P0M") -> false
SEEN
echo "seen as described"
