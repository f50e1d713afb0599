#!/usr/bin/env bash
# Times by spacetime 7.15.0 (npm): 24:00, the end of a day, is 23:00; an hour and a half is an hour, and half a day makes the
# moment invalid; half past two on the night when clocks go forward is half past one, an hour early, also for a day after the
# half past two before; month 13 is January; 12:30 to the hour is 12:00; the first of January 2027, in week 53 of ISO 8601,
# is in week 1.
# Guess before the run: midnight, 90 minutes, half past three, an error for month 13, and 13:00.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TZ=UTC
npm install --silent --no-audit --no-fund --prefix . spacetime@7.15.0
cat >program.mjs <<'PROGRAM'
import spacetime from "spacetime";

const day = spacetime("2026-01-31", "UTC");
const newYork = (text) => spacetime(text, "America/New_York");
const moments = {
  "24:00": spacetime("2026-11-30T24:00:00", "UTC"),
  "month 13": spacetime("2026-13-01", "UTC"),
  "1.5 hours": day.add(1.5, "hours"),
  "90 minutes": day.add(90, "minutes"),
  "0.5 days": day.add(0.5, "days"),
  "1 month": day.add(1, "month"),
  "02:30 in the gap": newYork("2026-03-08T02:30:00"),
  "a day after 02:30": newYork("2026-03-07T02:30:00").add(1, "day"),
  "01:30 of two": newYork("2026-11-01T01:30:00"),
  "12:30 to the hour": spacetime("2026-11-30T12:30:00", "UTC").round("hour"),
};
for (const [name, moment] of Object.entries(moments)) console.log(name, "->", moment.isValid() ? moment.iso() : "invalid");
console.log("week of 2027-01-01:", spacetime("2027-01-01", "UTC").week());
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
24:00 -> 2026-11-30T23:00:00.000Z
month 13 -> 2026-01-13T00:00:00.000Z
1.5 hours -> 2026-01-31T01:00:00.000Z
90 minutes -> 2026-01-31T01:30:00.000Z
0.5 days -> invalid
1 month -> 2026-02-28T00:00:00.000Z
02:30 in the gap -> 2026-03-08T01:30:00.000-05:00
a day after 02:30 -> 2026-03-08T01:30:00.000-05:00
01:30 of two -> 2026-11-01T01:30:00.000-05:00
12:30 to the hour -> 2026-11-30T12:00:00.000Z
week of 2027-01-01: 1
SEEN
echo "seen as described"
