#!/usr/bin/env bash
# A cast of a column of a CSV file is done by DuckDB 2.0.1's reader on the text of the file, and the declared type is never
# asked: an INTEGER 007 cast to VARCHAR is 007, a BOOLEAN yes is yes, and x, which is no INTEGER, is x without an error; a
# BOOLEAN cast to INTEGER is an error. Beside the same column without a cast, or compared in WHERE, the same expression gives 7
# and true. 1.5.6 gives 7, true and 1 everywhere, and refuses x.
# Guess before the run: the type first, then the cast, as in 1.5.6.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >program.py <<'PROGRAM'
import pathlib
import duckdb

print("DuckDB", duckdb.__version__)
pathlib.Path("rows.csv").write_text("number,flag\n007,yes\n")
pathlib.Path("wrong.csv").write_text("number,flag\nx,yes\n")
columns = "columns = {'number': 'INTEGER', 'flag': 'BOOLEAN'}, header = true"
for query in (
    "SELECT number::VARCHAR, flag::VARCHAR FROM read_csv('rows.csv', {})",
    "SELECT number::VARCHAR, flag::VARCHAR, number, flag FROM read_csv('rows.csv', {})",
    "SELECT flag::VARCHAR FROM read_csv('rows.csv', {}) WHERE flag::VARCHAR = 'true'",
    "SELECT flag::INTEGER FROM read_csv('rows.csv', {})",
    "SELECT number::VARCHAR FROM read_csv('wrong.csv', {})",
):
    try:
        print(query.format("..."), duckdb.connect().execute(query.format(columns)).fetchall())
    except duckdb.Error as error:
        print(query.format("..."), type(error).__name__)
PROGRAM
for version in 1.5.6 2.0.1; do
  python3 -m venv "venv$version"
  "venv$version/bin/pip" install --quiet --disable-pip-version-check "duckdb==$version"
  "venv$version/bin/python" program.py >>seen
done
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
DuckDB 1.5.6
SELECT number::VARCHAR, flag::VARCHAR FROM read_csv('rows.csv', ...) [('7', 'true')]
SELECT number::VARCHAR, flag::VARCHAR, number, flag FROM read_csv('rows.csv', ...) [('7', 'true', 7, True)]
SELECT flag::VARCHAR FROM read_csv('rows.csv', ...) WHERE flag::VARCHAR = 'true' [('true',)]
SELECT flag::INTEGER FROM read_csv('rows.csv', ...) [(1,)]
SELECT number::VARCHAR FROM read_csv('wrong.csv', ...) ConversionException
DuckDB 2.0.1
SELECT number::VARCHAR, flag::VARCHAR FROM read_csv('rows.csv', ...) [('007', 'yes')]
SELECT number::VARCHAR, flag::VARCHAR, number, flag FROM read_csv('rows.csv', ...) [('7', 'true', 7, True)]
SELECT flag::VARCHAR FROM read_csv('rows.csv', ...) WHERE flag::VARCHAR = 'true' [('true',)]
SELECT flag::INTEGER FROM read_csv('rows.csv', ...) ConversionException
SELECT number::VARCHAR FROM read_csv('wrong.csv', ...) [('x',)]
SEEN
echo "seen as described"
