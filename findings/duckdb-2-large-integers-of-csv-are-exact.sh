#!/usr/bin/env bash
# A column of a CSV file with one integer above 2^63 - 1: DuckDB 1.5.6 makes the whole column DOUBLE, and the ids beside it lose
# their last digits; DuckDB 2.0.1 makes it HUGEINT, exact, which Arrow gets as a decimal.
# Guess before the run: a text or HUGEINT in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >program.py <<'PROGRAM'
import pathlib
import duckdb

print("DuckDB", duckdb.__version__)
pathlib.Path("ids.csv").write_text("id\n9223372036854775808\n9007199254740993\n")
found = duckdb.sql("from 'ids.csv'")
print(found.types, [int(row[0]) for row in found.fetchall()])
PROGRAM
for version in 1.5.6 2.0.1; do
  python3 -m venv "venv$version"
  "venv$version/bin/pip" install --quiet --disable-pip-version-check "duckdb==$version"
  "venv$version/bin/python" program.py >>seen
done
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
DuckDB 1.5.6
[DOUBLE] [9223372036854775808, 9007199254740992]
DuckDB 2.0.1
[HUGEINT] [9223372036854775808, 9007199254740993]
SEEN
echo "seen as described"
