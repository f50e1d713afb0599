#!/usr/bin/env bash
# SQLite 3.54.1 (apsw 3.54.1.0) looks up pairs of keys in an index of both columns where they stand in VALUES, and one
# key where it stands in UNION ALL. Pairs in UNION ALL it does not look up: it reads the whole table. The same rows as
# SELECT * FROM (… UNION ALL …) are looked up again.
# Guess before the run: how the pairs are written makes no difference, as it makes none for one column.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'apsw==3.54.1.0'
venv/bin/python - >seen <<'PROGRAM'
import apsw

connection = apsw.Connection(":memory:")
connection.execute("CREATE TABLE stock (store, item, count); CREATE INDEX by_key ON stock (store, item)")
for keys, rows in {
    "(store, item)": "VALUES ('a', 1), ('b', 2)",
    "store": "SELECT 'a' UNION ALL SELECT 'b'",
    "(store, item) ": "SELECT 'a', 1 UNION ALL SELECT 'b', 2",
    "(store, item)  ": "SELECT * FROM (SELECT 'a', 1 UNION ALL SELECT 'b', 2)",
}.items():
    plan = connection.execute(f"EXPLAIN QUERY PLAN SELECT count FROM stock WHERE {keys} IN ({rows})")
    print(next(detail for *_, detail in plan), "|", rows)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
SEARCH stock USING INDEX by_key (store=? AND item=?) | VALUES ('a', 1), ('b', 2)
SEARCH stock USING INDEX by_key (store=?) | SELECT 'a' UNION ALL SELECT 'b'
SCAN stock | SELECT 'a', 1 UNION ALL SELECT 'b', 2
SEARCH stock USING INDEX by_key (store=? AND item=?) | SELECT * FROM (SELECT 'a', 1 UNION ALL SELECT 'b', 2)
SEEN
echo "seen as described"
