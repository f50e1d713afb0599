#!/usr/bin/env bash
# Amounts of money are kept by ISO 4217, forints and Colombian pesos with two digits and Iraqi dinars with three, and written by
# CLDR, with none: 1250.50 forints of dinero.js 2.0.2 are HUF 1,251 to Intl of node 20, and those of py-moneyed 3.0 HUF1,250 to its
# own format_money, which is babel 2.19.0's and rounds half to even. The parts of a bill need not add up to what is written as its sum.
# Guess before the run: two digits for forints and pesos, three for dinars.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . dinero.js@2.0.2
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'py-moneyed==3.0' 'babel==2.19.0'
cat >program.js <<'PROGRAM'
const { COP, HUF, IQD, USD, dinero, toDecimal } = require("dinero.js");

const written = ({ value, currency }) =>
  Number(value).toLocaleString("en-US", { style: "currency", currency: currency.code, currencyDisplay: "code" });
for (const [amount, currency] of [[125050, USD], [125050, HUF], [125050, COP], [1250500, IQD]]) {
  const money = dinero({ amount, currency });
  console.log("dinero.js", toDecimal(money), toDecimal(money, written).replace("\u00a0", " "));
}
PROGRAM
node program.js >seen
venv/bin/python - >>seen <<'PROGRAM'
from moneyed import Money
from moneyed.l10n import format_money

for code in ("USD", "HUF", "COP", "IQD"):
    money = Money("1250.50", code)
    print("py-moneyed", money.get_amount_in_sub_unit(), format_money(money, locale="en_US"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
dinero.js 1250.50 USD 1,250.50
dinero.js 1250.50 HUF 1,251
dinero.js 1250.50 COP 1,251
dinero.js 1250.500 IQD 1,251
py-moneyed 125050 $1,250.50
py-moneyed 125050 HUF1,250
py-moneyed 125050 COP1,250
py-moneyed 1250500 IQD1,250
SEEN
echo "seen as described"
