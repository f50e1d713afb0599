#!/usr/bin/env bash
# deltalake 1.6.6, partitioned by a column of bytes: b"a" comes back as the six bytes of backslash, u, 0061, from the table that it wrote
# itself, under the same type; polars 2.1.0 refuses to read them. Dates, booleans, decimals and
# moments come back as they were; an empty text is null for pyarrow, as the format of Delta has it, and an empty text for polars.
# Guess before the run: bytes come back, or are refused as a key of partitions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'deltalake==1.6.6' 'pyarrow==26.0.1' 'polars==2.1.0'
venv/bin/python - >seen <<'PROGRAM'
import datetime
import decimal

import polars
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

columns = {
    "bytes": pa.array([b"a", b"\x00\xff"]),
    "text": pa.array(["a/b", ""]),
    "boolean": pa.array([True, False]),
    "date": pa.array([datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
    "decimal": pa.array([decimal.Decimal("1.50"), decimal.Decimal("0.00")], pa.decimal128(10, 2)),
    "moment": pa.array([datetime.datetime(1960, 1, 1), datetime.datetime(2026, 1, 1, 12, 0, 0, 1)], pa.timestamp("us")),
}
for name, keys in columns.items():
    write_deltalake(name, pa.table({"key": keys, "row": pa.array([1, 2])}), partition_by=["key"])
    by_deltalake = DeltaTable(name).to_pyarrow_table().sort_by("row")["key"]
    try:
        by_polars = polars.read_delta(name).sort("row")["key"].to_list()
    except polars.exceptions.ComputeError:
        by_polars = ["refused", "refused"]
    for key, one, other in zip(keys.to_pylist(), by_deltalake.to_pylist(), by_polars):
        print(name, repr(key), "is" if key == one == other else f"is {one!r} in pyarrow, {other!r} in polars")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
bytes b'a' is b'\\u0061' in pyarrow, 'refused' in polars
bytes b'\x00\xff' is b'\\u0000\\u00FF' in pyarrow, 'refused' in polars
text 'a/b' is
text '' is None in pyarrow, '' in polars
boolean True is
boolean False is
date datetime.date(1, 1, 1) is
date datetime.date(9999, 12, 31) is
decimal Decimal('1.50') is
decimal Decimal('0.00') is
moment datetime.datetime(1960, 1, 1, 0, 0) is
moment datetime.datetime(2026, 1, 1, 12, 0, 0, 1) is
SEEN
echo "seen as described"
