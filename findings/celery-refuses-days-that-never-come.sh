#!/usr/bin/env bash
# celery 5.7.0 refuses a schedule whose day exists in none of its months; 5.6.2 takes it and never runs it.
# 29 February is taken by both.
# Guess before the run: taken by both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'celery==5.6.2'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import subprocess, sys

program = """
from celery.schedules import crontab
for day, months in (("31", "2"), ("31", "4,6"), ("29", "2")):
    try:
        crontab(minute="0", hour="0", day_of_month=day, month_of_year=months)
        print(day, months, "taken")
    except ValueError as error:
        print(day, months, "refused:", str(error).split(":")[0])
"""
for version in ("5.6.2", "5.7.0"):
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"celery=={version}"], check=True)
    print(version)
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", program], check=True)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
5.6.2
31 2 taken
31 4,6 taken
29 2 taken
5.7.0
31 2 refused: Invalid crontab
31 4,6 refused: Invalid crontab
29 2 taken
SEEN
echo "seen as described"
