#!/usr/bin/env bash
# iso8601-duration 2.1.4 (npm) takes the sign of a duration and loses it: -P1D is a day, as P1D is. It and tinyduration
# 3.4.1 (npm) take P1M1Y, units in the wrong order, and lose the year; P1DT, a T with nothing behind it, is a day to
# both.
# Guess before the run: a negative duration or an error; an error for wrong order and for a bare T.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . iso8601-duration@2.1.4 tinyduration@3.4.1
cat >program.mjs <<'PROGRAM'
import * as iso from "iso8601-duration";
import * as tiny from "tinyduration";

const tried = (read) => {
  try {
    return JSON.stringify(read());
  } catch (error) {
    return "refused";
  }
};
for (const text of ["P1D", "-P1D", "P1M1Y", "P1DT", "P1.5D", "PT1.5S"]) {
  console.log(text, "iso8601-duration", tried(() => iso.toSeconds(iso.parse(text))));
  console.log(text, "tinyduration    ", tried(() => tiny.parse(text)));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
P1D iso8601-duration 86400
P1D tinyduration     {"days":1}
-P1D iso8601-duration 86400
-P1D tinyduration     {"days":1,"negative":true}
P1M1Y iso8601-duration 2592000
P1M1Y tinyduration     {"months":1}
P1DT iso8601-duration 86400
P1DT tinyduration     {"days":1}
P1.5D iso8601-duration refused
P1.5D tinyduration     {"days":1.5}
PT1.5S iso8601-duration 1.5
PT1.5S tinyduration     {"seconds":1.5}
SEEN
echo "seen as described"
