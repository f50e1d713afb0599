#!/usr/bin/env bash
# Cron of effect 4.1.0 (npm), on the night when clocks go back in New York: "30 * * * *" runs at 04:30, 05:30 and 07:30 UTC,
# so that two hours lie between two hourly runs, and a schedule of every quarter loses four; croner 11.0.1 (npm) runs every
# hour. A daily 01:30 runs in the first pass in both. The 30th of February is taken as a schedule and fails when the next run
# is asked for.
# Guess before the run: every hour, as the schedule is one of each hour.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . effect@4.1.0 croner@11.0.1
cat >program.mjs <<'PROGRAM'
import { Cron as Croner } from "croner";
import { Cron } from "effect";

const zone = "America/New_York";
const runs = (text, from, count) => {
  const sequence = Cron.sequence(Cron.parseUnsafe(text, zone), new Date(from));
  return Array.from({ length: count }, () => sequence.next().value);
};
const shown = (moments) => moments.map((moment) => moment.toISOString().slice(11, 16)).join(" ");
const cases = [
  ["30 * * * *", "2026-11-01T04:00:00Z", 4],
  ["*/15 * * * *", "2026-11-01T05:20:00Z", 5],
  ["30 1 * * *", "2026-11-01T04:00:00Z", 2],
];
for (const [text, from, count] of cases) {
  console.log(text, "effect", shown(runs(text, from, count)));
  console.log(text, "croner", shown(new Croner(text, { timezone: zone }).nextRuns(count, new Date(from))));
}
try {
  console.log(shown(runs("0 0 30 2 *", "2026-11-01T00:00:00Z", 1)));
} catch (error) {
  console.log("0 0 30 2 * effect", error.message);
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
30 * * * * effect 04:30 05:30 07:30 08:30
30 * * * * croner 04:30 05:30 06:30 07:30
*/15 * * * * effect 05:30 05:45 07:00 07:15 07:30
*/15 * * * * croner 05:30 05:45 06:00 06:15 06:30
30 1 * * * effect 05:30 06:30
30 1 * * * croner 05:30 06:30
0 0 30 2 * effect Unable to find cron date
SEEN
echo "seen as described"
