#!/usr/bin/env bash
# A store opens at 02:30 in Berlin on the day on which the clock goes from 02:00 to 03:00: date-fns-tz 3.2.0 (npm) answers
# 01:30, luxon 3.7.2, dayjs 1.11.23, temporal-polyfill 1.0.8 (npm), pendulum 3.3.0 and whenever 0.11.0 (PyPI) 03:30. On the
# day with two half past two, luxon, dayjs and date-fns-tz take the second in winter time, and temporal-polyfill and
# whenever the first, and pendulum the second.
# Guess before the run: all take 03:30, and all the first of the two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pendulum==3.3.0' 'whenever==0.11.0'
npm install --silent --no-audit --no-fund --prefix . date-fns-tz@3.2.0 date-fns@4.4.0 luxon@3.7.2 dayjs@1.11.23 temporal-polyfill@1.0.8
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import pendulum
import whenever

for year, month, day in ((2026, 3, 29), (2026, 10, 25)):
    print(month, "pendulum", pendulum.datetime(year, month, day, 2, 30, tz="Europe/Berlin").in_timezone("UTC").format("HH:mm[Z]"))
    print(month, "whenever", whenever.ZonedDateTime(year, month, day, 2, 30, tz="Europe/Berlin").to_instant().format_iso()[11:16] + "Z")
PROGRAM
cat >program.mjs <<'PROGRAM'
import { fromZonedTime } from "date-fns-tz";
import dayjs from "dayjs";
import timezone from "dayjs/plugin/timezone.js";
import utc from "dayjs/plugin/utc.js";
import { DateTime } from "luxon";
import { Temporal } from "temporal-polyfill";

dayjs.extend(utc);
dayjs.extend(timezone);
process.env.TZ = "UTC";
const zone = "Europe/Berlin";
const readers = {
  "date-fns-tz": (text) => fromZonedTime(text, zone),
  luxon: (text) => DateTime.fromISO(text, { zone }).toJSDate(),
  dayjs: (text) => dayjs.tz(text, zone).toDate(),
  "temporal-polyfill": (text) => new Date(Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds),
};
for (const text of ["2026-03-29T02:30:00", "2026-10-25T02:30:00"])
  for (const [name, read] of Object.entries(readers)) console.log(Number(text.slice(5, 7)), name, read(text).toISOString().slice(11, 16) + "Z");
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
3 pendulum 01:30Z
3 whenever 01:30Z
10 pendulum 01:30Z
10 whenever 00:30Z
3 date-fns-tz 00:30Z
3 luxon 01:30Z
3 dayjs 01:30Z
3 temporal-polyfill 01:30Z
10 date-fns-tz 01:30Z
10 luxon 01:30Z
10 dayjs 01:30Z
10 temporal-polyfill 00:30Z
SEEN
echo "seen as described"
