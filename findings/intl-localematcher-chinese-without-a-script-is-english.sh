#!/usr/bin/env bash
# @formatjs/intl-localematcher 0.10.1 (npm), best fit, languages offered: Traditional Chinese and English. A customer who asks for
# "zh" hears English, as one who asks for Ukrainian where Russian is offered; one who asks for "zh-HK" hears Traditional Chinese.
# One who asks for Catalan hears Spanish, and for "no" Bokmål.
# Guess before the run: Chinese in the other script is nearer to "zh" than English.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @formatjs/intl-localematcher@0.10.1
cat >program.mjs <<'PROGRAM'
import { match } from "@formatjs/intl-localematcher";

for (const [wanted, offered] of [
  ["zh", ["zh-Hant", "en"]],
  ["zh-HK", ["zh-Hant", "en"]],
  ["zh-TW", ["zh-Hans", "en"]],
  ["uk", ["ru", "en"]],
  ["ca", ["es", "en"]],
  ["no", ["nb", "en"]],
]) {
  console.log(wanted, offered.join(" "), "is", match([wanted], offered, "en", { algorithm: "best fit" }));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
zh zh-Hant en is en
zh-HK zh-Hant en is zh-Hant
zh-TW zh-Hans en is en
uk ru en is en
ca es en is es
no nb en is nb
SEEN
echo "seen as described"
