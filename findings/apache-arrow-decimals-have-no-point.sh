#!/usr/bin/env bash
# Features of a file of Arrow, written by pyarrow 26.0.1 (PyPI) and read by apache-arrow 21.2.0 (npm): a decimal of 19.99 is
# 1999, as text and in JSON, as the scale is kept in the type alone; with 256 bits it is 9, the last digit. -0.50 is -50, and
# -0. A moment of one microsecond is 0.001 of a millisecond, and of nanoseconds the last digits are gone. Integers are exact.
# Guess before the run: 19.99 as a text or a number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyarrow==26.0.1'
npm install --silent --no-audit --no-fund --prefix . apache-arrow@21.2.0
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime
import decimal

import pyarrow

prices = [decimal.Decimal("19.99"), decimal.Decimal("-0.50")]
moments = [datetime.datetime(2026, 11, 30, 10, 0, 0, 1), datetime.datetime(1970, 1, 1)]
columns = {
    "decimal32": pyarrow.array(prices, pyarrow.decimal32(5, 2)),
    "decimal128": pyarrow.array(prices, pyarrow.decimal128(10, 2)),
    "decimal256": pyarrow.array(prices, pyarrow.decimal256(40, 2)),
    "integers": pyarrow.array([9007199254740993, -1]),
    "microseconds": pyarrow.array(moments, pyarrow.timestamp("us")),
    "nanoseconds": pyarrow.array([1795996800000000001, 1], pyarrow.timestamp("ns")),
}
table = pyarrow.table(columns)
with pyarrow.ipc.new_file("features.arrow", table.schema) as writer:
    writer.write_table(table)
print("written", *prices)
PROGRAM
cat >program.mjs <<'PROGRAM'
import { readFileSync } from "fs";
import { tableFromIPC } from "apache-arrow";

const table = tableFromIPC(readFileSync("features.arrow"));
for (const { name } of table.schema.fields) console.log(name, "->", [...table.getChild(name)].map(String).join(", "));
console.log("JSON", JSON.stringify([...table.getChild("decimal128")]), JSON.stringify([...table.getChild("decimal256")]));
PROGRAM
TZ=UTC node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
written 19.99 -0.50
decimal32 -> 1999, -50
decimal128 -> 1999, -50
decimal256 -> 9, -0
integers -> 9007199254740993, -1
microseconds -> 1796032800000.001, 0
nanoseconds -> 1795996800000, 0.000001
JSON ["\"1999\"","\"-50\""] ["\"9\"","\"-0\""]
SEEN
echo "seen as described"
