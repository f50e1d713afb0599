#!/usr/bin/env bash
# A menu searched with tantivy 0.27.0 (PyPI): a price of 5, an integer of Python, in a field of floats is taken when the dish
# is added and fails the commit of all dishes, later ones included; 5.0 is right. A price of -0.0, as discounts leave it, is
# not found by price:0 nor by a range from 0, but by -0.0; cok* is no prefix and finds nothing, without an error; of
# price:1,5 it says that the query has only terms that exclude.
# Guess before the run: 5 is 5.0, or refused when it is added; 0 finds -0.0; a prefix, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'tantivy==0.27.0'
cat >program.py <<'PROGRAM'
import tantivy

builder = tantivy.SchemaBuilder()
builder.add_text_field("dish", stored=True)
builder.add_float_field("price", stored=True, indexed=True, fast=True)
schema = builder.build()


def index_of(*dishes):
    index = tantivy.Index(schema)
    writer = index.writer(heap_size=20_000_000, num_threads=1)
    for dish, price in dishes:
        writer.add_document(tantivy.Document(dish=dish, price=price))
    try:
        writer.commit()
    except ValueError as error:
        print("commit:", error)
    index.reload()
    print("dishes:", index.searcher().num_docs)
    return index


index_of(("Coke Zero", 1.5), ("Fries", 5), ("Burger", 8.5))
menu = index_of(("Coke Zero", 1.5), ("Fries", 5.0), ("Water", -0.0))
for text in ("price:5", "price:0", "price:-0.0", "price:[0 TO 2]", "dish:cok*", "price:1,5", "dish:coke"):
    try:
        hits = menu.searcher().search(menu.parse_query(text, ["dish"]), 9).hits
        print(text, "->", sorted(menu.searcher().doc(address)["dish"][0] for _, address in hits))
    except ValueError as error:
        print(text, "->", error)
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
commit: Schema error: 'Expected a F64 for field "price"'
dishes: 0
dishes: 3
price:5 -> ['Fries']
price:0 -> []
price:-0.0 -> ['Water']
price:[0 TO 2] -> ['Coke Zero']
dish:cok* -> []
price:1,5 -> Invalid query: Only excluding terms given
dish:coke -> ['Coke Zero']
SEEN
echo "seen as described"
