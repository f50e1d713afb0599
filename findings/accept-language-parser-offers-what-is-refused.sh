#!/usr/bin/env bash
# accept-language-parser 1.5.0 (npm) picks a language that the customer refuses with q=0, even where another is accepted;
# negotiator 1.1.0 does not, as the meaning of q=0 in HTTP asks.
# Guess before the run: fr for the first, nothing for the second, in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . accept-language-parser@1.5.0 negotiator@1.1.0
cat >program.mjs <<'PROGRAM'
import parser from "accept-language-parser";
import Negotiator from "negotiator";

for (const header of ["de;q=0, fr;q=0", "de;q=0", "de;q=0, *;q=0.5"]) {
  const wished = new Negotiator({ headers: { "accept-language": header } });
  console.log(header, "| accept-language-parser", parser.pick(["de", "fr"], header), "| negotiator", wished.language(["de", "fr"]));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
de;q=0, fr;q=0 | accept-language-parser de | negotiator undefined
de;q=0 | accept-language-parser de | negotiator undefined
de;q=0, *;q=0.5 | accept-language-parser de | negotiator fr
SEEN
echo "seen as described"
