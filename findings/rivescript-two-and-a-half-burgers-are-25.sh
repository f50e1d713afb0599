#!/usr/bin/env bash
# A bot in RiveScript, rivescript 2.2.1 (npm) and 1.15.0 (PyPI) in UTF-8 mode: points are taken out of what a guest says
# before it is matched, so "I want 2.5 burgers" are 25 and "price 5.50" is 550, while -2 and a half sign match no number and
# $5 no price. Sums of 1.5 add 15. In {uppercase} the name of the guest is <GET NAME> in JavaScript and undefined in Python,
# and {sentence} makes small letters in Python alone.
# Guess before the run: 2.5 is no number, so it does not match, or it is 2.5; one answer of both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . rivescript@2.2.1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'rivescript==1.15.0'
cat >menu.rive <<'FILE'
! version = 2.0

+ i want # burgers
- <star> burgers

+ price #
- price <star>

+ start at #
- <set sum=<star>>sum <get sum>

+ add *
- <add sum=<star>>sum <get sum>

+ my name is *
- <set name=<star>>ok

+ who am i
- {uppercase}<get name>{/uppercase}, {sentence}MAC and cheese{/sentence}

+ *
- none: <star>
FILE
cat >said.json <<'FILE'
["I want 2 burgers", "I want 2.5 burgers", "I want 1,000 burgers", "I want -2 burgers", "price 5.50", "price $5",
 "start at 5", "add 1.5", "my name is Ana", "who am i"]
FILE
cat >program.cjs <<'PROGRAM'
const { readFileSync } = require("node:fs");
const RiveScript = require("rivescript");

const bot = new RiveScript({ utf8: true });
bot.stream(readFileSync("menu.rive", "utf8"));
bot.sortReplies();
(async () => {
  for (const text of require("./said.json")) console.log("JavaScript:", text, "->", await bot.reply("guest", text));
})();
PROGRAM
cat >program.py <<'PROGRAM'
import json
from rivescript import RiveScript

bot = RiveScript(utf8=True)
bot.load_file("menu.rive")
bot.sort_replies()
for text in json.load(open("said.json")):
    print("Python:", text, "->", bot.reply("guest", text))
PROGRAM
{ node program.cjs; venv/bin/python program.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
JavaScript: I want 2 burgers -> 2 burgers
JavaScript: I want 2.5 burgers -> 25 burgers
JavaScript: I want 1,000 burgers -> 1000 burgers
JavaScript: I want -2 burgers -> none: i want -2 burgers
JavaScript: price 5.50 -> price 550
JavaScript: price $5 -> none: price $5
JavaScript: start at 5 -> sum 5
JavaScript: add 1.5 -> sum 20
JavaScript: my name is Ana -> ok
JavaScript: who am i -> <GET NAME>, MAC and cheese
Python: I want 2 burgers -> 2 burgers
Python: I want 2.5 burgers -> 25 burgers
Python: I want 1,000 burgers -> 1000 burgers
Python: I want -2 burgers -> none: i want -2 burgers
Python: price 5.50 -> price 550
Python: price $5 -> none: price $5
Python: start at 5 -> sum 5
Python: add 1.5 -> sum 20
Python: my name is Ana -> ok
Python: who am i -> undefined, Mac and cheese
SEEN
echo "seen as described"
