#!/usr/bin/env bash
# Filters of pyiceberg 0.12.0 on a column of integers: id == 7.9 finds the row with 8, id == '7.9' the one with 7, and id >
# 7.9 loses 8; id == 2.5 finds 2. On a column of decimals with two digits 2.5 is refused and 8 is taken; on one of days 5 is
# the sixth day of 1970.
# Guess before the run: no row for 7.9, and 8 and above for more than that, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyiceberg[sql-sqlite,pyarrow]==0.12.0' 'pyarrow==26.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime
import decimal
import logging

import pyarrow
from pyiceberg.catalog.sql import SqlCatalog

logging.disable(logging.WARNING)
catalog = SqlCatalog("menus", uri="sqlite:///catalog.db", warehouse="file:warehouse")
catalog.create_namespace("menu")
rows = pyarrow.table({
    "id": [2, 7, 8, 9],
    "price": pyarrow.array([decimal.Decimal("2.50"), decimal.Decimal("8.00"), None, None], pyarrow.decimal128(9, 2)),
    "day": [datetime.date(1970, 1, 6), datetime.date(2026, 11, 30), None, None],
})
table = catalog.create_table("menu.dishes", schema=rows.schema)
table.append(rows)
for text in ("id == 7.9", "id == '7.9'", "id > 7.9", "id >= 7.9", "id == 2.5", "id == 7.0", "id in ('7.9', '9')", "price == 2.5", "price == 8", "day == 5"):
    try:
        print(text, "->", table.scan(row_filter=text).to_arrow()["id"].to_pylist())
    except ValueError as error:
        print(text, "->", error)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
id == 7.9 -> [8]
id == '7.9' -> [7]
id > 7.9 -> [9]
id >= 7.9 -> [8, 9]
id == 2.5 -> [2]
id == 7.0 -> [7]
id in ('7.9', '9') -> [7, 9]
price == 2.5 -> Could not convert 2.5 into a decimal(9, 2)
price == 8 -> [7]
day == 5 -> [2]
SEEN
echo "seen as described"
