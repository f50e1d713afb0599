#!/usr/bin/env bash
# Libraries that mend the JSON of language models: json-repair 0.64.6 (PyPI) reads 12:30 as 12, "1 000" as 1, 10% as 10 and
# $8.50 as 8.5, but 1,299 and 1/2 as texts; jsonrepair 3.15.0 (npm) refuses 12:30, "1 000", 1,299 and 1/2 and makes texts of
# 10% and $8.50. 007 is 7 for the one and "007" for the other.
# Guess before the run: both make texts of what is no number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'json-repair==0.64.6'
npm install --silent --no-audit --no-fund --prefix . jsonrepair@3.15.0
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json_repair

for value in ("12:30", "1 000", "10%", "$8.50", "1,299", "1/2", "007", "2026-11-30"):
    print("json-repair", value, repr(json_repair.loads('{"value": %s}' % value)["value"]))
PROGRAM
cat >program.mjs <<'PROGRAM'
import { jsonrepair } from "jsonrepair";

for (const value of ["12:30", "1 000", "10%", "$8.50", "1,299", "1/2", "007", "2026-11-30"]) {
  let seen = "refused";
  try {
    seen = JSON.stringify(JSON.parse(jsonrepair(`{"value": ${value}}`)).value);
  } catch {}
  console.log("jsonrepair", value, seen);
}
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
json-repair 12:30 12
json-repair 1 000 1
json-repair 10% 10
json-repair $8.50 8.5
json-repair 1,299 '1,299'
json-repair 1/2 '1/2'
json-repair 007 7
json-repair 2026-11-30 '2026-11-30'
jsonrepair 12:30 refused
jsonrepair 1 000 refused
jsonrepair 10% "10%"
jsonrepair $8.50 "$8.50"
jsonrepair 1,299 refused
jsonrepair 1/2 refused
jsonrepair 007 "007"
jsonrepair 2026-11-30 "2026-11-30"
SEEN
echo "seen as described"
