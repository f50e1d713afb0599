#!/usr/bin/env bash
# Both day fields given, "0 0 13 * 5": node-cron 4.6.0 (npm), crontab 1.0.5 and cron-converter 2.0.2 (PyPI) run on Fridays that
# are the 13th, once in 2027; cron 4.4.0 (npm) and croniter 7.0.0 run on the 13th and on every Friday, as cron does, 64 times.
# Guess before the run: the 13th and every Friday in all five.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'croniter==7.0.0' 'crontab==1.0.5' 'cron-converter==2.0.2'
npm install --silent --no-audit --no-fund --prefix . cron@4.4.0 node-cron@4.6.0
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from datetime import datetime, timedelta

from cron_converter import Cron
from croniter import croniter
from crontab import CronTab

text, start, end = "0 0 13 * 5", datetime(2026, 12, 31, 12), datetime(2028, 1, 1)

def runs(following):
    found = [following(start)]
    while found[-1] < end:
        found.append(following(found[-1]))
    return len(found) - 1

print("croniter", runs(lambda t: croniter(text, t).get_next(datetime)))
print("crontab", runs(lambda t: CronTab(text).next(t, default_utc=True, return_datetime=True)))
print("cron-converter", runs(lambda t: Cron(text).schedule(t + timedelta(seconds=1)).next()))
PROGRAM
cat >program.mjs <<'PROGRAM'
import { CronTime } from "cron";
import nodeCron from "node-cron";

const text = "0 0 13 * 5";
const time = new CronTime(text, "UTC");
const task = nodeCron.createTask(text, () => {}, { timezone: "UTC" });
const days = Array.from({ length: 365 }, (_, day) => new Date(Date.UTC(2027, 0, 1 + day)));
console.log("cron", days.filter((day) => time.getNextDateFrom(new Date(day - 1000), "UTC").toMillis() === +day).length);
console.log("node-cron", days.filter((day) => task.match(day)).length);
process.exit(0);
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
croniter 64
crontab 1
cron-converter 1
cron 64
node-cron 1
SEEN
echo "seen as described"
