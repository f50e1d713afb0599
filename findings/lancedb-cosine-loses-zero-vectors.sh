#!/usr/bin/env bash
# lancedb 0.40.0 (PyPI): a search by cosine leaves out rows whose vector is zero, also where the limit is larger than
# the table; by l2 and dot they are found. A query with a NaN finds nothing and says nothing, though a vector with a NaN
# cannot be added.
# Guess before the run: distance 1 or NaN for the zero vector, and an error for the query.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'lancedb==0.40.0' 'pyarrow==24.0.0'
venv/bin/python - >seen <<'PROGRAM'
import pyarrow
import lancedb

vectors = pyarrow.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], pyarrow.list_(pyarrow.float32(), 2))
table = lancedb.connect("store").create_table("items", pyarrow.table({"id": [1, 2, 3], "vector": vectors}))
for kind in ("l2", "dot", "cosine"):
    for query in ([1.0, 0.0], [float("nan"), 0.0]):
        found = table.search(query).distance_type(kind).limit(10).to_list()
        print(kind, query, [row["id"] for row in found])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
l2 [1.0, 0.0] [1, 2, 3]
l2 [nan, 0.0] []
dot [1.0, 0.0] [1, 2, 3]
dot [nan, 0.0] []
cosine [1.0, 0.0] [1, 3]
cosine [nan, 0.0] []
SEEN
echo "seen as described"
