#!/usr/bin/env bash
# Comparisons of mathjs 15.2.0 (npm) have a tolerance of 1e-12 of the number: 1000000000001 == 1000000000000 is true and ">"
# is false, floor(2.9999999999999) is 3, and "10" and "9" are compared as numbers while "a" < "b" is an error.
# Guess before the run: a tolerance for fractions alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . mathjs@15.2.0
cat >program.mjs <<'PROGRAM'
import { evaluate } from "mathjs";

for (const text of ["1000000000001 == 1000000000000", "1000000000001 > 1000000000000", "1000000000001 - 1000000000000", "floor(2.9999999999999)", '"10" < "9"', '"a" < "b"']) {
  let seen = "error";
  try {
    seen = String(evaluate(text));
  } catch {}
  console.log(text, "->", seen);
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1000000000001 == 1000000000000 -> true
1000000000001 > 1000000000000 -> false
1000000000001 - 1000000000000 -> 1
floor(2.9999999999999) -> 3
"10" < "9" -> false
"a" < "b" -> error
SEEN
echo "seen as described"
