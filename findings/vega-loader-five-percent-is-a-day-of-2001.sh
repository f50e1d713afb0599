#!/usr/bin/env bash
# vega-loader 5.1.3 (npm) infers the types of a CSV: a column of 5% or $5 is one of moments in May 2001, `1 2` one in January;
# the 30th of February, here and in d3-dsv 3.0.2, is the 2nd of March. csvtojson 2.0.14 leaves each of them a text. 007 is 7
# in all three.
# Guess before the run: texts, but for what is a date or a number as a whole.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . vega-loader@5.1.3 d3-dsv@3.0.2 csvtojson@2.0.14
cat >program.mjs <<'PROGRAM'
import { read } from "vega-loader";
import { csvParse, autoType } from "d3-dsv";
import csvtojson from "csvtojson";

process.env.TZ = "UTC";
for (const cell of ["5%", "$5", "1 2", "2026-02-30", "2026-02-28", "007"]) {
  const file = `value\n${cell}\n`;
  const vega = read(file, { type: "csv", parse: "auto" })[0].value;
  const rows = await csvtojson({ checkType: true }).fromString(file);
  const written = [vega > 1e10 ? new Date(vega) : vega, csvParse(file, autoType)[0].value, rows[0].value].map((value) => JSON.stringify(value));
  console.log(cell, "|", written.join(" | "));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
5% | "2001-05-01T00:00:00.000Z" | "5%" | "5%"
$5 | "2001-05-01T00:00:00.000Z" | "$5" | "$5"
1 2 | "2001-01-02T00:00:00.000Z" | "1 2" | "1 2"
2026-02-30 | "2026-03-02T00:00:00.000Z" | "2026-03-02T00:00:00.000Z" | "2026-02-30"
2026-02-28 | "2026-02-28T00:00:00.000Z" | "2026-02-28T00:00:00.000Z" | "2026-02-28"
007 | 7 | 7 | 7
SEEN
echo "seen as described"
