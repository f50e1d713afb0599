#!/usr/bin/env bash
# A duration of minus 90 minutes as hours and minutes: luxon 3.7.2 (npm) writes "-01:-30" and dayjs 1.11.23 (npm) "-1:-30";
# both write PT-1H-30M and -PT1H30M for the machine. 36 hours are "36:00" and "12:00", for dayjs leaves out the day.
# Guess before the run: "-01:30".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . luxon@3.7.2 dayjs@1.11.23
cat >program.mjs <<'PROGRAM'
import dayjs from "dayjs";
import duration from "dayjs/plugin/duration.js";
import { Duration } from "luxon";

dayjs.extend(duration);
for (const minutes of [90, -90, 36 * 60]) {
  const one = Duration.fromObject({ minutes });
  const other = dayjs.duration(minutes, "minutes");
  console.log(minutes, "luxon", one.toFormat("hh:mm"), one.shiftTo("hours", "minutes").toISO(), "dayjs", other.format("HH:mm"), other.toISOString());
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
90 luxon 01:30 PT1H30M dayjs 01:30 PT1H30M
-90 luxon -01:-30 PT-1H-30M dayjs -1:-30 -PT1H30M
2160 luxon 36:00 PT36H dayjs 12:00 P1DT12H
SEEN
echo "seen as described"
