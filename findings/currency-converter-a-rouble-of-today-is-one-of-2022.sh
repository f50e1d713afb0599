#!/usr/bin/env bash
# CurrencyConverter 0.18.23 (PyPI, rates of the European Central Bank, with its own table): without a date it takes the last
# rate that each currency has, whatever its age: roubles are converted at the rate of 1 March 2022, kroons of Estonia at that
# of 2010. With today's date the same question is an error. A tenth of a yen in yen is not a tenth.
# Guess before the run: an error for a currency whose rates have ended, as for a date without a rate.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'CurrencyConverter==0.18.23'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime

from currency_converter import CurrencyConverter, RateNotFoundError

converter = CurrencyConverter()
for currency in ("USD", "RUB", "EEK"):
    last = converter.bounds[currency].last_date
    print("100", currency, "are", round(converter.convert(100, currency, "EUR"), 2), "EUR, at the rate of", last)
try:
    print(converter.convert(100, "RUB", "EUR", date=datetime.date(2026, 10, 30)))
except RateNotFoundError as error:
    print(error)
print("0.1 JPY are", converter.convert(0.1, "JPY", "JPY"), "JPY")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
100 USD are 89.51 EUR, at the rate of 2026-10-30
100 RUB are 0.85 EUR, at the rate of 2022-03-01
100 EEK are 6.39 EUR, at the rate of 2010-12-31
2026-10-30 not in RUB bounds 2005-04-01/2022-03-01
0.1 JPY are 0.10000000000000002 JPY
SEEN
echo "seen as described"
