#!/usr/bin/env bash
# tfparse 0.6.22 leaves out a resource whose for_each is not known before a plan, as if it were empty; one whose count is not
# known is there once, under the key 0, so a count of resources says one of each kind of unknown and none of the other.
# Guess before the run: what is not known is kept in both, with its keys unknown.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'tfparse==0.6.22'
mkdir module
cat >module/main.tf <<'CONFIGURATION'
resource "demo_view" "unknown_keys" {
  for_each = data.demo_list.all.names
  cron     = "0 3 * * *"
}
resource "demo_view" "unknown_count" {
  count = data.demo_list.all.size
  cron  = "0 3 * * *"
}
CONFIGURATION
venv/bin/python - >seen <<'PROGRAM'
from tfparse import load_from_path

for resource in load_from_path("module").get("demo_view", []):
    print(resource["__tfmeta"]["path"], resource["cron"])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
demo_view.unknown_count[0] 0 3 * * *
SEEN
echo "seen as described"
