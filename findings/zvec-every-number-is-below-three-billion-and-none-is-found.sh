#!/usr/bin/env bash
# Filters of zvec 0.8.0 (PyPI), a vector database in the process: on a column of 32 bits, total < 3000000000 finds no row
# though all are below, as does total > -3000000000, and a list with such a number finds those that it should; 7.0 and 7.5
# are refused. A vector with NaN is taken, with code 0, counted, and found by no question; one of [1, 1] under the cosine
# comes back as 0.99999994.
# Guess before the run: all rows, or an error as for 7.0; an error for the NaN; the vector as it was.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'zvec==0.8.0'
cat >program.py <<'PROGRAM'
import math
import zvec

fields = [zvec.FieldSchema("total", zvec.DataType.INT32)]
cosine = zvec.FlatIndexParam(metric_type=zvec.MetricType.COSINE)
vectors = zvec.VectorSchema("vector", zvec.DataType.VECTOR_FP32, 2, index_param=cosine)
menu = zvec.create_and_open(path="./menu", schema=zvec.CollectionSchema(name="menu", fields=fields, vectors=vectors))
dishes = {"fries": (7, [1.0, 0.0]), "cola": (300, [1.0, 1.0]), "burger": (-7, [0.0, 1.0]), "broken": (0, [math.nan, 0.0])}
for name, (total, vector) in dishes.items():
    menu.insert(zvec.Doc(id=name, vectors={"vector": vector}, fields={"total": total}))
print("dishes:", menu.stats.doc_count)
for text in ("total < 2147483647", "total < 3000000000", "total > -3000000000", "total in (7, 3000000000)",
             "total != 3000000000", "total = 7", "total = 7.0", "total > 7.5"):
    try:
        print(text, "->", sorted(dish.id for dish in menu.query(filter=text, topk=9)))
    except ValueError as error:
        print(text, "->", str(error).split(":")[-1].split(". ")[0].strip())
for question in ([1.0, 0.0], [math.nan, 0.0]):
    found = menu.query(zvec.Query(field_name="vector", vector=question), topk=9)
    print("near", question, [(dish.id, round(dish.score, 3)) for dish in found])
print("cola:", menu.fetch(["cola"])["cola"].vectors)
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
dishes: 4
total < 2147483647 -> ['broken', 'burger', 'cola', 'fries']
total < 3000000000 -> []
total > -3000000000 -> []
total in (7, 3000000000) -> ['fries']
total != 3000000000 -> ['broken', 'burger', 'cola', 'fries']
total = 7 -> ['fries']
total = 7.0 -> field type and value type not match in relation expr
total > 7.5 -> field type and value type not match in relation expr
near [1.0, 0.0] [('fries', 0.0), ('cola', 0.293), ('burger', 1.0)]
near [nan, 0.0] []
cola: {'vector': [0.9999999403953552, 0.9999999403953552]}
SEEN
echo "seen as described"
