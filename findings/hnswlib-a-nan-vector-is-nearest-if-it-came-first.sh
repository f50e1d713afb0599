#!/usr/bin/env bash
# hnswlib 0.8.0 (PyPI) takes a vector with a NaN and answers it, with the distance NaN: before a vector that equals the
# query where it was added first, after all others where it was added last.
# Guess before the run: an error when it is added, or always the last place.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'hnswlib==0.8.0' 'numpy==2.3.5'
venv/bin/python - >seen <<'PROGRAM'
import hnswlib
import numpy

for rows in ([[numpy.nan, 0], [1, 0], [0, 1]], [[1, 0], [0, 1], [numpy.nan, 0]]):
    for space in ("l2", "cosine", "ip"):
        index = hnswlib.Index(space, 2)
        index.init_index(10)
        index.add_items(numpy.array(rows, dtype="float32"))
        labels, distances = index.knn_query(numpy.array([[1, 0]], dtype="float32"), k=3)
        print(space, [rows[label] for label in labels[0]], distances[0].tolist())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
l2 [[nan, 0], [1, 0], [0, 1]] [nan, 0.0, 2.0]
cosine [[nan, 0], [1, 0], [0, 1]] [nan, 0.0, 1.0]
ip [[nan, 0], [1, 0], [0, 1]] [nan, 0.0, 1.0]
l2 [[1, 0], [0, 1], [nan, 0]] [0.0, 2.0, nan]
cosine [[1, 0], [0, 1], [nan, 0]] [0.0, 1.0, nan]
ip [[1, 0], [0, 1], [nan, 0]] [0.0, 1.0, nan]
SEEN
echo "seen as described"
