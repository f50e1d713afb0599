#!/usr/bin/env bash
# babel 2.19.0: negotiate_locale of pt among pt-BR and pt-PT is pt-PT, wherever it stands in the list. langcodes 3.5.1 answers
# pt-BR, and so do the likely subtags of CLDR, which babel ships as well: pt is pt_Latn_BR.
# Guess before the run: pt-BR, or none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'babel==2.19.0' 'langcodes==3.5.1' 'language-data==1.4.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import babel, langcodes

for available in (["pt-BR", "pt-PT"], ["pt-PT", "pt-BR"]):
    print(available, "| babel", babel.negotiate_locale(["pt"], available, sep="-"), "| langcodes", langcodes.closest_match("pt", available)[0])
print(babel.core.get_global("likely_subtags")["pt"])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
['pt-BR', 'pt-PT'] | babel pt-PT | langcodes pt-BR
['pt-PT', 'pt-BR'] | babel pt-PT | langcodes pt-BR
pt_Latn_BR
SEEN
echo "seen as described"
