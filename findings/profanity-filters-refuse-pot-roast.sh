#!/usr/bin/env bash
# Filters between a guest and an agent: better-profanity 0.7.0 (PyPI) finds a bad word in pot roast, rump steak, strip
# steak, organ meat, "fat free" and "jerk chicken"; obscenity 0.4.6 (npm) finds one inside shiitake, cumin and "assorted
# cheese", and bad-words 4.1.5 (npm) in "Bloody Mary" and "meat balls".
# Guess before the run: none of them, as lists of exceptions are there for such words.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'better-profanity==0.7.0'
npm install --silent --no-audit --no-fund --prefix . obscenity@0.4.6 bad-words@4.1.5
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json

from better_profanity import profanity

dishes = ["pot roast", "rump steak", "strip steak", "organ meat", "fat free", "jerk chicken", "shiitake", "cumin rice", "assorted cheese", "bloody mary", "meat balls", "hot dog"]
open("dishes.json", "w").write(json.dumps(dishes))
print("better-profanity:", ", ".join(dish for dish in dishes if profanity.contains_profanity(dish)))
PROGRAM
cat >program.mjs <<'PROGRAM'
import { readFileSync } from "fs";
import { Filter } from "bad-words";
import { RegExpMatcher, englishDataset, englishRecommendedTransformers } from "obscenity";

const dishes = JSON.parse(readFileSync("dishes.json"));
const matcher = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers });
const filter = new Filter();
console.log("obscenity:", dishes.filter((dish) => matcher.hasMatch(dish)).join(", "));
console.log("bad-words:", dishes.filter((dish) => filter.isProfane(dish)).join(", "));
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
better-profanity: pot roast, rump steak, strip steak, organ meat, fat free, jerk chicken
obscenity: shiitake, cumin rice, assorted cheese
bad-words: bloody mary, meat balls
SEEN
echo "seen as described"
