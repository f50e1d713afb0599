#!/usr/bin/env bash
# papaparse 5.7.1 (npm) with dynamicTyping reads 2026-02-30T00:00:00Z as 2 March, and csv-parse 7.0.3 with cast_date does too, and
# takes 1,5 and 0.1.2 for dates of 2001 and 2000: both leave the text to the Date of JavaScript. Date-times are converted by
# papaparse without being asked for dates.
# Guess before the run: the texts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . csv-parse@7.0.3 papaparse@5.7.1
cat >program.mjs <<'PROGRAM'
import { parse } from "csv-parse/sync";
import Papa from "papaparse";

process.env.TZ = "UTC";
const show = (value) => (value instanceof Date ? value.toISOString() : JSON.stringify(value));
for (const text of ["2026-02-30T00:00:00Z", "1,5", "0.1.2"]) {
  const table = `a;b\n${text};x`;
  const [row] = parse(table, { columns: true, cast: true, cast_date: true, delimiter: ";" });
  console.log(text, "| papaparse", show(Papa.parse(table, { header: true, dynamicTyping: true, delimiter: ";" }).data[0].a), "| csv-parse", show(row.a));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
2026-02-30T00:00:00Z | papaparse 2026-03-02T00:00:00.000Z | csv-parse 2026-03-02T00:00:00.000Z
1,5 | papaparse "1,5" | csv-parse 2001-01-05T00:00:00.000Z
0.1.2 | papaparse "0.1.2" | csv-parse 2000-01-02T00:00:00.000Z
SEEN
echo "seen as described"
