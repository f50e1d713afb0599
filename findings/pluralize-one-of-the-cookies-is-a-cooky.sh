#!/usr/bin/env bash
# pluralize 8.0.0 (npm): one of the cookies is a cooky, one of the smoothies a smoothy, one of the brownies a browny, and two
# are "glass of milks"; movies and zombies, which it knows by name, are right. 1.5, 0 and -1 are many.
# Guess before the run: cookie, smoothie, brownie.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . pluralize@8.0.0
cat >program.mjs <<'PROGRAM'
import pluralize from "pluralize";

for (const word of ["cookies", "smoothies", "brownies", "movies", "zombies"]) console.log(word, "|", pluralize(word, 1));
console.log(pluralize("glass of milk", 2), "|", ...[1.5, 0, -1].map((count) => pluralize("taco", count)));
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
cookies | cooky
smoothies | smoothy
brownies | browny
movies | movie
zombies | zombie
glass of milks | tacos tacos tacos
SEEN
echo "seen as described"
