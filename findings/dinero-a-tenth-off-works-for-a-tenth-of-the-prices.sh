#!/usr/bin/env bash
# Dinero.js 2.0.2 (npm) takes a factor that is no integer where the product is one, and throws "Amount is invalid." where it
# is not: of the prices up to 10.00 a tenth works with 0.9, 46 in a thousand with 1.1, and half with 1.5. A test with a round
# price passes; the till throws at the first price of 9.99. A factor with a scale, { amount: 9, scale: 1 }, works for each.
# Guess before the run: a factor with a fraction is an error for every price.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . dinero.js@2.0.2
cat >program.mjs <<'PROGRAM'
import { dinero, multiply, toDecimal } from "dinero.js";
import { EUR } from "dinero.js/currencies";

const product = (cents, factor) => {
  try {
    return toDecimal(multiply(dinero({ amount: cents, currency: EUR }), factor));
  } catch (error) {
    return error.message;
  }
};
for (const factor of [0.9, 1.1, 1.5, { amount: 9, scale: 1 }]) {
  const products = Array.from({ length: 1000 }, (_, cents) => product(cents + 1, factor));
  const works = products.filter((text) => !text.includes("invalid"));
  console.log("times", JSON.stringify(factor), "| 10.00:", product(1000, factor), "| 9.99:", product(999, factor));
  console.log("  prices up to 10.00 that work:", works.length, "of 1000");
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
times 0.9 | 10.00: 9.00 | 9.99: [Dinero.js] Amount is invalid.
  prices up to 10.00 that work: 100 of 1000
times 1.1 | 10.00: 11.00 | 9.99: [Dinero.js] Amount is invalid.
  prices up to 10.00 that work: 46 of 1000
times 1.5 | 10.00: 15.00 | 9.99: [Dinero.js] Amount is invalid.
  prices up to 10.00 that work: 500 of 1000
times {"amount":9,"scale":1} | 10.00: 9.000 | 9.99: 8.991
  prices up to 10.00 that work: 1000 of 1000
SEEN
echo "seen as described"
