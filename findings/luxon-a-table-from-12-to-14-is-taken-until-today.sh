#!/usr/bin/env bash
# Luxon 3.7.2 (npm) reads an interval of ISO 8601 whose end leaves out what it shares with the start, as the standard allows:
# the end of "2026-01-31T12:00/14:00" is 14:00 of the day of the program's clock, so a booking of two hours lasts for years,
# and "2026-01-31/02-28" ends on the day before the clock's. With a clock before the start both are invalid. An interval with
# no length overlaps the one around it, and has no intersection with it. (The clock is set; no answer depends on the day.)
# No guess was written before the run; expected were 14:00 of January 31, or an invalid interval.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . luxon@3.7.2
cat >program.mjs <<'PROGRAM'
import { Interval, Settings } from "luxon";

Settings.defaultZone = "utc";
for (const clock of ["2020-05-05T00:00:00Z", "2030-05-05T00:00:00Z"]) {
  Settings.now = () => Date.parse(clock);
  for (const text of ["2026-01-31T12:00/PT2H", "2026-01-31T12:00/14:00", "2026-01-31/02-28"]) {
    const interval = Interval.fromISO(text);
    console.log(clock.slice(0, 4), text, "->", interval.isValid ? interval.end.toISO() : "invalid");
  }
}
const [day, none] = ["2026-01-30/2026-02-01", "2026-01-31/2026-01-31"].map((text) => Interval.fromISO(text));
console.log("overlaps", day.overlaps(none), "intersection", day.intersection(none));
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2020 2026-01-31T12:00/PT2H -> 2026-01-31T14:00:00.000Z
2020 2026-01-31T12:00/14:00 -> invalid
2020 2026-01-31/02-28 -> invalid
2030 2026-01-31T12:00/PT2H -> 2026-01-31T14:00:00.000Z
2030 2026-01-31T12:00/14:00 -> 2030-05-05T14:00:00.000Z
2030 2026-01-31/02-28 -> 2030-05-04T06:00:00.000Z
overlaps true intersection null
SEEN
echo "seen as described"
