#!/usr/bin/env bash
# pyorc 0.12.0 writes a moment of the last second before 1970 a second too late: 23:59:59.5 is read as 00:00:00.5 of 1970, by pyorc
# and by pyarrow. Other moments before 1970, with a fraction or without, are right, and pyarrow writes that one right.
# Guess before the run: either every moment before 1970 with a fraction is wrong, or none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyorc==0.12.0' 'pyarrow==26.0.1' 'tzdata==2025.2'
venv/bin/python - >seen <<'PROGRAM'
import os
import time
from datetime import datetime, timedelta, timezone

os.environ["TZ"] = "UTC"
time.tzset()
import pyarrow as pa
import pyarrow.orc as orc
import pyorc

moments = [datetime(1970, 1, 1) - timedelta(seconds=part) for part in (0.25, 0.5, 1.0, 1.5, 86400.5)]
with open("pyorc.orc", "wb") as file, pyorc.Writer(file, "struct<at:timestamp>") as writer:
    for moment in moments:
        writer.write((moment,))
orc.write_table(pa.table({"at": pa.array(moments, pa.timestamp("us"))}), "pyarrow.orc")
for name in ("pyorc.orc", "pyarrow.orc"):
    with open(name, "rb") as file:
        by_pyorc = [row[0].replace(tzinfo=None) for row in pyorc.Reader(file)]
    by_pyarrow = orc.read_table(name).column("at").to_pylist()
    for moment, one, other in zip(moments, by_pyorc, by_pyarrow):
        print(name, moment, "is" if one == other == moment else f"is read as {one} and {other}")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pyorc.orc 1969-12-31 23:59:59.750000 is read as 1970-01-01 00:00:00.750000 and 1970-01-01 00:00:00.750000
pyorc.orc 1969-12-31 23:59:59.500000 is read as 1970-01-01 00:00:00.500000 and 1970-01-01 00:00:00.500000
pyorc.orc 1969-12-31 23:59:59 is
pyorc.orc 1969-12-31 23:59:58.500000 is
pyorc.orc 1969-12-30 23:59:59.500000 is
pyarrow.orc 1969-12-31 23:59:59.750000 is
pyarrow.orc 1969-12-31 23:59:59.500000 is
pyarrow.orc 1969-12-31 23:59:59 is
pyarrow.orc 1969-12-31 23:59:58.500000 is
pyarrow.orc 1969-12-30 23:59:59.500000 is
SEEN
echo "seen as described"
