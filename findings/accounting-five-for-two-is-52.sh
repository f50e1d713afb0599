#!/usr/bin/env bash
# Amounts of texts by accounting 0.4.1 and numbro 2.5.0 (npm): digits are put together over words, so `5 for 2` is 52, `1.2.3`
# is 1.2, free and a half are 0, `5-` is 5 in the first; a decimal comma is lost in both. A tenth of a cent less than nothing
# is -$.00 as a price of numbro, and 1.005 is 1.00 in the one and 1.01 in the other.
# Guess before the run: undefined or 0 for what is no amount; one rounding.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . accounting@0.4.1 numbro@2.5.0
cat >program.mjs <<'PROGRAM'
import accounting from "accounting";
import numbro from "numbro";

for (const text of ["5 for 2", "1.2.3", "free", "½", "5-", "1,5", "1.234,50", "(5.00)"]) console.log(text, "|", accounting.unformat(text), "|", numbro.unformat(text));
for (const amount of [1.005, 1.255, -0.001, -0.25]) console.log(amount, "|", accounting.formatMoney(amount), "|", numbro(amount).formatCurrency({ mantissa: 2 }));
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
5 for 2 | 52 | undefined
1.2.3 | 1.2 | undefined
free | 0 | undefined
½ | 0 | undefined
5- | 5 | undefined
1,5 | 15 | 15
1.234,50 | 1.2345 | 1.2345
(5.00) | -5 | -5
1.005 | $1.00 | $1.01
1.255 | $1.25 | $1.26
-0.001 | $-0.00 | -$.00
-0.25 | $-0.25 | -$0.25
SEEN
echo "seen as described"
