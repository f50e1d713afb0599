#!/usr/bin/env bash
# sarif-tools 3.0.5 ends in a KeyError for a SARIF log whose results name their rule by ruleIndex, or by rule.index, and
# leave ruleId out, which SARIF 2.1.0 (3.27.5) allows.
# Guess before the run: the id of the rule with that index.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'sarif-tools==3.0.5'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json, subprocess

def log(**reference):
    rules = [{"id": "first"}, {"id": "second"}]
    result = {"message": {"text": "m"}, **reference}
    return {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t", "rules": rules}}, "results": [result]}]}

for reference in ({"ruleId": "second"}, {"ruleIndex": 1}, {"rule": {"index": 1}}):
    with open("log.sarif", "w") as file:
        json.dump(log(**reference), file)
    run = subprocess.run(["venv/bin/sarif", "summary", "log.sarif"], capture_output=True, text=True)
    print(reference, run.returncode, (run.stderr.strip().splitlines() or [""])[-1])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{'ruleId': 'second'} 0 
{'ruleIndex': 1} 1 KeyError: 'ruleId'
{'rule': {'index': 1}} 1 KeyError: 'ruleId'
SEEN
echo "seen as described"
