#!/usr/bin/env bash
# Fuse.js 7.5.0 (npm) finds "zero coke" in a menu as Diet Coke first, then Coke, and Coke Zero, which has both words,
# third; minisearch 7.2.0 (npm) finds Coke Zero first.
# Guess before the run: Coke Zero first in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . fuse.js@7.5.0 minisearch@7.2.0
cat >program.mjs <<'PROGRAM'
import Fuse from "fuse.js";
import MiniSearch from "minisearch";

const menu = ["Fries", "Sweet Potato Fries", "Coke", "Coke Zero", "Diet Coke", "Chicken Sandwich", "Ice Cream"];
const fuse = new Fuse(menu);
const mini = new MiniSearch({ fields: ["name"], storeFields: ["name"] });
mini.addAll(menu.map((name, id) => ({ id, name })));
for (const text of ["zero coke", "coke zero", "potato sweet fries", "sandwich chicken"]) {
  console.log(text);
  console.log("  fuse.js   ", fuse.search(text).slice(0, 3).map((found) => found.item).join(", ") || "nothing");
  console.log("  minisearch", mini.search(text).slice(0, 3).map((found) => found.name).join(", ") || "nothing");
}
PROGRAM
node program.mjs >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
zero coke
  fuse.js    Diet Coke, Coke, Coke Zero
  minisearch Coke Zero, Coke, Diet Coke
coke zero
  fuse.js    Coke Zero, Coke, Ice Cream
  minisearch Coke Zero, Coke, Diet Coke
potato sweet fries
  fuse.js    Sweet Potato Fries
  minisearch Sweet Potato Fries, Fries
sandwich chicken
  fuse.js    Chicken Sandwich
  minisearch Chicken Sandwich
SEEN
echo "seen as described"
