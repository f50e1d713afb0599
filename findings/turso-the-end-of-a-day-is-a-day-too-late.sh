#!/usr/bin/env bash
# SQLite written anew: pyturso 0.8.3 (PyPI) reads 24:00, the end of a day, as 24:00 of the next day, a day too late, and
# leaves 24:00:00 in the text; SQLite 3.54 (apsw 3.54.1.0) makes 00:00 of the next day of it. The seconds since 1970 are right
# in both. A double that is made a text keeps 15 digits, and 17 in SQLite, so another id comes back.
# Guess before the run: the same answers, as both run SQLite's own tests.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyturso==0.8.3' 'apsw==3.54.1.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import apsw
import turso

CURSORS = {"SQLite": apsw.Connection(":memory:").cursor(), "Turso": turso.connect(":memory:").cursor()}
for question in (
    "datetime('2026-11-29 24:00:00')", "time('24:00')", "date('2026-11-29 24:00')", "unixepoch('2026-11-29 24:00')",
    "123456789012345678.0 || ''", "CAST(1234567890123456.5 AS TEXT) = '1234567890123456.5'", "date('2026-01-31', '+1 month')",
):
    for name, cursor in CURSORS.items():
        print(question, "|", name, "|", *list(cursor.execute("SELECT " + question).fetchall())[0])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
datetime('2026-11-29 24:00:00') | SQLite | 2026-11-30 00:00:00
datetime('2026-11-29 24:00:00') | Turso | 2026-11-30 24:00:00
time('24:00') | SQLite | 00:00:00
time('24:00') | Turso | 24:00:00
date('2026-11-29 24:00') | SQLite | 2026-11-30
date('2026-11-29 24:00') | Turso | 2026-11-30
unixepoch('2026-11-29 24:00') | SQLite | 1795996800
unixepoch('2026-11-29 24:00') | Turso | 1795996800
123456789012345678.0 || '' | SQLite | 1.2345678901234568e+17
123456789012345678.0 || '' | Turso | 1.23456789012346e+17
CAST(1234567890123456.5 AS TEXT) = '1234567890123456.5' | SQLite | 1
CAST(1234567890123456.5 AS TEXT) = '1234567890123456.5' | Turso | 0
date('2026-01-31', '+1 month') | SQLite | 2026-03-03
date('2026-01-31', '+1 month') | Turso | 2026-03-03
SEEN
echo "seen as described"
