#!/usr/bin/env bash
# ssml-check 0.4.6 (npm) on speech of SSML 1.1: a break without a time, which the recommendation allows, is an `unknown
# error`, as is an emphasis without a level, one called `none`; a time of .5s and a rate of +20% are refused, 1.5s and 150%
# are not; an amount read as currency passes for each vendor, and not for all of them.
# Guess before the run: all of these are valid.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . ssml-check@0.4.6
cat >program.mjs <<'PROGRAM'
import ssml from "ssml-check";

const texts = [
  "<break/>", '<break time="1.5s"/>', '<break time=".5s"/>', "<emphasis>now</emphasis>", '<prosody rate="150%">now</prosody>', '<prosody rate="+20%">now</prosody>',
  '<say-as interpret-as="currency">$5</say-as>',
];
for (const text of texts) {
  const answers = [];
  for (const platform of ["amazon", "google", "all"]) {
    const errors = await ssml.check(`<speak>${text}</speak>`, { platform });
    answers.push(errors ? errors.map((error) => [error.type, error.attribute, error.value].filter(Boolean).join(" ")).join(", ") : "valid");
  }
  console.log(text, "|", answers.join(" | "));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
<break/> | unknown error | unknown error | unknown error
<break time="1.5s"/> | valid | valid | valid
<break time=".5s"/> | tag time .5s | tag time .5s | tag time .5s
<emphasis>now</emphasis> | tag none | tag none | tag none
<prosody rate="150%">now</prosody> | valid | valid | valid
<prosody rate="+20%">now</prosody> | tag rate +20% | tag rate +20% | tag rate +20%
<say-as interpret-as="currency">$5</say-as> | valid | valid | tag interpret-as currency
SEEN
echo "seen as described"
