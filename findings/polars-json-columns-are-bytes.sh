#!/usr/bin/env bash
# polars 2.1.0 reads a Parquet column of JSON, and one of UUIDs, as Binary: the logical type is gone. duckdb 2.0.1, which
# wrote them, reads JSON and UUID, fastparquet 2026.9.0 reads dicts.
# Guess before the run: String for the JSON, the UUID as its text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'fastparquet==2026.9.0' 'pandas==3.1.1' 'polars==2.1.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import duckdb, fastparquet, polars

connection = duckdb.connect()
row = "SELECT '{\"a\": 1}'::JSON AS j, '00112233-4455-6677-8899-aabbccddeeff'::UUID AS u"
connection.execute(f"COPY ({row}) TO 'types.parquet'")
print("duckdb", connection.execute("SELECT typeof(j), j, typeof(u) FROM 'types.parquet'").fetchone())
frame = polars.read_parquet("types.parquet")
print("polars", frame.schema["j"], frame["j"].to_list(), frame.schema["u"])
print("fastparquet", fastparquet.ParquetFile("types.parquet").to_pandas()["j"].tolist())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
duckdb ('JSON', '{"a": 1}', 'UUID')
polars Binary [b'{"a": 1}'] Binary
fastparquet [{'a': 1}]
SEEN
echo "seen as described"
