#!/usr/bin/env bash
# frictionless 5.21.0 infers the type of a column of prices as 1,000 and 2,050 as a geopoint, the first on the equator;
# 1.000,5 is one as well. A range of 1-2 is the month of February of the year 1. With 2,500, which is no latitude, they are
# texts.
# Guess before the run: numbers or texts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check frictionless==5.21.0
venv/bin/python - >seen <<'PROGRAM'
from frictionless import Resource

for cells in (["1,000", "2,050"], ["1,000", "2,500"], ["1.000,5"], ["1-2"], ["1,000", "19.99"], ["007"], ["2026-02-30"]):
    resource = Resource(data=[["value"], *([cell] for cell in cells)])
    resource.infer()
    print(cells, "|", resource.schema.fields[0].type, "|", [row["value"] for row in resource.read_rows()])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
['1,000', '2,050'] | geopoint | [[1.0, 0.0], [2.0, 50.0]]
['1,000', '2,500'] | string | ['1,000', '2,500']
['1.000,5'] | geopoint | [[1.0, 5.0]]
['1-2'] | yearmonth | [yearmonth(year=1, month=2)]
['1,000', '19.99'] | string | ['1,000', '19.99']
['007'] | integer | [7]
['2026-02-30'] | string | ['2026-02-30']
SEEN
echo "seen as described"
