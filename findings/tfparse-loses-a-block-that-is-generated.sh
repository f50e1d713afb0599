#!/usr/bin/env bash
# tfparse 0.6.22 (trivy's evaluation of Terraform) generates the blocks of a dynamic block, but where one that is written out
# follows it in the same resource, all generated ones but the first are gone. With the written one in front, all are there.
# Guess before the run: both resources have three blocks, in the order of the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'tfparse==0.6.22'
mkdir module
cat >module/main.tf <<'CONFIGURATION'
resource "demo_view" "generated_first" {
  dynamic "column" {
    for_each = ["a", "b"]
    content { name = column.value }
  }
  column { name = "c" }
}
resource "demo_view" "written_first" {
  column { name = "c" }
  dynamic "column" {
    for_each = ["a", "b"]
    content { name = column.value }
  }
}
CONFIGURATION
venv/bin/python - >seen <<'PROGRAM'
from tfparse import load_from_path

for resource in load_from_path("module").get("demo_view", []):
    print(resource["__tfmeta"]["path"], [column["name"] for column in resource["column"]])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
demo_view.generated_first ['c', 'a']
demo_view.written_first ['c', 'a', 'b']
SEEN
echo "seen as described"
