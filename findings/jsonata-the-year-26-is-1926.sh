#!/usr/bin/env bash
# A year of two digits belongs to the century before in JSONata 2.2.2 (npm): $toMillis("11/30/26", "[M]/[D]/[Y]") is in
# 1926, with [Y01] too, where $fromMillis writes 2026 as 26 by the same picture. Dates of menus go back a hundred years
# on a way there and back.
# Guess before the run: 2026, or an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . jsonata@2.2.2
cat >program.mjs <<'PROGRAM'
import jsonata from "jsonata";

for (const text of ["$fromMillis(1796083200000, '[M01]/[D01]/[Y01]')", "$fromMillis($toMillis('11/30/26', '[M]/[D]/[Y]'))", "$fromMillis($toMillis('11/30/26', '[M]/[D]/[Y01]'))"]) {
  console.log(text, "->", await jsonata(text).evaluate({}));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
$fromMillis(1796083200000, '[M01]/[D01]/[Y01]') -> 12/01/26
$fromMillis($toMillis('11/30/26', '[M]/[D]/[Y]')) -> 1926-11-30T00:00:00.000Z
$fromMillis($toMillis('11/30/26', '[M]/[D]/[Y01]')) -> 1926-11-30T00:00:00.000Z
SEEN
echo "seen as described"
