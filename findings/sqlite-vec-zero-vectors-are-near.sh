#!/usr/bin/env bash
# sqlite-vec 0.1.9, a table with the cosine distance: a vector of zeros, which a missing embedding often is, has the distance NULL
# and comes second of four, before a vector at 0.29, so that a query for two answers it.
# Guess before the run: last, or left out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'apsw==3.54.1.0' 'sqlite-vec==0.1.9'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import apsw, sqlite_vec

connection = apsw.Connection(":memory:")
connection.enable_load_extension(True)
connection.load_extension(sqlite_vec.loadable_path())
connection.execute("CREATE VIRTUAL TABLE items USING vec0(id INTEGER PRIMARY KEY, e FLOAT[2] distance_metric=cosine)")
connection.execute("INSERT INTO items VALUES (1, '[1, 0]'), (2, '[0, 0]'), (3, '[0, 1]'), (4, '[1, 1]')")
for k in (4, 2):
    found = connection.execute("SELECT id, distance FROM items WHERE e MATCH '[1, 0]' AND k = ?", (k,)).fetchall()
    print(k, [(id, distance if distance is None else round(distance, 2)) for id, distance in found])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
4 [(1, 0.0), (2, None), (4, 0.29), (3, 1.0)]
2 [(1, 0.0), (2, None)]
SEEN
echo "seen as described"
