#!/usr/bin/env bash
# inflect 7.6.0: number_to_words("1/2") is twelve, and "1,5" fifteen: what is no digit is left out. What is plural is made
# plural once more (friess, hash brownss), and "no" refuses 1.5 burgers with the error of a type checker.
# Guess before the run: "one half" or an error; fries.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check inflect==7.6.0
venv/bin/python - >seen <<'PROGRAM'
import inflect

words = inflect.engine()
for text in ("1/2", "1,5", "2-3", "1 1/2"):
    print(text, "|", words.number_to_words(text))
print(words.plural_noun("fries", 2), words.plural_noun("hash brown", 2), words.plural_noun("hash browns", 2))
for count in (2, 1.5):
    try:
        print(words.no("burger", count))
    except Exception as error:
        print(count, type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1/2 | twelve
1,5 | fifteen
2-3 | twenty-three
1 1/2 | one hundred and twelve
friess hash browns hash brownss
2 burgers
1.5 TypeCheckError
SEEN
echo "seen as described"
