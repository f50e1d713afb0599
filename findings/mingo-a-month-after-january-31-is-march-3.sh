#!/usr/bin/env bash
# mingo 7.2.7 (npm), which runs queries of MongoDB in JavaScript, counts months as JavaScript does: $dateAdd of a month
# to January 31 is March 3, which MongoDB documents as the last day of February, and a $dateFromString of 2026-02-30 is
# March 2, an error there. A pipeline that was tested with it ends promotions on other days in production.
# Guess before the run: February 28, and an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . mingo@7.2.7
cat >program.mjs <<'PROGRAM'
import { aggregate } from "mingo";

const parts = {
  "a month after January 31": { $dateAdd: { startDate: "$day", unit: "month", amount: 1 } },
  "a month before March 31": { $dateSubtract: { startDate: new Date("2026-03-31T00:00:00Z"), unit: "month", amount: 1 } },
  "a year after February 29": { $dateAdd: { startDate: new Date("2028-02-29T00:00:00Z"), unit: "year", amount: 1 } },
  "2026-02-30": { $dateFromString: { dateString: "2026-02-30" } },
};
for (const [name, result] of Object.entries(parts)) {
  const [row] = aggregate([{ day: new Date("2026-01-31T00:00:00Z") }], [{ $project: { _id: 0, result } }]);
  console.log(name, "->", row.result.toISOString().slice(0, 10));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
a month after January 31 -> 2026-03-03
a month before March 31 -> 2026-03-03
a year after February 29 -> 2029-03-01
2026-02-30 -> 2026-03-02
SEEN
echo "seen as described"
