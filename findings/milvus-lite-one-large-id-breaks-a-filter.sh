#!/usr/bin/env bash
# milvus-lite 3.2.2, the engine of tests and notebooks for Milvus (PyPI, with pymilvus 3.0.2): a filter by a number with a
# point, total == 7.0, is an error as soon as one row of the collection has an integer beyond 2^53, though no row is asked
# for that; total in [7.0] is none. In a field without a type, true finds the number 1, and one list in it makes "in" an
# error. A vector with NaN is taken; a deletion of ids that are not there answers them.
# Guess before the run: the rows with 7, 1 is not true, the vector is refused, none deleted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'milvus-lite==3.2.2' 'pymilvus==3.0.2'
cat >program.py <<'PROGRAM'
import logging
import math

from pymilvus import DataType, MilvusClient

logging.disable(logging.CRITICAL)
client = MilvusClient("menu.db")
schema = client.create_schema(auto_id=False, enable_dynamic_field=True)
schema.add_field("id", DataType.INT64, is_primary=True)
schema.add_field("vector", DataType.FLOAT_VECTOR, dim=2)
schema.add_field("total", DataType.INT64)
index = client.prepare_index_params()
index.add_index(field_name="vector", index_type="FLAT", metric_type="COSINE")
client.create_collection("menu", schema=schema, index_params=index)


def ask(text):
    try:
        print(text, "->", sorted(row["id"] for row in client.query("menu", filter=text, output_fields=["id"])))
    except Exception as error:
        print(text, "->", str(error).split("message=")[-1].split(":")[0].rstrip(")>"))


client.insert("menu", [{"id": 1, "vector": [1, 0], "total": 7, "kind": 1}])
client.insert("menu", [{"id": 2, "vector": [0, 1], "total": 8, "kind": True}])
for text in ("total == 7.0", "total > 7.5", "kind == true", "kind in [1]"):
    ask(text)
client.insert("menu", [{"id": 3, "vector": [1, 1], "total": 9007199254740993, "kind": [1]}])
for text in ("total == 7.0", "total > 7.5", "total in [7.0]", "total == 7", "kind == 1", "kind in [1]"):
    ask(text)
print("inserted:", client.insert("menu", [{"id": 4, "vector": [math.nan, 0], "total": 1}])["insert_count"])
print("deleted:", client.delete("menu", ids=[999]))
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
total == 7.0 -> [1]
total > 7.5 -> [2]
kind == true -> [1, 2]
kind in [1] -> [1, 2]
total == 7.0 -> Integer value 9007199254740993 not in range
total > 7.5 -> Integer value 9007199254740993 not in range
total in [7.0] -> [1]
total == 7 -> [1]
kind == 1 -> [1, 2]
kind in [1] -> unhashable type
inserted: 1
deleted: [999]
SEEN
echo "seen as described"
