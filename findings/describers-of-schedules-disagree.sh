#!/usr/bin/env bash
# Two ports of one describer of schedules say the opposite of a schedule with both day fields: cronstrue 3.39.0 (npm) says
# "and on Monday", cron-descriptor 2.2.1 (PyPI) "or on Monday". Or is what cron does.
# Both print "every 90 minutes" and "every 25 hours" for steps above their field, which run once an hour and once a day.
# Guess before the run: "and" in both; an error for the steps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'cron-descriptor==2.2.1'
npm install --silent --no-audit --no-fund --prefix . cronstrue@3.39.0
cat >program.mjs <<'PROGRAM'
import cronstrue from "cronstrue";

for (const text of ["0 0 1 * 1", "*/90 * * * *", "0 */25 * * *"]) console.log("cronstrue", text, "|", cronstrue.toString(text));
PROGRAM
node program.mjs >seen
venv/bin/python - >>seen <<'PROGRAM'
from cron_descriptor import get_description

for text in ("0 0 1 * 1", "*/90 * * * *", "0 */25 * * *"):
    print("cron-descriptor", text, "|", get_description(text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
cronstrue 0 0 1 * 1 | At 12:00 AM, on day 1 of the month, and on Monday
cronstrue */90 * * * * | Every 90 minutes
cronstrue 0 */25 * * * | On the hour, every 25 hours
cron-descriptor 0 0 1 * 1 | At 12:00 AM, on day 1 of the month, or on Monday
cron-descriptor */90 * * * * | Every 90 minutes
cron-descriptor 0 */25 * * * | Every 25 hours
SEEN
echo "seen as described"
