#!/usr/bin/env bash
# python-hcl2 8.1.4 reads a Terraform file in which a block sets an argument twice, without a word: the last value counts.
# HCL's own parser, and so Terraform, refuses such a file. Two blocks of one name, which may repeat, are both kept.
# Guess before the run: the second argument is an error, as it is in Terraform.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'python-hcl2==8.1.4'
venv/bin/python - >seen <<'PROGRAM'
import hcl2

twice = 'sync_config {\n  cron = "0 4 * * *"\n  cron = "0 5 * * *"\n}\n'
blocks = 'sync_config {\n  cron = "0 4 * * *"\n}\nsync_config {\n  cron = "0 5 * * *"\n}\n'
for text in (twice, blocks):
    print([block["cron"] for block in hcl2.loads(text)["sync_config"]])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
['"0 5 * * *"']
['"0 4 * * *"', '"0 5 * * *"']
SEEN
echo "seen as described"
