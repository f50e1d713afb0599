#!/usr/bin/env bash
# tfparse 0.6.22 gives every number above 2^63 - 1 as 9223372036854775807, which is none of them: two different identifiers
# become equal. Terraform's numbers have 512 bits, and numbers below keep every digit.
# Guess before the run: a number, a float or a text, but one from which the number can be told.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'tfparse==0.6.22'
mkdir module
cat >module/main.tf <<'CONFIGURATION'
resource "demo_view" "numbers" {
  exact = 9007199254740993
  large = 12345678901234567890
  other = 98765432109876543210
  huge  = 1e400
}
CONFIGURATION
venv/bin/python - >seen <<'PROGRAM'
from tfparse import load_from_path

for resource in load_from_path("module").get("demo_view", []):
    print({name: resource[name] for name in ("exact", "large", "other", "huge")})
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{'exact': 9007199254740993, 'large': 9223372036854775807, 'other': 9223372036854775807, 'huge': 9223372036854775807}
SEEN
echo "seen as described"
