#!/usr/bin/env bash
# Money of stockholm 0.5.7 (PyPI) has a hundred sub-units in every currency: 150 sub-units of JPY are 1.50 JPY, and of
# KWD, which has a thousand, 1.50 too. An amount without a currency equals the same one in any currency, though two
# currencies differ, and 0 EUR equals 0 USD. py-moneyed 3.0 has the digits of ISO 4217.
# Guess before the run: 150 yen, and no equality without a currency.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'stockholm==0.5.7' 'py-moneyed==3.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from moneyed import Money as Other
from stockholm import Money

for currency in ("EUR", "JPY", "KWD"):
    whole = Money.from_sub_units(150, currency)
    print(currency, whole, Money("1.5", currency).sub_units, Other("1.5", currency).get_amount_in_sub_unit())
print(Money(1) == Money(1, "EUR"), Money(1) == Money(1, "USD"), Money(1, "EUR") == Money(1, "USD"))
print(Money(0, "EUR") == Money(0, "USD"), Other(0, "EUR") == Other(0, "USD"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
EUR 1.50 EUR 150 150
JPY 1.50 JPY 150 1
KWD 1.50 KWD 150 1500
True True False
True False
SEEN
echo "seen as described"
