#!/usr/bin/env bash
# parse-duration 2.1.9 (npm) reads 1:30 as 1.03 milliseconds, 1,5h as fifteen hours, a number without a unit as the next
# smaller unit of the number before it, and a minus inside a text not at all; it refuses none of them.
# Guess before the run: null for 1:30 and 1h-30m, 1.5 hours or null for 1,5h.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . parse-duration@2.1.9
cat >program.mjs <<'PROGRAM'
import parse from "parse-duration";

for (const text of ["1h30m", "1:30", "1,5h", "1h 5", "1h abc 5", "1h-30m", "PT1H", "abc"]) {
  console.log(text, parse(text));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1h30m 5400000
1:30 1.03
1,5h 54000000
1h 5 3900000
1h abc 5 3900000
1h-30m 5400000
PT1H 3600000
abc null
SEEN
echo "seen as described"
