#!/usr/bin/env bash
# 1234.5 yen and 0.125 dollars, written for people: Intl of JavaScript (ECMA-402, seen in Node 20.20.2) rounds halves away from
# zero, ¥1,235 and $0.13; Babel 2.19.0 and ICU itself (PyICU-binary 2.7.4) round them to the even digit, ¥1,234 and $0.12,
# although all three have the locale's data from CLDR, and Intl is made of ICU. A browser and a server show two totals for one
# amount.
# Guess before the run: one rounding, as one project's data and code are below all three.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check Babel==2.19.0 PyICU-binary==2.7.4
cat >amounts.json <<'AMOUNTS'
[["en", 1234.5, "JPY"], ["en", 1235.5, "JPY"], ["en", 0.125, "USD"], ["de", 2.375, "EUR"], ["de", 2.125, "EUR"]]
AMOUNTS
{
  venv/bin/python - <<'PROGRAM'
import json
import icu
from babel.numbers import format_currency

for locale, number, currency in json.load(open("amounts.json")):
    of_icu = icu.NumberFormat.createCurrencyInstance(icu.Locale(locale))
    of_icu.setCurrency(currency)
    print(number, "| Babel", format_currency(number, currency, locale=locale), "| ICU", of_icu.format(number))
PROGRAM
  node - <<'PROGRAM'
const amounts = JSON.parse(require("fs").readFileSync("amounts.json"));
for (const [locale, number, currency] of amounts) console.log(number, "| Intl", new Intl.NumberFormat(locale, { style: "currency", currency }).format(number));
PROGRAM
} >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1234.5 | Babel ¥1,234 | ICU ¥1,234
1235.5 | Babel ¥1,236 | ICU ¥1,236
0.125 | Babel $0.12 | ICU $0.12
2.375 | Babel 2,38 € | ICU 2,38 €
2.125 | Babel 2,12 € | ICU 2,12 €
1234.5 | Intl ¥1,235
1235.5 | Intl ¥1,236
0.125 | Intl $0.13
2.375 | Intl 2,38 €
2.125 | Intl 2,13 €
SEEN
echo "seen as described"
