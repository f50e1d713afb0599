#!/usr/bin/env bash
# One file of YAML against one JSON Schema: a text 2026-11-30 is valid for check-jsonschema 0.39.0 (PyPI) and a moment, no
# text, for ajv-cli 5.0.0 and v8r 5.1.0 (npm); 12:30 is the integer 750 for ajv-cli alone and a text for the others; 1_000 is
# no integer for v8r, 0o17 none for ajv-cli, 2^63 is not above a maximum of 2^63-1 for ajv-cli and v8r, a key that is there
# twice passes ajv-cli, a text = is refused by check-jsonschema, and only it heeds "%YAML 1.1", under which yes is true.
# Guess before the run: the versions of YAML 1.2 agree, and ajv-cli, which reads by js-yaml as v8r does, agrees with v8r.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'check-jsonschema==0.39.0'
npm install --silent --no-audit --no-fund --prefix . ajv-cli@5.0.0 v8r@5.1.0 2>/dev/null
cat >schema.json <<'SCHEMA'
{
  "type": "object",
  "properties": { "count": { "type": "integer", "maximum": 9223372036854775807 }, "text": { "type": "string" } },
  "additionalProperties": false
}
SCHEMA
while IFS= read -r line; do
  printf '%b\n' "$line" >file.yaml
  venv/bin/check-jsonschema --schemafile schema.json file.yaml >/dev/null 2>&1 && first=valid || first=refused
  node_modules/.bin/ajv validate -s schema.json -d file.yaml >/dev/null 2>&1 && second=valid || second=refused
  node_modules/.bin/v8r -s schema.json file.yaml >/dev/null 2>&1 && third=valid || third=refused
  echo "$line: check-jsonschema $first, ajv-cli $second, v8r $third"
done >seen <<'LINES'
count: 5
text: 2026-11-30
text: 12:30
count: 12:30
count: 1_000
count: 0o17
count: 9223372036854775808
count: 1\ncount: 2
text: =
%YAML 1.1\n---\ntext: yes
text: yes
LINES
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
count: 5: check-jsonschema valid, ajv-cli valid, v8r valid
text: 2026-11-30: check-jsonschema valid, ajv-cli refused, v8r refused
text: 12:30: check-jsonschema valid, ajv-cli refused, v8r valid
count: 12:30: check-jsonschema refused, ajv-cli valid, v8r refused
count: 1_000: check-jsonschema valid, ajv-cli valid, v8r refused
count: 0o17: check-jsonschema valid, ajv-cli refused, v8r valid
count: 9223372036854775808: check-jsonschema refused, ajv-cli valid, v8r valid
count: 1\ncount: 2: check-jsonschema refused, ajv-cli valid, v8r refused
text: =: check-jsonschema refused, ajv-cli valid, v8r valid
%YAML 1.1\n---\ntext: yes: check-jsonschema refused, ajv-cli valid, v8r valid
text: yes: check-jsonschema valid, ajv-cli valid, v8r valid
SEEN
echo "seen as described"
