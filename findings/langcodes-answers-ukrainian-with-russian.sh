#!/usr/bin/env bash
# langcodes 3.5.1: closest_match of uk (Ukrainian) among ru and en is ru, at distance 24 of the 25 that are taken by default;
# @formatjs/intl-localematcher 0.10.1 (npm), on the same data of CLDR, finds no match. For ca and br both choose the larger
# neighbour, es and fr.
# Guess before the run: no match for uk in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'langcodes==3.5.1' 'language-data==1.4.0'
npm install --silent --no-audit --no-fund --prefix . @formatjs/intl-localematcher@0.10.1
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import langcodes

for wished, available in (("uk", ["ru", "en"]), ("ca", ["es", "en"]), ("br", ["fr", "en"])):
    print("langcodes", wished, available, *langcodes.closest_match(wished, available))
PROGRAM
cat >program.mjs <<'PROGRAM'
import { match } from "@formatjs/intl-localematcher";

for (const [wished, available] of [["uk", ["ru", "en"]], ["ca", ["es", "en"]], ["br", ["fr", "en"]]])
  console.log("formatjs", wished, available.join(), match([wished], available, "und"));
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
langcodes uk ['ru', 'en'] ru 24
langcodes ca ['es', 'en'] es 20
langcodes br ['fr', 'en'] fr 20
formatjs uk ru,en und
formatjs ca es,en es
formatjs br fr,en fr
SEEN
echo "seen as described"
