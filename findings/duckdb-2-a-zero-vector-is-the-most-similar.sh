#!/usr/bin/env bash
# DuckDB 1.5.6 gives a zero vector the cosine similarity -1 and the distance 2, so that it comes last. DuckDB 2.0.1 gives
# NaN, which it sorts above all numbers: a list by falling similarity begins with the zero vector now.
# Guess before the run: NaN in both, and the zero vector last.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >program.py <<'PROGRAM'
import duckdb

print("DuckDB", duckdb.__version__)
rows = "(values ('same', [1.0, 0.0]), ('zero', [0.0, 0.0]), ('other', [0.0, 1.0])) as rows(name, vector)"
for kind, order in (("similarity", "desc"), ("distance", "asc")):
    found = duckdb.sql(f"select name, list_cosine_{kind}(vector, [1.0, 0.0]) as it from {rows} order by it {order}")
    print(kind, found.fetchall())
PROGRAM
for version in 1.5.6 2.0.1; do
  python3 -m venv "venv$version"
  "venv$version/bin/pip" install --quiet --disable-pip-version-check "duckdb==$version"
  "venv$version/bin/python" program.py >>seen
done
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
DuckDB 1.5.6
similarity [('same', 1.0), ('other', 0.0), ('zero', -1.0)]
distance [('same', 0.0), ('other', 1.0), ('zero', 2.0)]
DuckDB 2.0.1
similarity [('zero', nan), ('same', 1.0), ('other', 0.0)]
distance [('same', 0.0), ('other', 1.0), ('zero', nan)]
SEEN
echo "seen as described"
