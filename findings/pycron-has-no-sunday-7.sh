#!/usr/bin/env bash
# pycron 3.3.0: Sunday as 7 never matches, without an error: "0 0 * * 7" is never due, and "0 0 * * 5-7" leaves Sunday out.
# croniter 7.0.0 takes 7 for Sunday.
# Guess before the run: Sunday in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pycron==3.3.0' 'croniter==7.0.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from datetime import datetime

import pycron
from croniter import croniter

week = [datetime(2026, 12, day) for day in range(1, 8)]
for text in ("0 0 * * 7", "0 0 * * 5-7", "0 0 * * 0"):
    print(text, [f"{d:%a}" for d in week if pycron.is_now(text, d)], [f"{d:%a}" for d in week if croniter.match(text, d)])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0 0 * * 7 [] ['Sun']
0 0 * * 5-7 ['Fri', 'Sat'] ['Fri', 'Sat', 'Sun']
0 0 * * 0 ['Sun'] ['Sun']
SEEN
echo "seen as described"
