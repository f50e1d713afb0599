#!/usr/bin/env bash
# duckdb 2.0.1 finds a dictionary of NumPy arrays by the name of its variable in FROM, as it finds a DataFrame. With
# enable_external_access = false it no longer does; registered under a name, the same dictionary is still read.
# Guess before the run: the variable of this process is no external access, so both ways work or neither does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'numpy==2.4.6'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import duckdb, numpy

cols = {"a": numpy.array([1, 2, 3])}
for setting in ("true", "false"):
    connection = duckdb.connect(config={"enable_external_access": setting})
    connection.register("registered", cols)
    for name in ("cols", "registered"):
        try:
            print(setting, name, connection.execute(f"SELECT sum(a) FROM {name}").fetchall())
        except duckdb.Error as fault:
            print(setting, name, type(fault).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
true cols [(6,)]
true registered [(6,)]
false cols CatalogException
false registered [(6,)]
SEEN
echo "seen as described"
