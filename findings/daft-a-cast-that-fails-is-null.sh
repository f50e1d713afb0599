#!/usr/bin/env bash
# daft 0.7.26: a CAST in SQL of what is no value of the type is null, not an error: an empty text, `abc`, 1.5 and `1,000` as
# INT, 300 as TINYINT, 1e20 as BIGINT, the 30th of February. A sum that leaves BIGINT turns to the least one, 1/0 is inf, '1'
# + 1 is the text 11, and a column of CSV of 20,000 numbers with a word in the last row is one of texts.
# Guess before the run: an error each, as DataFusion, DuckDB and Polars give; TRY_CAST is there for null.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check daft==0.7.26
venv/bin/python - >seen <<'PROGRAM'
import daft

for expression in (
    "CAST('' AS INT)", "CAST('abc' AS INT)", "CAST('1.5' AS INT)", "CAST('1,000' AS INT)", "CAST(300 AS TINYINT)", "CAST(1e20 AS BIGINT)",
    "CAST('2026-02-30' AS DATE)", "9223372036854775807 + 1", "1 / 0", "'1' + 1",
):
    print(expression, "|", daft.sql(f"SELECT {expression} AS answer").to_pydict()["answer"])
with open("rows.csv", "w") as file:
    file.write("id\n" + "".join(f"{number}\n" for number in range(20000)) + "x\n")
print(daft.read_csv("rows.csv").to_pydict()["id"][-2:])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
CAST('' AS INT) | [None]
CAST('abc' AS INT) | [None]
CAST('1.5' AS INT) | [None]
CAST('1,000' AS INT) | [None]
CAST(300 AS TINYINT) | [None]
CAST(1e20 AS BIGINT) | [None]
CAST('2026-02-30' AS DATE) | [None]
9223372036854775807 + 1 | [-9223372036854775808]
1 / 0 | [inf]
'1' + 1 | ['11']
['19999', 'x']
SEEN
echo "seen as described"
