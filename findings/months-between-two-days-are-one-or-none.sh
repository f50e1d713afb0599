#!/usr/bin/env bash
# From 31 January to 28 February, and from 29 February to the 28th a year later: a month and a year for date-fns 4.4.0, dayjs
# 1.11.23, luxon 3.7.2 (npm) and python-dateutil 2.9.0.post0 (PyPI); 28 days, and 11 months and 30 days, for temporal-polyfill
# 1.0.8 (npm). From 31 March back to 28 February it is no month for date-fns alone. So an invoice of a month is due or not.
# Guess before the run: less than a month in all, as the day of the month has not come.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'python-dateutil==2.9.0.post0'
npm install --silent --no-audit --no-fund --prefix . date-fns@4.4.0 dayjs@1.11.23 luxon@3.7.2 temporal-polyfill@1.0.8
cat >days.json <<'DAYS'
[["2026-01-31", "2026-02-28"], ["2026-01-30", "2026-02-28"], ["2028-02-29", "2029-02-28"], ["2026-03-31", "2026-02-28"], ["2026-01-31", "2026-03-01"]]
DAYS
cat >program.mjs <<'PROGRAM'
import { readFileSync } from "fs";
import { differenceInMonths } from "date-fns";
import dayjs from "dayjs";
import { DateTime } from "luxon";
import { Temporal } from "temporal-polyfill";

for (const [first, last] of JSON.parse(readFileSync("days.json"))) {
  const months = DateTime.fromISO(last, { zone: "utc" }).diff(DateTime.fromISO(first, { zone: "utc" }), "months").months;
  console.log(first, last, "date-fns", differenceInMonths(new Date(last), new Date(first)), "dayjs", dayjs(last).diff(first, "month"), "luxon", months.toFixed(3), "temporal", Temporal.PlainDate.from(first).until(last, { largestUnit: "month" }).toString());
}
PROGRAM
TZ=UTC node program.mjs >>seen 2>errors || { cat errors; exit 1; }
venv/bin/python - >>seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime
import json

from dateutil.relativedelta import relativedelta

for first, last in json.load(open("days.json")):
    found = relativedelta(datetime.date.fromisoformat(last), datetime.date.fromisoformat(first))
    print(first, last, "dateutil", found.years * 12 + found.months, "months", found.days, "days")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2026-01-31 2026-02-28 date-fns 1 dayjs 1 luxon 1.000 temporal P28D
2026-01-30 2026-02-28 date-fns 1 dayjs 1 luxon 1.000 temporal P29D
2028-02-29 2029-02-28 date-fns 12 dayjs 12 luxon 12.000 temporal P11M30D
2026-03-31 2026-02-28 date-fns 0 dayjs -1 luxon -1.097 temporal -P1M
2026-01-31 2026-03-01 date-fns 1 dayjs 1 luxon 1.032 temporal P1M1D
2026-01-31 2026-02-28 dateutil 1 months 0 days
2026-01-30 2026-02-28 dateutil 1 months 0 days
2028-02-29 2029-02-28 dateutil 12 months 0 days
2026-03-31 2026-02-28 dateutil -1 months 0 days
2026-01-31 2026-03-01 dateutil 1 months 1 days
SEEN
echo "seen as described"
