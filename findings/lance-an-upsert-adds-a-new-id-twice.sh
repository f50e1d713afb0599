#!/usr/bin/env bash
# Rows of features in Lance, pylance 14.0.2 (PyPI): merge_insert of one id twice is an error where the table has the id, and
# adds two rows of it where the id is new, or null, which never matches; an update of an integer to 7.9 writes 7, but a
# filter by 7.0 or 7.5 on it is refused, as is one by 1.1 on decimals, and by 3000000000 on int32, by which any row could be
# judged.
# Guess before the run: one row or an error for both; 7.9 is refused; integers and decimals are compared as numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pylance==14.0.2' 'pyarrow==26.0.1'
cat >program.py <<'PROGRAM'
from decimal import Decimal

import lance
import pyarrow as pa

table = pa.table({
    "id": pa.array([1, 2, None], pa.int64()),
    "price": pa.array([Decimal("1.10"), Decimal("2.00"), None], pa.decimal128(6, 2)),
    "stock": pa.array([7, 8, 9], pa.int32())})
menu = lance.write_dataset(table, "menu.lance")


def upsert(*ids):
    rows = pa.table({"id": pa.array(ids, pa.int64()), "price": pa.array([Decimal("3.00")] * len(ids), pa.decimal128(6, 2)),
                     "stock": pa.array(range(len(ids)), pa.int32())})
    try:
        menu.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)
        print("upsert of", ids, "->", sorted(map(str, menu.to_table(columns=["id"])["id"].to_pylist())))
    except OSError as error:
        print("upsert of", ids, "->", str(error).split(":")[1].split(" on ")[0].strip())


upsert(1, 1)
upsert(5, 5)
upsert(None)
menu.update({"stock": "7.9"}, where="id = 2")
decimal = "price = CAST('1.1' AS DECIMAL(6, 2))"
for text in ("stock = 7", "stock = 7.0", "stock > 7.5", "stock < 3000000000", "price = 1.1", decimal):
    try:
        print(text, "->", menu.to_table(filter=text, columns=["id"])["id"].to_pylist())
    except ValueError:
        print(text, "-> refused")
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
upsert of (1, 1) -> Ambiguous merge inserts are prohibited
upsert of (5, 5) -> ['1', '2', '5', '5', 'None']
upsert of (None,) -> ['1', '2', '5', '5', 'None', 'None']
stock = 7 -> [1, 2]
stock = 7.0 -> refused
stock > 7.5 -> refused
stock < 3000000000 -> refused
price = 1.1 -> refused
price = CAST('1.1' AS DECIMAL(6, 2)) -> [1]
SEEN
echo "seen as described"
