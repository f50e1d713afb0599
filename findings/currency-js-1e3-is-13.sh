#!/usr/bin/env bash
# currency.js 2.0.4 (npm) reads texts by leaving out what is no digit: 1e3 is 13, "2 for 5" is 25, 1,50 is 150, a text
# without digits is 0 and one with two points NaN; errorOnInvalid changes none of them.
# Guess before the run: 1000 for 1e3, and an error for texts that are no amount where errors were asked for.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . currency.js@2.0.4
cat >program.mjs <<'PROGRAM'
import currency from "currency.js";

for (const text of ["1.50", "1,50", "1e3", "2 for 5", "1.2.3", "abc"]) {
  let strict;
  try {
    strict = currency(text, { errorOnInvalid: true }).value;
  } catch (error) {
    strict = "error";
  }
  console.log(text, currency(text).value, strict);
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1.50 1.5 1.5
1,50 150 150
1e3 13 13
2 for 5 25 25
1.2.3 NaN NaN
abc 0 0
SEEN
echo "seen as described"
