#!/usr/bin/env bash
# The normalizer that scores and prepares transcripts, whisper-normalizer 0.1.15 (PyPI): "one and a half pizzas" becomes
# "one.5 pizzas" and "$1.20" becomes "one.20", for a number 1 is made the word "one" in the end; "five o'clock" becomes "50
# clock", "one one and one two" becomes "11 and 12", and what stands in brackets is removed: "two burgers (no onions)" are
# two burgers.
# Guess before the run: "1.5 pizzas", "$1.20", "5 o'clock" and the words of the brackets.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'whisper-normalizer==0.1.15'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from whisper_normalizer.english import EnglishTextNormalizer

normalize = EnglishTextNormalizer()
for text in (
    "one and a half pizzas",
    "two and a half pizzas",
    "it is $1.20",
    "at five o'clock",
    "a table at one one and one two",
    "two burgers (no onions) please",
    "half & half",
):
    print(text, "->", normalize(text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
one and a half pizzas -> one.5 pizzas
two and a half pizzas -> 2.5 pizzas
it is $1.20 -> it is one.20
at five o'clock -> at 50 clock
a table at one one and one two -> a table at 11 and 12
two burgers (no onions) please -> 2 burgers please
half & half -> half half
SEEN
echo "seen as described"
