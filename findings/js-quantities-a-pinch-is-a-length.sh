#!/usr/bin/env bash
# Words of recipes that js-quantities 1.8.0 (npm) does not know as units are read as prefixes and other units, without
# an error: a pinch is a picoinch, and 12 fl oz are femtolitres times ounces, which convert to no volume; floz is the
# fluid ounce. ML is a megalitre and Mg a ton, so that the case of a letter is a factor of a billion.
# Guess before the run: an error for the pinch, a volume for the fluid ounces.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . js-quantities@1.8.0
cat >program.mjs <<'PROGRAM'
import Qty from "js-quantities";

for (const text of ["1 pinch", "12 fl oz", "12 floz", "250 ml", "250 ML", "1 mg", "1 Mg"]) {
  const quantity = new Qty(text);
  console.log(text, "->", quantity.toBase().toString(), quantity.kind(), quantity.isCompatible("l") ? "volume" : "no volume");
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1 pinch -> 2.54e-14 m length no volume
12 fl oz -> 3.4019427720000003e-19 m3*kg undefined no volume
12 floz -> 0.0003548823564 m3 volume volume
250 ml -> 0.00025 m3 volume volume
250 ML -> 250000 m3 volume volume
1 mg -> 0.000001 kg mass no volume
1 Mg -> 1000 kg mass no volume
SEEN
echo "seen as described"
