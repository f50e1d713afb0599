#!/usr/bin/env bash
# A step after a single number, "5/15 0 * * *": cron-schedule 6.0.0 (npm) and cron-converter 2.0.2 (PyPI) run at 00:05 alone;
# cron 4.4.0 (npm), croniter 7.0.0 and crontab 1.0.5 (PyPI) at 00:05, 00:20, 00:35 and 00:50; node-cron 4.6.0 refuses it.
# Guess before the run: four runs, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'croniter==7.0.0' 'crontab==1.0.5' 'cron-converter==2.0.2'
npm install --silent --no-audit --no-fund --prefix . cron@4.4.0 cron-schedule@6.0.0 node-cron@4.6.0
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from datetime import datetime

from cron_converter import Cron
from croniter import croniter
from crontab import CronTab

text, start = "5/15 0 * * *", datetime(2026, 12, 1, 0, 0)

def show(name, following):
    found, now = [], start
    while (now := following(now)).day == 1:
        found.append(f"{now:%H:%M}")
    print(name, *found)

show("croniter", lambda t: croniter(text, t).get_next(datetime))
show("crontab", lambda t: CronTab(text).next(t, default_utc=True, return_datetime=True))
schedule = Cron(text).schedule(start)
show("cron-converter", lambda t: schedule.next())
PROGRAM
cat >program.mjs <<'PROGRAM'
import { CronTime } from "cron";
import { parseCronExpression } from "cron-schedule";
import nodeCron from "node-cron";

process.env.TZ = "UTC";
const text = "5/15 0 * * *";
const show = (name, following) => {
  const found = [];
  for (let now = new Date("2026-12-01T00:00:00Z"); (now = following(now)).getUTCDate() === 1; ) found.push(now.toISOString().slice(11, 16));
  console.log(name, ...found);
};
const time = new CronTime(text, "UTC");
show("cron", (now) => time.getNextDateFrom(now, "UTC").toJSDate());
show("cron-schedule", (now) => parseCronExpression(text).getNextDate(now));
console.log("node-cron", nodeCron.validate(text) ? "valid" : "not valid");
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
croniter 00:05 00:20 00:35 00:50
crontab 00:05 00:20 00:35 00:50
cron-converter 00:05
cron 00:05 00:20 00:35 00:50
cron-schedule 00:05
node-cron not valid
SEEN
echo "seen as described"
