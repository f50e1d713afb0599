#!/usr/bin/env bash
# A quantity that must be one of 1 and 2, and the value true: cerberus 1.3.8, voluptuous 0.16.0, schema 0.7.8, marshmallow
# 4.4.0 and yamale 6.1.0 (PyPI) take it, as true equals 1 in Python, though schema, marshmallow and yamale refuse it for an
# integer. jsonschema 4.26.0 and msgspec 0.23.0 refuse both; pykwalify 1.8.0 refuses it for its type. voluptuous reads a
# list with anything in it as the boolean true.
# Guess before the run: what is no integer is not one of the integers 1 and 2.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'yamale==6.1.0' 'pykwalify==1.8.0' 'voluptuous==0.16.0' \
  'marshmallow==4.4.0' 'schema==0.7.8' 'cerberus==1.3.8' 'jsonschema==4.26.0' 'msgspec==0.23.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import logging
from typing import Literal

import cerberus
import jsonschema
import marshmallow
import msgspec
import pykwalify.core
import schema
import voluptuous
import yamale

logging.disable(logging.CRITICAL)
fields, one_of = marshmallow.fields, marshmallow.validate.OneOf([1, 2])


def by_yamale(rule):
    yamale.validate(yamale.make_schema(content=rule), [(True, "file")])


def by_cerberus(rule):
    assert cerberus.Validator({"q": rule}).validate({"q": True})


def by_pykwalify(rule):
    pykwalify.core.Core(source_data={"q": True}, schema_data={"type": "map", "mapping": {"q": rule}}).validate()


checks = {
    "cerberus": (lambda: by_cerberus({"type": "integer"}), lambda: by_cerberus({"allowed": [1, 2]})),
    "voluptuous": (lambda: voluptuous.Schema(int)(True), lambda: voluptuous.Schema(voluptuous.In([1, 2]))(True)),
    "schema": (lambda: schema.Schema(int).validate(True), lambda: schema.Schema(schema.Or(1, 2)).validate(True)),
    "marshmallow": (lambda: fields.Int().deserialize(True), lambda: fields.Raw(validate=one_of).deserialize(True)),
    "yamale": (lambda: by_yamale("int()"), lambda: by_yamale("enum(1, 2)")),
    "pykwalify": (lambda: by_pykwalify({"type": "int"}), lambda: by_pykwalify({"type": "int", "enum": [1, 2]})),
    "jsonschema": (lambda: jsonschema.validate(True, {"type": "integer"}), lambda: jsonschema.validate(True, {"enum": [1, 2]})),
    "msgspec": (lambda: msgspec.convert(True, int), lambda: msgspec.convert(True, Literal[1, 2])),
}
for name, pair in checks.items():
    seen = []
    for check in pair:
        try:
            check()
            seen.append("valid")
        except Exception:
            seen.append("refused")
    print(name, "integer:", seen[0], "one of 1 and 2:", seen[1])
print("voluptuous Boolean of a list:", voluptuous.Boolean()(["no"]))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
cerberus integer: valid one of 1 and 2: valid
voluptuous integer: valid one of 1 and 2: valid
schema integer: refused one of 1 and 2: valid
marshmallow integer: refused one of 1 and 2: valid
yamale integer: refused one of 1 and 2: valid
pykwalify integer: refused one of 1 and 2: refused
jsonschema integer: refused one of 1 and 2: refused
msgspec integer: refused one of 1 and 2: refused
voluptuous Boolean of a list: True
SEEN
echo "seen as described"
