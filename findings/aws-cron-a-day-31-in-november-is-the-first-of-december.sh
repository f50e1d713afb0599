#!/usr/bin/env bash
# Schedules of EventBridge, asked for their next runs after 1 November 2026: aws-cron-parser 1.1.12 (npm) runs day 31 of
# November on 1 December and 29 February on 1 March where the month is shorter; pyawscron 1.0.7 (PyPI) ends in an error for
# both, also for the months that have the day, and for every tenth day. Day 31W ends in an error of the first in February. L
# and 28 are the same in both.
# Guess before the run: months without the day are left out by both, as cron does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyawscron==1.0.7'
npm install --silent --no-audit --no-fund --prefix . aws-cron-parser@1.1.12
cat >schedules.json <<'SCHEDULES'
["0 10 31 * ? *", "0 10 29 2 ? *", "0 10 1/10 * ? *", "0 10 31W * ? *", "0 10 L * ? *", "0 10 28 * ? *"]
SCHEDULES
venv/bin/python - >>seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime
import json

from pyawscron import AWSCron

start = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc)
for schedule in json.load(open("schedules.json")):
    try:
        runs = " ".join(f"{run:%Y-%m-%d}" for run in AWSCron.get_next_n_schedule(4, start, schedule))
    except Exception as error:
        runs = f"{type(error).__name__}: {error}"
    print("pyawscron", schedule, "->", runs)
PROGRAM
cat >program.mjs <<'PROGRAM'
import { readFileSync } from "fs";
import awsCron from "aws-cron-parser";

const { next, parse } = awsCron;
for (const schedule of JSON.parse(readFileSync("schedules.json"))) {
  const runs = [];
  try {
    let moment = new Date("2026-11-01T00:00:00Z");
    while (runs.length < 4) {
      moment = next(parse(schedule), moment);
      runs.push(moment.toISOString().slice(0, 10));
      moment = new Date(moment.getTime() + 60000);
    }
  } catch (error) { runs.push(String(error)); }
  console.log("aws-cron-parser", schedule, "->", runs.join(" "));
}
PROGRAM
TZ=UTC node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pyawscron 0 10 31 * ? * -> ValueError: day is out of range for month
pyawscron 0 10 29 2 ? * -> ValueError: day is out of range for month
pyawscron 0 10 1/10 * ? * -> ValueError: day is out of range for month
pyawscron 0 10 31W * ? * -> 2026-12-31 2027-01-29 2027-03-31 2027-05-31
pyawscron 0 10 L * ? * -> 2026-11-30 2026-12-31 2027-01-31 2027-02-28
pyawscron 0 10 28 * ? * -> 2026-11-28 2026-12-28 2027-01-28 2027-02-28
aws-cron-parser 0 10 31 * ? * -> 2026-12-01 2026-12-31 2027-01-31 2027-03-03
aws-cron-parser 0 10 29 2 ? * -> 2027-03-01 2028-02-29 2029-03-01 2030-03-01
aws-cron-parser 0 10 1/10 * ? * -> 2026-11-01 2026-11-11 2026-11-21 2026-12-01
aws-cron-parser 0 10 31W * ? * -> 2026-11-30 2026-12-31 2027-01-29 Error: getDaysOfMonthForW - should not happen
aws-cron-parser 0 10 L * ? * -> 2026-11-30 2026-12-31 2027-01-31 2027-02-28
aws-cron-parser 0 10 28 * ? * -> 2026-11-28 2026-12-28 2027-01-28 2027-02-28
SEEN
echo "seen as described"
