#!/usr/bin/env bash
# Decimals of a Parquet file of pyarrow 25.0.1 are doubles in hyparquet 1.33.0 (npm): 90071992547409.93 loses a cent, of 30
# digits 17 are left. Integers of the same width are exact. Bytes of a column without a type are a text, so 0xff is another
# byte when it is written again.
# Guess before the run: exact texts or scaled integers, as its integers of 64 bits are exact; bytes are bytes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . hyparquet@1.33.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyarrow==25.0.1
cat >program.mjs <<'PROGRAM'
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";

const [row] = await parquetReadObjects({ file: await asyncBufferFromFile("table.parquet") });
for (const [column, value] of Object.entries(row)) console.log(column, typeof value, typeof value === "string" ? Buffer.from(value).toString("hex") : String(value));
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import decimal
import pyarrow as pa
import pyarrow.parquet

table = pa.table({
    "id": pa.array([9007199254740993], pa.int64()),
    "total": pa.array([decimal.Decimal("90071992547409.93")], pa.decimal128(18, 2)),
    "rate": pa.array([decimal.Decimal("12345678901234567890.0123456789")], pa.decimal128(38, 10)),
    "key": pa.array([b"\xff"], pa.binary()),
})
pyarrow.parquet.write_table(table, "table.parquet", compression="NONE", store_schema=False)
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
id bigint 9007199254740993
total number 90071992547409.92
rate number 12345678901234567000
key string efbfbd
SEEN
echo "seen as described"
