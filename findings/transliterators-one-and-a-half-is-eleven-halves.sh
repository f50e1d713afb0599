#!/usr/bin/env bash
# Names of a menu in plain ASCII: of 1½ text-unidecode 1.3 and anyascii 0.3.3 (PyPI) make 11/2, eleven halves, and of 2¾ 23/4;
# Unidecode 1.4.0 writes the blank, 1 1/2. All three make 102 of 10². A price of ₹100 is Rs100, or 100 behind [?]; of 5×2
# anyascii makes 5*2, and ① is nothing for text-unidecode.
# Guess before the run: 1 1/2 from all three.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'Unidecode==1.4.0' 'text-unidecode==1.3' 'anyascii==0.3.3'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import anyascii
import text_unidecode
import unidecode

for text in ("1½", "2¾ l", "½", "10²", "₹100", "€5", "5×2", "①"):
    forms = unidecode.unidecode(text), text_unidecode.unidecode(text), anyascii.anyascii(text)
    print(text, *(repr(form) for form in forms), sep=" | ")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1½ | '1 1/2' | '11/2' | '11/2'
2¾ l | '2 3/4 l' | '23/4 l' | '23/4 l'
½ | ' 1/2' | '1/2' | '1/2'
10² | '102' | '102' | '102'
₹100 | 'Rs100' | '[?]100' | 'Rs100'
€5 | 'EUR5' | 'EUR5' | 'EUR5'
5×2 | '5x2' | '5x2' | '5*2'
① | '1' | '' | '1'
SEEN
echo "seen as described"
