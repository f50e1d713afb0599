#!/usr/bin/env bash
# chromadb 1.5.9, in memory: delete of an id that is not there says that it deleted one; add of an id that is there keeps the
# old vector and says nothing, as does update of one that is not there. A vector with NaN is refused when it is added, and
# asked for it has two nearest neighbours.
# Guess before the run: zero, an error or the new vector, an error; an error for the question.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chromadb==1.5.9
venv/bin/python - >seen <<'PROGRAM'
import logging
import chromadb

logging.disable(logging.CRITICAL)
dishes = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False)).create_collection("dishes")
dishes.add(ids=["fries", "cola"], embeddings=[[1, 0], [0, 1]])
print("delete", dishes.delete(ids=["burger"]), dishes.count())
print("add", dishes.add(ids=["fries"], embeddings=[[5, 5]]), dishes.get(ids=["fries"], include=["embeddings"])["embeddings"].tolist())
print("update", dishes.update(ids=["burger"], embeddings=[[1, 1]]), dishes.count())
try:
    dishes.add(ids=["shake"], embeddings=[[float("nan"), 0]])
except Exception as error:
    print("add NaN", type(error).__name__)
print("query NaN", len(dishes.query(query_embeddings=[[float("nan"), 0]], n_results=2)["ids"][0]))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
delete {'deleted': 1} 2
add None [[1.0, 0.0]]
update None 2
add NaN InvalidArgumentError
query NaN 2
SEEN
echo "seen as described"
