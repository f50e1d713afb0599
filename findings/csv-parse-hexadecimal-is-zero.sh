#!/usr/bin/env bash
# csv-parse 7.0.3 (npm) with cast: true reads 0x1F and 0b101 as the number 0: what it tests as a number and what it converts with
# do not agree on these forms. Every identifier of this form becomes one value. papaparse 5.7.1 with dynamicTyping keeps the text.
# Guess before the run: 31 and 5 in csv-parse, text in papaparse.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . csv-parse@7.0.3 papaparse@5.7.1
cat >program.mjs <<'PROGRAM'
import { parse } from "csv-parse/sync";
import Papa from "papaparse";

const table = "id,name\n0x1F,a\n0x2A,b\n0b101,c\n";
console.log("csv-parse", JSON.stringify(parse(table, { columns: true, cast: true }).map((row) => row.id)));
console.log("papaparse", JSON.stringify(Papa.parse(table, { header: true, dynamicTyping: true, skipEmptyLines: true }).data.map((row) => row.id)));
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
csv-parse [0,0,0]
papaparse ["0x1F","0x2A","0b101"]
SEEN
echo "seen as described"
