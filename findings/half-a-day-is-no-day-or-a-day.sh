#!/usr/bin/env bash
# Half a day after noon of 31 January: date-fns 4.4.0 (npm) adds nothing, for it cuts days and months, though half an hour
# is added; dayjs 1.11.23 (npm) adds a whole day; luxon 3.7.2 (npm) adds twelve hours. A month and a half is one month for
# date-fns and dayjs, and a month and 15 days for luxon.
# Guess before the run: twelve hours, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . date-fns@4.4.0 dayjs@1.11.23 luxon@3.7.2
cat >program.mjs <<'PROGRAM'
import { add } from "date-fns";
import dayjs from "dayjs";
import utc from "dayjs/plugin/utc.js";
import { DateTime } from "luxon";

dayjs.extend(utc);
process.env.TZ = "UTC";
const start = "2026-01-31T12:00:00.000Z";
for (const [amount, unit] of [[0.5, "days"], [0.5, "hours"], [1.5, "months"]]) {
  console.log(amount, unit, "date-fns", add(new Date(start), { [unit]: amount }).toISOString());
  console.log(amount, unit, "dayjs", dayjs.utc(start).add(amount, unit).toISOString());
  console.log(amount, unit, "luxon", DateTime.fromISO(start, { zone: "utc" }).plus({ [unit]: amount }).toISO());
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0.5 days date-fns 2026-01-31T12:00:00.000Z
0.5 days dayjs 2026-02-01T12:00:00.000Z
0.5 days luxon 2026-02-01T00:00:00.000Z
0.5 hours date-fns 2026-01-31T12:30:00.000Z
0.5 hours dayjs 2026-01-31T12:30:00.000Z
0.5 hours luxon 2026-01-31T12:30:00.000Z
1.5 months date-fns 2026-02-28T12:00:00.000Z
1.5 months dayjs 2026-02-28T12:00:00.000Z
1.5 months luxon 2026-03-15T12:00:00.000Z
SEEN
echo "seen as described"
