#!/usr/bin/env bash
# In a table of @point-of-sale/receipt-printer-encoder 4.0.1 (npm) a cell that is a number leaves a blank, without an
# error: the receipt has the dish and no price. A price that is a text and one character wider than its column goes on
# in the next line, so that 1234.50 reads as 1234.5 and a 0 below, and 12345.67 as 12345. and 67.
# Guess before the run: the number as a text, and no break inside of a word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @point-of-sale/receipt-printer-encoder@4.0.1
cat >program.mjs <<'PROGRAM'
import ReceiptPrinterEncoder from "@point-of-sale/receipt-printer-encoder";

for (const price of ["2.50", 2.5, "1234.50", "12345.67"]) {
  const encoder = new ReceiptPrinterEncoder({ language: "esc-pos", columns: 32 });
  const bytes = encoder.table([{ width: 8, align: "left" }, { width: 6, align: "right" }], [["Banquet", price]]).encode();
  const lines = Buffer.from(bytes).toString("latin1").replace(/\x1b[\s\S]{2}|\r/g, "").split("\n").filter((line) => line.trim());
  console.log(JSON.stringify(price), "->", JSON.stringify(lines));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
"2.50" -> ["Banquet   2.50"]
2.5 -> ["Banquet       "]
"1234.50" -> ["Banquet 1234.5","             0"]
"12345.67" -> ["Banquet 12345.","            67"]
SEEN
echo "seen as described"
