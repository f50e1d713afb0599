#!/usr/bin/env bash
# bigquery-schema-generator 1.6.1 leaves a column out of the schema where one row has a number and another a text in it and names it aside; the rest is
# a schema that looks complete. A date beside a time of day makes STRING, and the 30th of February is a DATE.
# Guess before the run: whatever types meet in a column, STRING holds both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'bigquery-schema-generator==1.6.1'
venv/bin/python - >seen <<'PROGRAM'
from bigquery_schema_generator.generate_schema import SchemaGenerator

for values in ([1, 1.5], [1, "x"], [True, 1], ["2026-01-01", "12:00:00"], ["2026-02-30"]):
    generator = SchemaGenerator(input_format="dict")
    schema, errors = generator.deduce_schema([{"id": "a", "value": value} for value in values])
    columns = {column["name"]: column["type"] for column in generator.flatten_schema(schema)}
    print(values, columns, "errors:", len(errors))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
[1, 1.5] {'id': 'STRING', 'value': 'FLOAT'} errors: 0
[1, 'x'] {'id': 'STRING'} errors: 1
[True, 1] {'id': 'STRING'} errors: 1
['2026-01-01', '12:00:00'] {'id': 'STRING', 'value': 'STRING'} errors: 0
['2026-02-30'] {'id': 'STRING', 'value': 'DATE'} errors: 0
SEEN
echo "seen as described"
