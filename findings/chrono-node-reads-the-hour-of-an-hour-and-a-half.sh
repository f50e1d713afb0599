#!/usr/bin/env bash
# chrono-node 2.10.3 (npm) reads "in half an hour" and "in 2.5 hours" right, but of "in an hour and a half" the hour alone, and of "in two
# and a half hours", asked for a time to come, the words "half hours", so half an hour; without that option it reads nothing.
# Guess before the run: a reader that knows half an hour knows two and a half.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . chrono-node@2.10.3
cat >program.js <<'PROGRAM'
const chrono = require("chrono-node");
const now = { instant: new Date("2026-11-25T10:00:00Z"), timezone: "UTC" };
const shown = (found) => (found ? `${found.date().toISOString()} by "${found.text}"` : "nothing");
for (const text of ["in half an hour", "in 2.5 hours", "in an hour and a half", "in two and a half hours"]) {
  const [found] = chrono.parse(text, now);
  const [toCome] = chrono.parse(text, now, { forwardDate: true });
  console.log(`${text}: ${shown(found)}; to come: ${shown(toCome)}`);
}
PROGRAM
node program.js >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
in half an hour: 2026-11-25T10:30:00.000Z by "in half an hour"; to come: 2026-11-25T10:30:00.000Z by "in half an hour"
in 2.5 hours: 2026-11-25T12:30:00.000Z by "in 2.5 hours"; to come: 2026-11-25T12:30:00.000Z by "in 2.5 hours"
in an hour and a half: 2026-11-25T11:00:00.000Z by "in an hour"; to come: 2026-11-25T11:00:00.000Z by "in an hour"
in two and a half hours: nothing; to come: 2026-11-25T10:30:00.000Z by "half hours"
SEEN
echo "seen as described"
