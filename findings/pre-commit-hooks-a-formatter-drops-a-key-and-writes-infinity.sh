#!/usr/bin/env bash
# Hooks for JSON of pre-commit-hooks 6.0.0 (PyPI): pretty-format-json with --autofix writes other numbers than it read: 1.10
# is 1.1, of 22 digits 17 are left, and 1e400 becomes Infinity, which is not JSON, though check-json takes it. Of a key that
# is there twice, which check-json refuses, it keeps the last, so that the fault is gone and nobody was told.
# Guess before the run: fewer digits; a key that is there twice is refused, as by the hook beside it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pre-commit-hooks==6.0.0'
check() { venv/bin/check-json "$1" >/dev/null && echo "$1 is taken by check-json" || echo "$1 is refused by check-json"; }
printf '{"price": 1.10, "rate": 0.1234567890123456789012, "limit": 1e400, "count": 1E2}' >numbers.json
printf '{"price": 1, "price": 2}' >twice.json
{
  check twice.json
  venv/bin/pretty-format-json --autofix --no-sort-keys numbers.json twice.json >/dev/null || true
  cat numbers.json twice.json
  check numbers.json
  check twice.json
  node -e 'try { JSON.parse(require("fs").readFileSync("numbers.json")) } catch (error) { console.log("node:", error.name) }'
} >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
twice.json is refused by check-json
{
  "price": 1.1,
  "rate": 0.12345678901234568,
  "limit": Infinity,
  "count": 100.0
}
{
  "price": 2
}
numbers.json is taken by check-json
twice.json is taken by check-json
node: SyntaxError
SEEN
echo "seen as described"
