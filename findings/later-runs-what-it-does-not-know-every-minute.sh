#!/usr/bin/env bash
# later 1.2.0 (npm) refuses none of these cron texts: @midnight runs every minute, 03:00 behind TZ=UTC in every minute
# of the third day of a month, minute 60 is minute 59, and the 30th of February is the 1st of March of the year 2526.
# Guess before the run: midnight, and an error or no run for the others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . later@1.2.0
cat >program.mjs <<'PROGRAM'
import later from "later";

later.date.UTC();
const start = new Date("2026-11-28T00:00:30Z");
for (const text of ["0 3 * * *", "@midnight", "TZ=UTC 0 3 * * *", "60 0 * * *", "0 0 30 2 *", "0 0 * * 1-7"]) {
  const runs = later.schedule(later.parse.cron(text)).next(3, start) || [];
  console.log(text, runs.map((run) => run.toISOString().slice(0, 16)).join(" "));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0 3 * * * 2026-11-28T03:00 2026-11-29T03:00 2026-11-30T03:00
@midnight 2026-11-28T00:01 2026-11-28T00:02 2026-11-28T00:03
TZ=UTC 0 3 * * * 2026-12-03T00:01 2026-12-03T00:02 2026-12-03T00:03
60 0 * * * 2026-11-28T00:59 2026-11-29T00:59 2026-11-30T00:59
0 0 30 2 * 2526-03-01T00:00 3026-03-01T00:00 3526-03-01T00:00
0 0 * * 1-7 2026-11-30T00:00 2026-12-01T00:00 2026-12-02T00:00
SEEN
echo "seen as described"
