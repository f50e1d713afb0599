#!/usr/bin/env bash
# The hook sort-simple-yaml of pre-commit-hooks 6.0.0 (PyPI) sorts the blocks between empty lines, also those within a text:
# the second paragraph of a greeting moves to the top of the file, which no reader takes any more. Where an anchor stands in
# an earlier block than its alias, the alias may come first. It ends as any fix does.
# Guess before the run: texts of several lines stay together, or the file is refused as not simple.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pre-commit-hooks==6.0.0'
printf 'greeting: |\n  Welcome.\n\n  And what would you like?\nagent: order\n' >channel.yaml
printf 'views: &defaults\n  ttl: 60\n\nclicks: *defaults\n' >views.yaml
venv/bin/sort-simple-yaml channel.yaml views.yaml >output || true
cat channel.yaml views.yaml >seen
for name in channel.yaml views.yaml; do
  venv/bin/check-yaml "$name" >/dev/null && echo "$name is YAML" || echo "$name is no YAML"
done >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
  And what would you like?
agent: order

greeting: |
  Welcome.
clicks: *defaults

views: &defaults
  ttl: 60
channel.yaml is no YAML
views.yaml is no YAML
SEEN
echo "seen as described"
