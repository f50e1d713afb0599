#!/usr/bin/env bash
# ruamel.yaml 0.19.1, read and written again with comments and formats kept: 12345678901234567890.123 becomes
# 12345678901234567168.000 and 100000000000000000000000.0 becomes 099999999999999991611392.0, with a zero in front, as the
# digits of the double are written in the width of the text; moments get six digits (10:00:00.12 becomes 10:00:00.120000). 1.10,
# 1_000 and 0x1f stay as they are.
# Guess before the run: a scalar that nobody changed is written as it was read.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check ruamel.yaml==0.19.1
venv/bin/python - >seen <<'PROGRAM'
import sys
from ruamel.yaml import YAML

yaml = YAML()
yaml.dump(yaml.load("""\
decimal: 12345678901234567890.123
large: 100000000000000000000000.0
moment: 2026-01-01 10:00:00.12
price: 1.10
thousand: 1_000
mask: 0x1f
"""), sys.stdout)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
decimal: 12345678901234567168.000
large: 099999999999999991611392.0
moment: 2026-01-01 10:00:00.120000
price: 1.10
thousand: 1_000
mask: 0x1f
SEEN
echo "seen as described"
