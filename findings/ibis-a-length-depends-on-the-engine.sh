#!/usr/bin/env bash
# One expression on two engines, ibis-framework 12.0.0 with duckdb 1.4.5 and polars 2.1.0 (PyPI): -7 % 3 is -1 and 2, 2.5
# rounded is 3 and 2, the text "5.9" as an integer is 6 and an error, the length of "éa" is 2 and 3, a replacement by a
# pattern with groups gives "bruger" and keeps \2\1, and the greatest integer plus 3 is an error and a negative number.
# Guess before the run: the same values, as the library promises one semantics for round and length.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'ibis-framework[duckdb,polars]==12.0.0' 'duckdb==1.4.5' \
  'polars==2.1.0' 'sqlglot==27.29.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import warnings

import ibis
import pandas

warnings.simplefilter("ignore")
table = pandas.DataFrame({"i": [-7], "j": [3], "f": [2.5], "s": ["5.9"], "c": ["éa"], "n": ["burger"]})
expressions = {
    "-7 % 3": lambda t: t.i % t.j,
    "2.5 rounded": lambda t: t.f.round(),
    "'5.9' as an integer": lambda t: t.s.cast("int64"),
    "length of 'éa'": lambda t: t.c.length(),
    "'burger' with u and r swapped": lambda t: t.n.re_replace("(u)(r)", "\\2\\1"),
    "the greatest integer + 3": lambda t: ibis.literal(9223372036854775807) + t.j,
}
engines = {"duckdb": ibis.duckdb.connect(), "polars": ibis.polars.connect()}
for name, expression in expressions.items():
    for engine, connection in engines.items():
        rows = connection.table("t") if "t" in connection.list_tables() else connection.create_table("t", table)
        try:
            print(name, "|", engine, rows.select(v=expression(rows)).to_pyarrow()["v"][0].as_py())
        except Exception:
            print(name, "|", engine, "error")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
-7 % 3 | duckdb -1
-7 % 3 | polars 2
2.5 rounded | duckdb 3
2.5 rounded | polars 2
'5.9' as an integer | duckdb 6
'5.9' as an integer | polars error
length of 'éa' | duckdb 2
length of 'éa' | polars 3
'burger' with u and r swapped | duckdb bruger
'burger' with u and r swapped | polars b\2\1ger
the greatest integer + 3 | duckdb error
the greatest integer + 3 | polars -9223372036854775806
SEEN
echo "seen as described"
