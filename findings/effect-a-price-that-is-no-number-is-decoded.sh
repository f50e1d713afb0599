#!/usr/bin/env bash
# effect 4.1.0 (npm): Schema.NumberFromString decodes "free" and "1,5" to NaN and an empty text to 0, and no decoding fails;
# its BigDecimal reads an empty text as 0 and refuses "1,5". Half a day and half a month add nothing to a moment, half an
# hour does. The 30th of February is the second of March and "burger 5" the first of May 2001, as moments.
# Guess before the run: errors for what is no number and no day; half a day is twelve hours or refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TZ=UTC
npm install --silent --no-audit --no-fund --prefix . effect@4.1.0
cat >program.mjs <<'PROGRAM'
import { BigDecimal, DateTime, Schema } from "effect";

const attempt = (name, run) => {
  let answer;
  try {
    answer = run();
  } catch (error) {
    answer = "error";
  }
  console.log(name, "->", answer);
};
for (const text of ["8.50", "free", "1,5", "", "0x10"]) {
  attempt(`number ${JSON.stringify(text)}`, () => Schema.decodeUnknownSync(Schema.NumberFromString)(text));
  attempt(`decimal ${JSON.stringify(text)}`, () => BigDecimal.format(BigDecimal.fromStringUnsafe(text)));
}
const start = DateTime.makeUnsafe("2026-01-31T00:00:00Z");
for (const step of [{ hours: 0.5 }, { days: 0.5 }, { months: 1.5 }]) {
  attempt(JSON.stringify(step), () => DateTime.formatIso(DateTime.add(start, step)));
}
for (const text of ["2026-02-30", "burger 5", "2026-01-01T24:00:00Z"]) {
  attempt(text, () => DateTime.formatIso(DateTime.makeUnsafe(text)));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
number "8.50" -> 8.5
decimal "8.50" -> 8.5
number "free" -> NaN
decimal "free" -> error
number "1,5" -> NaN
decimal "1,5" -> error
number "" -> 0
decimal "" -> 0
number "0x10" -> 16
decimal "0x10" -> error
{"hours":0.5} -> 2026-01-31T00:30:00.000Z
{"days":0.5} -> 2026-01-31T00:00:00.000Z
{"months":1.5} -> 2026-02-28T00:00:00.000Z
2026-02-30 -> 2026-03-02T00:00:00.000Z
burger 5 -> 2001-05-01T00:00:00.000Z
2026-01-01T24:00:00Z -> 2026-01-02T00:00:00.000Z
SEEN
echo "seen as described"
