#!/usr/bin/env bash
# chrono-node 2.10.3 (npm) finds days in orders of food: "2/3 pound" is the 3rd of February, "1/2 coke" the 2nd of
# January, "sun dried tomato" the next Sunday and "mon cheri" a Monday. The "may" of "may I have fries" is no month to
# it.
# Guess before the run: a fraction before a unit is no day, and the name of a day needs a word about time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . chrono-node@2.10.3
cat >program.mjs <<'PROGRAM'
import * as chrono from "chrono-node";

const instant = new Date("2026-11-28T12:00:00Z");
const day = (part) => `${part.text} ${part.start.date().toISOString().slice(0, 10)}`;
for (const text of ["2/3 pound burger", "1/2 coke", "sun dried tomato", "mon cheri", "may I have fries"]) {
  const found = chrono.parse(text, { instant, timezone: 0 });
  console.log(text, found.map(day).join("; ") || "nothing");
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2/3 pound burger 2/3 2027-02-03
1/2 coke 1/2 2027-01-02
sun dried tomato sun 2026-11-29
mon cheri mon 2026-11-30
may I have fries nothing
SEEN
echo "seen as described"
