#!/usr/bin/env bash
# pysarif 0.1.0: a result without a level, whose rule says "note" by default, is a warning after a load and a save: the class
# fills in "warning" and writes it. The property bags of log, run and result are empty. sarif-pydantic 0.6.2 keeps them, and
# leaves the level absent, so that the rule's own applies.
# Guess before the run: the log as it was.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pysarif==0.1.0' 'sarif-pydantic==0.6.2'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json

import pysarif, sarif_pydantic

rule = {"id": "r", "defaultConfiguration": {"level": "note"}}
result = {"ruleId": "r", "ruleIndex": 0, "message": {"text": "m"}, "properties": {"key": "orders"}}
run = {"tool": {"driver": {"name": "t", "rules": [rule]}}, "results": [result], "properties": {"team": "menu"}}
log = {"version": "2.1.0", "runs": [run], "properties": {"build": 1}}
with open("log.sarif", "w") as file:
    json.dump(log, file)

pysarif.save_to_file(pysarif.load_from_file("log.sarif"), "saved.sarif")
with open("saved.sarif") as file:
    saved = json.load(file)
copied = json.loads(sarif_pydantic.Sarif.model_validate(log).model_dump_json(by_alias=True, exclude_none=True))
for name, now in {"pysarif": saved, "sarif-pydantic": copied}.items():
    found = now["runs"][0]["results"][0]
    print(name, found.get("level"), found.get("properties"), now["runs"][0].get("properties"), now.get("properties"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pysarif warning {} {} {}
sarif-pydantic None {'key': 'orders'} {'team': 'menu'} {'build': 1}
SEEN
echo "seen as described"
