#!/usr/bin/env bash
# pyiceberg 0.12.0 leaves rows without a value out of a scan that wants all but one value, whether that is written with
# != or as NOT IN of one value. NOT IN of two values returns them.
# Guess before the run: a list of one value and a list of two treat a null alike.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyiceberg[pyarrow,sql-sqlite]==0.12.0' 'pyarrow==26.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import os, pyarrow
from pyiceberg.catalog.sql import SqlCatalog

here = os.getcwd()
catalog = SqlCatalog("local", uri=f"sqlite:///{here}/catalog.db", warehouse=f"file://{here}")
catalog.create_namespace("shop")
schema = pyarrow.schema([("id", pyarrow.int64()), ("tier", pyarrow.string())])
table = catalog.create_table("shop.guests", schema=schema)
table.append(pyarrow.table({"id": [1, 2, 3], "tier": ["gold", None, "iron"]}, schema=schema))
for wanted in ("tier != 'gold'", "tier not in ('gold')", "tier not in ('gold', 'lead')"):
    print(wanted, table.scan(row_filter=wanted).to_arrow()["id"].to_pylist())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
tier != 'gold' [3]
tier not in ('gold') [3]
tier not in ('gold', 'lead') [2, 3]
SEEN
echo "seen as described"
