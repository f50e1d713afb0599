#!/usr/bin/env bash
# voyager 2.2.3: an item that was marked as deleted still counts: len(), "in" and the list of ids include it, also after a save and a
# load, while its vector cannot be read and a query for as many items as len() says raises a RecallError.
# Guess before the run: a length of 2, not in the index.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'voyager==2.2.3' 'numpy==2.4.6'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import numpy, voyager

index = voyager.Index(voyager.Space.Euclidean, 2)
index.add_items(numpy.array([[0, 0], [1, 0], [2, 0]], dtype="float32"), [5, 6, 7])
index.mark_deleted(6)
index.save("index.voy")
for now in (index, voyager.Index.load("index.voy")):
    print(len(now), 6 in now, sorted(now.ids))
    for attempt in (lambda: now.get_vector(6), lambda: now.query(numpy.zeros(2, dtype="float32"), k=len(now))):
        try:
            print(attempt())
        except (RuntimeError, voyager.RecallError) as error:
            print(type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
3 True [5, 6, 7]
RuntimeError
RecallError
3 True [5, 6, 7]
RuntimeError
RecallError
SEEN
echo "seen as described"
