#!/usr/bin/env bash
# qdrant-client 1.20.0, with a collection in memory, does not find the payload 7.0 by a match of 7, although it is in the
# range from 7 to 7; what must not match 7 has it. Programs that keep numbers as doubles write 7.0 for 7.
# Guess before the run: 7.0 and 7 are one number, so a match finds both points.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'qdrant-client==1.20.0'
venv/bin/python - >seen <<'PROGRAM'
from qdrant_client import QdrantClient
from qdrant_client.models import (
    Distance, FieldCondition, Filter, MatchValue, PointStruct, Range, VectorParams,
)

client = QdrantClient(":memory:")
client.create_collection("items", vectors_config=VectorParams(size=2, distance=Distance.DOT))
points = [PointStruct(id=1, vector=[1, 0], payload={"family": 7}), PointStruct(id=2, vector=[1, 0], payload={"family": 7.0})]
client.upsert("items", points)
match = FieldCondition(key="family", match=MatchValue(value=7))
for name, wanted in {
    "match 7": Filter(must=[match]),
    "no match of 7": Filter(must_not=[match]),
    "from 7 to 7": Filter(must=[FieldCondition(key="family", range=Range(gte=7, lte=7))]),
}.items():
    found = client.query_points("items", query=[1.0, 0.0], query_filter=wanted).points
    print(name, sorted(point.id for point in found))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
match 7 [1]
no match of 7 [2]
from 7 to 7 [1, 2]
SEEN
echo "seen as described"
