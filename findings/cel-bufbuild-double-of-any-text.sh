#!/usr/bin/env bash
# @bufbuild/cel 0.6.1 converts a text that is no number to NaN or 0 with double(): no error, while int() of the same text
# is one. A condition such as double(session.metadata.total) > 5.0 is false instead of an error, and of "" it compares 0.
# The specification of CEL has an error for both.
# Guess before the run: an error for each.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @bufbuild/cel@0.6.1
cat >program.mjs <<'PROGRAM'
import { run } from "@bufbuild/cel";

for (const text of ['double("abc")', 'double("1_0")', 'double("inf")', 'double("")', 'int("abc")']) {
  const value = run(text, {});
  console.log(text, value instanceof Error || typeof value === "object" ? "error" : value);
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
double("abc") NaN
double("1_0") NaN
double("inf") NaN
double("") 0
int("abc") error
SEEN
echo "seen as described"
