#!/usr/bin/env bash
# A Parquet file of pyarrow 25.0.1 read by @dsnp/parquetjs 1.8.8 (npm): the greatest values of uint32 and uint64 are -1, a
# decimal is its bytes as they lie in the file, and the microsecond before 1970 is 1970.
# Guess before the run: unsigned numbers are numbers, decimals are numbers or texts; moments are cut to milliseconds.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @dsnp/parquetjs@1.8.8
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyarrow==25.0.1
cat >program.mjs <<'PROGRAM'
import parquet from "@dsnp/parquetjs";

const reader = await parquet.ParquetReader.openFile("table.parquet");
const cursor = reader.getCursor();
for (let row; (row = await cursor.next()); )
  for (const [column, value] of Object.entries(row))
    console.log(column, value instanceof Date ? value.toISOString() : Buffer.isBuffer(value) ? `bytes ${value.toString("hex")}` : String(value));
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import datetime, decimal
import pyarrow as pa
import pyarrow.parquet

moments = [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.datetime(2026, 1, 1)]
table = pa.table({
    "id": pa.array([2**64 - 1, 1], pa.uint64()),
    "count": pa.array([2**32 - 1, 1], pa.uint32()),
    "price": pa.array([decimal.Decimal("19.99"), decimal.Decimal("-0.01")], pa.decimal128(9, 2)),
    "moment": pa.array(moments, pa.timestamp("us")),
})
pyarrow.parquet.write_table(table, "table.parquet", compression="NONE")
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
id -1
count -1
price bytes 000007cf
moment 1970-01-01T00:00:00.000Z
id 1
count 1
price bytes ffffffff
moment 2026-01-01T00:00:00.000Z
SEEN
echo "seen as described"
