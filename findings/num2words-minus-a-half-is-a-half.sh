#!/usr/bin/env bash
# num2words 0.5.14: the words of -0.5 are those of 0.5; only numbers below -1 say their sign (in English, German, Spanish and
# French alike). As a currency, the integer 1 is one cent and the float 1.0 one euro.
# Guess before the run: "minus zero point five"; one euro for both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check num2words==0.5.14
venv/bin/python - >seen <<'PROGRAM'
from num2words import num2words

for language in ("en", "de", "es", "fr"):
    print(language, *(num2words(number, lang=language) for number in (0.5, -0.5, -1.5)), sep=" | ")
print(num2words(1, to="currency"), "|", num2words(1.0, to="currency"), "|", num2words(-0.5, to="currency"))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
en | zero point five | zero point five | minus one point five
de | null Komma fünf | null Komma fünf | minus eins Komma fünf
es | cero punto cinco | cero punto cinco | menos uno punto cinco
fr | zéro virgule cinq | zéro virgule cinq | moins un virgule cinq
zero euro, one cent | one euro, zero cents | minus zero euro, fifty cents
SEEN
echo "seen as described"
