#!/usr/bin/env bash
# python-hcl2 8.1.4 gives the number 1000 as an integer and 1.5 as a double, but 1e3, which HCL takes for the same number
# as 1000, as the text "${1e3}": that of an expression, which looks like one that only Terraform could evaluate.
# Guess before the run: 1e3 is a number as well, most likely a double.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'python-hcl2==8.1.4'
venv/bin/python - >seen <<'PROGRAM'
import hcl2

for number in ("1000", "1.5", "1e3", "1.5e3", "-2"):
    print(number, repr(hcl2.loads(f"count = {number}\n")["count"]))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1000 1000
1.5 1.5
1e3 '${1e3}'
1.5e3 '${1.5e3}'
-2 -2
SEEN
echo "seen as described"
