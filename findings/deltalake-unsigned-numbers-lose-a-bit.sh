#!/usr/bin/env bash
# deltalake 1.6.6: Delta has no unsigned integers, and a column of them is written with the signed type of the same width, not of the next
# one. uint8 is byte, so 127 is written and 128 is refused, though a short would hold it; nanoseconds are cut without a word.
# Guess before the run: uint8 becomes short, uint16 integer, uint32 long.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'deltalake==1.6.6' 'pyarrow==26.0.1'
venv/bin/python - >seen <<'PROGRAM'
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

for number, (kind, value) in enumerate(
    [(pa.uint8(), 127), (pa.uint8(), 128), (pa.uint32(), 2**31 - 1), (pa.uint32(), 2**31), (pa.timestamp("ns"), 1999)]
):
    try:
        write_deltalake(str(number), pa.table({"value": pa.array([value], kind)}))
    except Exception as error:
        print(kind, value, "refused:", type(error).__name__)
        continue
    table = DeltaTable(str(number))
    print(kind, value, table.schema().fields[0].type.type, table.to_pyarrow_table()["value"][0].cast(pa.int64()).as_py())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
uint8 127 byte 127
uint8 128 refused: DeltaError
uint32 2147483647 integer 2147483647
uint32 2147483648 refused: DeltaError
timestamp[ns] 1999 timestamp_ntz 1
SEEN
echo "seen as described"
