#!/usr/bin/env bash
# jsonschema 4.26.0 divides doubles for `multipleOf`: of the prices from 0.01 to 99.99, 1,363 are said to be no multiple of 0.01,
# among them 0.07 and 19.99, so a schema that asks for whole cents refuses right menus. fastjsonschema 2.22.3 and
# jsonschema-rs 0.61.2 take all of them, and all three refuse 1.005.
# Guess before the run: jsonschema and fastjsonschema, which are both Python, are wrong for the same prices.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'jsonschema==4.26.0' 'fastjsonschema==2.22.3' 'jsonschema-rs==0.61.2'
venv/bin/python - >seen <<'PROGRAM'
import fastjsonschema
import jsonschema
import jsonschema_rs

schema = {"multipleOf": 0.01}
plain = jsonschema.Draft202012Validator(schema)
fast = fastjsonschema.compile(schema)
rust = jsonschema_rs.validator_for(schema)


def takes(price: float) -> bool:
    try:
        fast(price)
    except fastjsonschema.JsonSchemaException:
        return False
    return True


prices = [cents / 100 for cents in range(1, 10_000)]
for name, is_valid in (("jsonschema", plain.is_valid), ("fastjsonschema", takes), ("jsonschema-rs", rust.is_valid)):
    refused = [price for price in prices if not is_valid(price)]
    print(name, "refuses", len(refused), refused[:4], "19.99", is_valid(19.99), "1.005", is_valid(1.005))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
jsonschema refuses 1363 [0.07, 0.14, 0.28, 0.29] 19.99 False 1.005 False
fastjsonschema refuses 0 [] 19.99 True 1.005 False
jsonschema-rs refuses 0 [] 19.99 True 1.005 False
SEEN
echo "seen as described"
