#!/usr/bin/env bash
# sarif-tools 3.0.5 counts a result that is suppressed, and one whose baselineState is "absent" (it is gone), as errors
# like any other in its summary, on which gates are built with --check.
# Guess before the run: suppressed ones counted, absent ones not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'sarif-tools==3.0.5'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json, subprocess

for extra in ({"suppressions": [{"kind": "inSource", "status": "accepted"}]}, {"baselineState": "absent"}, {"kind": "pass", "level": "none"}):
    result = {"ruleId": "r", "level": "error", "message": {"text": "m"}, **extra}
    with open("log.sarif", "w") as file:
        json.dump({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": [result]}]}, file)
    run = subprocess.run(["venv/bin/sarif", "--check", "error", "summary", "log.sarif"], capture_output=True, text=True)
    print(list(extra)[0], run.returncode, [line for line in run.stdout.splitlines() if line.startswith("error")])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
suppressions 1 ['error: 1']
baselineState 1 ['error: 1']
kind 0 ['error: 0']
SEEN
echo "seen as described"
