#!/usr/bin/env bash
# agate 1.14.2 (PyPI) infers the types of columns: words as monday, may and sun are dates of the year 1, today is its first
# day, `1/2` is a day of 2001, `12:30` a span of 750 seconds, `5 m` five minutes. 1.000,5 is 1.0005, 5% and $5 are 5, 1_000 is
# 1000, and the 30th of February makes the column one of texts.
# Guess before the run: texts, but for whole dates; a decimal comma is none in the default locale.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check agate==1.14.2
venv/bin/python - >seen <<'PROGRAM'
import warnings
import agate

warnings.filterwarnings("ignore")
for cell in ("monday", "may", "sun", "today", "noon", "1/2", "12:30", "5 m", "1.000,5", "5%", "1_000", "2026-02-28", "2026-02-30"):
    table = agate.Table([[cell]], ["value"])
    print(cell, "|", type(table.columns["value"].data_type).__name__, "|", table.rows[0]["value"])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
monday | Date | 0001-01-08
may | Date | 0001-05-01
sun | Date | 0001-01-07
today | Date | 0001-01-01
noon | Text | noon
1/2 | Date | 2001-01-02
12:30 | TimeDelta | 0:12:30
5 m | TimeDelta | 0:05:00
1.000,5 | Number | 1.0005
5% | Number | 5
1_000 | Number | 1000
2026-02-28 | Date | 2026-02-28
2026-02-30 | Text | 2026-02-30
SEEN
echo "seen as described"
