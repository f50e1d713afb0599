#!/usr/bin/env bash
# Models for pydantic 2.14.4 that datamodel-code-generator 0.89.0 (PyPI) writes from a JSON Schema take what the schema
# refuses, by jsonschema-rs 0.61.2: of a text and a number in a list the order and the types are free, an item may be there
# twice, a key that is required and not described may be missing, every key that is not required may be null, "5" is a
# number, 12:30 has no zone and 5 is a span of five seconds. true is the 1 of a list of values, as both are one member of an
# Enum.
# Guess before the run: a tuple, a set, a required field; texts and numbers convert, as models are lax.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'datamodel-code-generator==0.89.0' 'pydantic==2.14.4' \
  'jsonschema-rs==0.61.2'
cat >schema.json <<'FILE'
{"title": "Menu", "type": "object", "required": ["dish", "store"], "additionalProperties": true, "properties": {
  "dish": {"type": "string"}, "price": {"type": "number", "exclusiveMinimum": 0},
  "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false, "minItems": 2},
  "sizes": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true},
  "opens": {"type": "string", "format": "time"}, "wait": {"type": "string", "format": "duration"},
  "level": {"enum": [1, "high"]}, "flag": {"enum": [1, true]}}}
FILE
cat >program.py <<'PROGRAM'
import json
import jsonschema_rs
from model import Menu
from pydantic import ValidationError

validator = jsonschema_rs.validator_for(json.load(open("schema.json")), validate_formats=True)
whole = {"dish": "Fries", "store": 1}
cases = [whole, {"dish": "Fries"}]
values = {"price": [None, "5"], "pair": [["L", 2], [2, "L"], ["L", "L"]], "sizes": [[1, 1], None],
          "opens": ["12:30:00Z", "12:30"], "wait": ["PT5S", 5], "level": ["high", True], "flag": [True]}
cases += [{**whole, key: value} for key, tried in values.items() for value in tried]
for case in cases:
    try:
        model = Menu.model_validate_json(json.dumps(case))
        answer = ", ".join(repr(getattr(model, key)) for key in case if key not in whole) or "taken"
    except ValidationError as error:
        answer = "refused"
    print(json.dumps(case), "schema:", validator.is_valid(case), "model:", answer)
PROGRAM
{
  venv/bin/datamodel-codegen --input schema.json --output-model-type pydantic_v2.BaseModel --output model.py
  venv/bin/python program.py
} >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"dish": "Fries", "store": 1} schema: True model: taken
{"dish": "Fries"} schema: False model: taken
{"dish": "Fries", "store": 1, "price": null} schema: False model: None
{"dish": "Fries", "store": 1, "price": "5"} schema: False model: 5.0
{"dish": "Fries", "store": 1, "pair": ["L", 2]} schema: True model: ['L', 2.0]
{"dish": "Fries", "store": 1, "pair": [2, "L"]} schema: False model: [2.0, 'L']
{"dish": "Fries", "store": 1, "pair": ["L", "L"]} schema: False model: ['L', 'L']
{"dish": "Fries", "store": 1, "sizes": [1, 1]} schema: False model: [1, 1]
{"dish": "Fries", "store": 1, "sizes": null} schema: False model: None
{"dish": "Fries", "store": 1, "opens": "12:30:00Z"} schema: True model: datetime.time(12, 30, tzinfo=TzInfo(0))
{"dish": "Fries", "store": 1, "opens": "12:30"} schema: False model: datetime.time(12, 30)
{"dish": "Fries", "store": 1, "wait": "PT5S"} schema: True model: datetime.timedelta(seconds=5)
{"dish": "Fries", "store": 1, "wait": 5} schema: False model: datetime.timedelta(seconds=5)
{"dish": "Fries", "store": 1, "level": "high"} schema: True model: <Level.high: 'high'>
{"dish": "Fries", "store": 1, "level": true} schema: False model: <Level.int_1: 1>
{"dish": "Fries", "store": 1, "flag": true} schema: True model: <Flag.int_1: 1>
SEEN
echo "seen as described"
