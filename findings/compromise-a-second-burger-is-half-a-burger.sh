#!/usr/bin/env bash
# compromise 14.17.0 (npm), numbers() of what customers say: "a second burger" is 0.5 (and so is "half a dozen wings"), "1/2
# pound" is 1, "1,5 liters" is 15, "fifty fifty" is 0. "two and a half" and "two thirds" are right.
# Guess before the run: 2 or none for the second burger, 6, 0.5, 1.5 or none, 50 twice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . compromise@14.17.0
cat >program.mjs <<'PROGRAM'
import nlp from "compromise";

for (const text of ["a second burger", "half a dozen wings", "1/2 pound of turkey", "1,5 liters", "fifty fifty", "two and a half pizzas", "two thirds of a cup"]) {
  console.log(text, "|", JSON.stringify(nlp(text).numbers().get()));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
a second burger | [0.5]
half a dozen wings | [0.5]
1/2 pound of turkey | [1]
1,5 liters | [15]
fifty fifty | [0]
two and a half pizzas | [2.5]
two thirds of a cup | [0.667]
SEEN
echo "seen as described"
