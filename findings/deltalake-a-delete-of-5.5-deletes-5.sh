#!/usr/bin/env bash
# deltalake 1.6.6 (PyPI): DELETE of the rows where an integer is 5.5 deletes the row with 5, and where a price of two digits
# is 2.505 the one with 2.51: the number of the condition is cast to the type of the column, cut or rounded. n < 5.5 leaves
# the 5. An update that sets an integer to 7/2.0 or 1.9 writes 3 and 1, and one of true writes 1.
# Guess before the run: no row is deleted, as no row is equal to the number; an error for 1.9 in an integer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'deltalake==1.6.6' 'pyarrow==26.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import decimal
import shutil

import pyarrow
from deltalake import DeltaTable, write_deltalake

rows = pyarrow.table({
    "n": pyarrow.array([4, 5, 6], pyarrow.int32()),
    "price": pyarrow.array([decimal.Decimal("2.50"), decimal.Decimal("2.51"), decimal.Decimal("2.52")], pyarrow.decimal128(9, 2)),
})
def table():
    shutil.rmtree("dishes", ignore_errors=True)
    write_deltalake("dishes", rows)
    return DeltaTable("dishes")
def left():
    return sorted(tuple(str(value) for value in row.values()) for row in DeltaTable("dishes").to_pyarrow_table().to_pylist())

for condition in ("n = 5.5", "n in (5.5)", "n < 5.5", "price = 2.505", "price = 2.51"):
    print("delete", condition, "->", table().delete(condition)["num_deleted_rows"], "deleted, left", *[n for n, price in left()])
for value in ("7 / 2.0", "1.9", "true"):
    table().update(updates={"n": value}, predicate="n = 5")
    print("set n to", value, "->", *[n for n, price in left()])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
delete n = 5.5 -> 1 deleted, left 4 6
delete n in (5.5) -> 1 deleted, left 4 6
delete n < 5.5 -> 1 deleted, left 5 6
delete price = 2.505 -> 1 deleted, left 4 6
delete price = 2.51 -> 1 deleted, left 4 6
set n to 7 / 2.0 -> 3 4 6
set n to 1.9 -> 1 4 6
set n to true -> 1 4 6
SEEN
echo "seen as described"
