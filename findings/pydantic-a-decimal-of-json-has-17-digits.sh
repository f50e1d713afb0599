#!/usr/bin/env bash
# pydantic 2.14.4 reads a number of JSON into a Decimal by way of a double where it has a fraction:
# 123456789.123456789123456789 keeps 17 digits, 12345678901234567890.5 is 12345678901234567000 (an integer gets zeros), 1e-400
# is 0, 1.10 is 1.1. The same digits in quotes, and integers of any length, are exact; msgspec 0.23.0 keeps all digits of all
# of them.
# Guess before the run: exact, as a Decimal is asked for, and as integers are.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pydantic==2.14.4 msgspec==0.23.0
venv/bin/python - >seen <<'PROGRAM'
from decimal import Decimal
import msgspec
from pydantic import TypeAdapter

for text in ("19.99", "1.10", "123456789.123456789123456789", '"123456789.123456789123456789"', "12345678901234567890", "12345678901234567890.5", "1e-400"):
    print(text, "|", TypeAdapter(Decimal).validate_json(text), "|", msgspec.json.decode(text, type=Decimal))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
19.99 | 19.99 | 19.99
1.10 | 1.1 | 1.10
123456789.123456789123456789 | 123456789.12345679 | 123456789.123456789123456789
"123456789.123456789123456789" | 123456789.123456789123456789 | 123456789.123456789123456789
12345678901234567890 | 12345678901234567890 | 12345678901234567890
12345678901234567890.5 | 12345678901234567000 | 12345678901234567890.5
1e-400 | 0 | 1E-400
SEEN
echo "seen as described"
