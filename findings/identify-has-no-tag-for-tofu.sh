#!/usr/bin/env bash
# identify 2.6.20 (PyPI), which pre-commit takes the types of files from, tags .tf and .tfvars as terraform and
# .tofutest.hcl as hcl, but main.tofu, OpenTofu's own ending, has no tag at all, not even text, until the file is there
# to be read. A .tf.json is JSON alone.
# Guess before the run: terraform for all of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'identify==2.6.20'
venv/bin/python - >seen <<'PROGRAM'
import pathlib
from identify import identify

for name in ("main.tf", "main.tofu", "main.tf.json", "main.tofu.json", "a.tfvars", "a.tofutest.hcl"):
    pathlib.Path(name).write_text("")
    print(name, sorted(identify.tags_from_filename(name)), sorted(identify.tags_from_path(name)))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
main.tf ['terraform', 'text'] ['file', 'non-executable', 'terraform', 'text']
main.tofu [] ['file', 'non-executable', 'text']
main.tf.json ['json', 'text'] ['file', 'json', 'non-executable', 'text']
main.tofu.json ['json', 'text'] ['file', 'json', 'non-executable', 'text']
a.tfvars ['terraform', 'text'] ['file', 'non-executable', 'terraform', 'text']
a.tofutest.hcl ['hcl', 'text'] ['file', 'hcl', 'non-executable', 'text']
SEEN
echo "seen as described"
