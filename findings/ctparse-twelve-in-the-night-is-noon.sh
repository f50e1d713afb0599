#!/usr/bin/env bash
# ctparse 0.3.6 takes "12 am" for noon, as "12 pm", and reads the end of a length only: "in 1.5 hours" are five hours, "in two and a half
# hours" half an hour. "ten to six" is a span from 10:00 to 06:00, before it begins. "half past seven" and "half 7" are right.
# Guess before the run: 12 am is midnight, and a length with a point is read whole or not at all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'ctparse==0.3.6'
venv/bin/python - >seen <<'PROGRAM'
import logging
import warnings
from datetime import datetime

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
from ctparse import ctparse

for text in ("12 am", "12 pm", "midnight", "in 1.5 hours", "in two and a half hours", "ten to six", "half past seven"):
    found = ctparse(text, ts=datetime(2026, 11, 25, 10, 0))
    print(f"{text}: {found.resolution if found else None}")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
12 am: 2026-11-25 12:00 (X/X)
12 pm: 2026-11-25 12:00 (X/X)
midnight: 2026-11-26 00:00 (X/X)
in 1.5 hours: 5 hours
in two and a half hours: 30 minutes
ten to six: 2026-11-26 10:00 (X/X) - 2026-11-26 06:00 (X/X)
half past seven: 2026-11-26 07:30 (X/X)
SEEN
echo "seen as described"
