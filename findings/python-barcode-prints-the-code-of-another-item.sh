#!/usr/bin/env bash
# The barcode of an item with one digit wrong, 4006381333930 (its check digit is 1): python-barcode 0.16.1 (PyPI) prints
# 4006381333931 without a word, of 17 digits it takes the first twelve, and a letter in the last place is no fault;
# jsbarcode 3.12.3 (npm) and bwip-js 4.11.4 (npm) refuse the wrong digit.
# Guess before the run: an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'python-barcode==0.16.1'
npm install --silent --no-audit --no-fund --prefix . jsbarcode@3.12.3 bwip-js@4.11.4
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import barcode

for code in ("4006381333931", "4006381333930", "40063813339319999", "400638133393A"):
    try:
        print("python-barcode", code, barcode.get("ean13", code).get_fullcode())
    except Exception as error:
        print("python-barcode", code, type(error).__name__)
PROGRAM
cat >program.mjs <<'PROGRAM'
import bwip from "bwip-js";
import JsBarcode from "jsbarcode";

for (const code of ["4006381333931", "4006381333930"]) {
  let valid;
  JsBarcode({}, code, { format: "EAN13", valid: (answer) => (valid = answer) });
  console.log("jsbarcode", code, valid ? "valid" : "refused");
  try {
    bwip.toSVG({ bcid: "ean13", text: code });
    console.log("bwip-js", code, "valid");
  } catch {
    console.log("bwip-js", code, "refused");
  }
}
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
python-barcode 4006381333931 4006381333931
python-barcode 4006381333930 4006381333931
python-barcode 40063813339319999 4006381333931
python-barcode 400638133393A 4006381333931
jsbarcode 4006381333931 valid
bwip-js 4006381333931 valid
jsbarcode 4006381333930 refused
bwip-js 4006381333930 refused
SEEN
echo "seen as described"
