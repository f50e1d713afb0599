#!/usr/bin/env bash
# A column that is declared TIMESTAMP and holds moments with a zone. DuckDB 2.0.1 drops what follows the time, whatever it is:
# ten o'clock in Tokyo, in New York and in "nowhere" become one moment; 1.5.6 refuses the names. An offset is dropped by both in
# TIMESTAMP, but TIMESTAMP_NS minds it in 1.5.6 and not in 2.0.1: two hours between two versions, without a message. Left to its
# own reading, the file gives the right moments in both.
# Guess before the run: a name of a zone is refused or minded, and the two precisions agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >program.py <<'PROGRAM'
import pathlib
import duckdb

print("DuckDB", duckdb.__version__)
connection = duckdb.connect()
connection.execute("SET timezone = 'UTC'")
for zones in (("+02:00",), (" Asia/Tokyo", " America/New_York", " nowhere")):
    pathlib.Path("rows.csv").write_text("moment\n" + "".join(f"2026-01-01 10:00:00{zone}\n" for zone in zones))
    for type in ("TIMESTAMP", "TIMESTAMP_NS"):
        try:
            query = f"SELECT moment FROM read_csv('rows.csv', columns = {{'moment': '{type}'}}, header = true)"
            seen = [str(row[0]) for row in connection.execute(query).fetchall()]
        except duckdb.Error as error:
            seen = error.__class__.__name__
        print(*(zone.strip() for zone in zones), type, seen)
PROGRAM
for version in 1.5.6 2.0.1; do
  python3 -m venv "venv$version"
  "venv$version/bin/pip" install --quiet --disable-pip-version-check "duckdb==$version"
  "venv$version/bin/python" program.py >>seen
done
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
DuckDB 1.5.6
+02:00 TIMESTAMP ['2026-01-01 10:00:00']
+02:00 TIMESTAMP_NS ['2026-01-01 08:00:00']
Asia/Tokyo America/New_York nowhere TIMESTAMP ConversionException
Asia/Tokyo America/New_York nowhere TIMESTAMP_NS ConversionException
DuckDB 2.0.1
+02:00 TIMESTAMP ['2026-01-01 10:00:00']
+02:00 TIMESTAMP_NS ['2026-01-01 10:00:00']
Asia/Tokyo America/New_York nowhere TIMESTAMP ['2026-01-01 10:00:00', '2026-01-01 10:00:00', '2026-01-01 10:00:00']
Asia/Tokyo America/New_York nowhere TIMESTAMP_NS ['2026-01-01 10:00:00', '2026-01-01 10:00:00', '2026-01-01 10:00:00']
SEEN
echo "seen as described"
