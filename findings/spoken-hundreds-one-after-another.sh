#!/usr/bin/env bash
# Libraries of npm that turn spoken numbers into digits, on two amounts said one after another: of "one hundred two
# hundred" words-to-numbers 1.5.1 makes 300 and compromise 14.17.0 makes 0; of "nineteen eighty four" compromise makes
# three numbers, and "a large fries" is "1 large fries" to words-to-numbers.
# Guess before the run: 100 and 200, and 1984 or 19 and 84.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . words-to-numbers@1.5.1 compromise@14.17.0
cat >program.mjs <<'PROGRAM'
import nlp from "compromise";
import words from "words-to-numbers";

for (const text of ["one hundred two hundred", "nineteen eighty four", "one twenty", "a large fries", "two and a half"]) {
  console.log(text);
  console.log("  words-to-numbers", words.wordsToNumbers(text));
  console.log("  compromise      ", nlp(text).numbers().json().map((found) => found.number.num).join(", "));
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
one hundred two hundred
  words-to-numbers 300
  compromise       0
nineteen eighty four
  words-to-numbers 19 84
  compromise       19, 80, 4
one twenty
  words-to-numbers 1 20
  compromise       120
a large fries
  words-to-numbers 1 large fries
  compromise       
two and a half
  words-to-numbers 2 and 1 half
  compromise       2.5
SEEN
echo "seen as described"
