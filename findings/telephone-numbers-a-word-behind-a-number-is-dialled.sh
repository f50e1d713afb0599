#!/usr/bin/env bash
# Telephone numbers of customers by phonenumbers 9.0.43 (PyPI), google-libphonenumber 3.2.47 and libphonenumber-js 1.13.16
# (npm), all with the data of one library: 1-800-555-CAKE is a number of letters for the first two and +11800555 for the
# third; "2125550100 please" has seventeen digits for the first two, the letters dialled as on a telephone, and is a valid
# number for the third. Two numbers with "or" between them are one.
# Guess before the run: the same number or none from all three, and letters as digits in short words alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'phonenumbers==9.0.43'
npm install --silent --no-audit --no-fund --prefix . google-libphonenumber@3.2.47 libphonenumber-js@1.13.16
cat >numbers.json <<'NUMBERS'
["(212) 555-0100", "1-800-555-CAKE", "2125550100 please", "212 555 0100 or 0101", "212-555-0100 ext. 5"]
NUMBERS
venv/bin/python - >>seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json

import phonenumbers

for text in json.load(open("numbers.json")):
    number = phonenumbers.parse(text, "US")
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    print("phonenumbers", text, "->", written, "valid" if phonenumbers.is_valid_number(number) else "not valid")
PROGRAM
cat >program.mjs <<'PROGRAM'
import { readFileSync } from "fs";
import google from "google-libphonenumber";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";

const util = google.PhoneNumberUtil.getInstance();
const verdict = (valid) => (valid ? "valid" : "not valid");
for (const text of JSON.parse(readFileSync("numbers.json"))) {
  const number = util.parse(text, "US");
  console.log("google-libphonenumber", text, "->", util.format(number, google.PhoneNumberFormat.E164), verdict(util.isValidNumber(number)));
  const other = parsePhoneNumberFromString(text, "US");
  console.log("libphonenumber-js", text, "->", other ? `${other.number} ${verdict(other.isValid())}` : "none");
}
PROGRAM
TZ=UTC node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
phonenumbers (212) 555-0100 -> +12125550100 valid
phonenumbers 1-800-555-CAKE -> +18005552253 valid
phonenumbers 2125550100 please -> +12125550100753273 not valid
phonenumbers 212 555 0100 or 0101 -> +121255501000101 not valid
phonenumbers 212-555-0100 ext. 5 -> +12125550100 valid
google-libphonenumber (212) 555-0100 -> +12125550100 valid
libphonenumber-js (212) 555-0100 -> +12125550100 valid
google-libphonenumber 1-800-555-CAKE -> +18005552253 valid
libphonenumber-js 1-800-555-CAKE -> +11800555 not valid
google-libphonenumber 2125550100 please -> +12125550100753273 not valid
libphonenumber-js 2125550100 please -> +12125550100 valid
google-libphonenumber 212 555 0100 or 0101 -> +121255501000101 not valid
libphonenumber-js 212 555 0100 or 0101 -> none
google-libphonenumber 212-555-0100 ext. 5 -> +12125550100 valid
libphonenumber-js 212-555-0100 ext. 5 -> +12125550100 valid
SEEN
echo "seen as described"
