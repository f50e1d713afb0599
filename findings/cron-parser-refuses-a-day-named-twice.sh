#!/usr/bin/env bash
# cron-parser 5.10.6 (npm) refuses a list that names a number twice, "1,*/15" (days 1 and 16), and weeks that end on
# Sunday by name, MON-SUN, though 1-7 is taken; a step of 61 minutes is taken and runs hourly. croner 11.0.1 (npm) takes
# the first two and refuses the third.
# Guess before the run: both take the first three, and refuse or warn about the step.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . cron-parser@5.10.6 croner@11.0.1
cat >program.mjs <<'PROGRAM'
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";

const start = new Date("2026-11-28T00:00:00Z");
const tried = (runs) => {
  try {
    return runs();
  } catch (error) {
    return "refused";
  }
};
for (const text of ["0 0 1,*/15 * *", "0 0 1,1 * *", "0 0 * * MON-SUN", "0 0 * * 1-7", "*/61 * * * *"]) {
  console.log(text);
  console.log("  cron-parser", tried(() => {
    const found = CronExpressionParser.parse(text, { currentDate: start, tz: "UTC" });
    return [found.next(), found.next()].map((run) => run.toISOString().slice(0, 16)).join(" ");
  }));
  console.log("  croner     ", tried(() => {
    const found = new Cron(text, { timezone: "UTC" }).nextRuns(2, start);
    return found.map((run) => run.toISOString().slice(0, 16)).join(" ");
  }));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0 0 1,*/15 * *
  cron-parser refused
  croner      2026-12-01T00:00 2026-12-16T00:00
0 0 1,1 * *
  cron-parser refused
  croner      2026-12-01T00:00 2027-01-01T00:00
0 0 * * MON-SUN
  cron-parser refused
  croner      2026-11-29T00:00 2026-11-30T00:00
0 0 * * 1-7
  cron-parser 2026-11-29T00:00 2026-11-30T00:00
  croner      2026-11-29T00:00 2026-11-30T00:00
*/61 * * * *
  cron-parser 2026-11-28T01:00 2026-11-28T02:00
  croner      refused
SEEN
echo "seen as described"
