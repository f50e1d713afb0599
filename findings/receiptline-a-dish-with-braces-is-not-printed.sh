#!/usr/bin/env bash
# Receipts for kitchens and guests by receiptline 4.0.4 (npm), whose text has its own marks: "Coke {large} | 3" is not
# printed at all, a 12" pizza loses the sign of the inch, 7_Up is 7Up, A\B is A, "Fish ~ Chips" loses the sign, and ^Big^ is
# printed wide.
# Guess before the run: a mark without its partner is printed as it is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . receiptline@4.0.4
cat >program.mjs <<'PROGRAM'
import receiptline from "receiptline";

for (const line of ['12" Pizza | 8.50', "7_Up | 2.00", "A\\B | 1.00", "Fish ~ Chips | 9.00", "^Big^ Mac | 5.00", "Coke {large} | 3.00", "Coke (large) | 3.00"]) {
  const printed = receiptline.transform(line, { cpl: 32, encoding: "multilingual", spacing: false, command: "text" });
  console.log(line, "->", printed.trim() || "nothing");
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
12" Pizza | 8.50 -> 12 Pizza                    8.50
7_Up | 2.00 -> 7Up                         2.00
A\B | 1.00 -> A                           1.00
Fish ~ Chips | 9.00 -> Fish   Chips                9.00
^Big^ Mac | 5.00 -> B i g  Mac                  5.00
Coke {large} | 3.00 -> nothing
Coke (large) | 3.00 -> Coke (large)                3.00
SEEN
echo "seen as described"
