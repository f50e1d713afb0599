#!/usr/bin/env bash
# ibis-framework 12.0.0 takes any sqlglot from 23.4 on, so pip installs 30.30.0 (PyPI): create_table(..., overwrite=True)
# then sends half a statement and fails with a syntax error in duckdb 1.4.5 and sqlite, while a first table is created; with
# sqlglot 27.29.0 the table is replaced.
# Guess before the run: versions that a package allows work.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'ibis-framework[duckdb,sqlite]==12.0.0' 'duckdb==1.4.5' \
  'sqlglot==30.30.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import warnings

import ibis
import sqlglot

warnings.simplefilter("ignore")
for name, connection in (("duckdb", ibis.duckdb.connect()), ("sqlite", ibis.sqlite.connect())):
    for overwrite in (False, True):
        try:
            connection.create_table("t", schema=ibis.schema({"a": "int64"}), overwrite=overwrite)
            print(name, "overwrite", overwrite, "created")
        except Exception as error:
            print(name, "overwrite", overwrite, str(error).strip().splitlines()[0])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
duckdb overwrite False created
duckdb overwrite True Parser Error: syntax error at end of input
sqlite overwrite False created
sqlite overwrite True incomplete input
SEEN
echo "seen as described"
