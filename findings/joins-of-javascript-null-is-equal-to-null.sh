#!/usr/bin/env bash
# Joins of tables in JavaScript take other keys for equal than their own filters: alasql 4.19.1 and @tidyjs/tidy 2.6.1
# join null with null and 1 with the text "1", although a WHERE of alasql finds no null by "=" and distinct of tidy
# keeps 1 and "1" apart; data-forge 1.10.5 joins them too, and groups null with the text "null". Orders without a shop
# get the menu of whatever row has none.
# Guess before the run: as SQL in alasql, === in the two others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . alasql@4.19.1 @tidyjs/tidy@2.6.1 data-forge@1.10.5
cat >program.mjs <<'PROGRAM'
import alasql from "alasql";
import forge from "data-forge";
import { distinct, innerJoin, tidy } from "@tidyjs/tidy";

const orders = [{ shop: 1 }, { shop: "1" }, { shop: null }];
const menus = [{ shop: 1, menu: "one" }, { shop: null, menu: "none" }];
const told = (rows) => rows.map((row) => `${JSON.stringify(row.shop)}=${row.menu}`).join(" ");
console.log("alasql", told(alasql("SELECT o.shop, m.menu FROM ? o JOIN ? m ON o.shop = m.shop", [orders, menus])));
console.log("tidy", told(tidy(orders, innerJoin(menus, { by: "shop" }))));
const joined = new forge.DataFrame(orders).join(new forge.DataFrame(menus), (row) => row.shop, (row) => row.shop, (order, row) => ({ ...row, shop: order.shop }));
console.log("data-forge", told(joined.toArray()));
console.log("alasql, where shop = null", alasql("SELECT shop FROM ? WHERE shop = NULL", [orders]).length);
console.log("tidy, distinct shops", tidy(orders, distinct("shop")).length);
const groups = new forge.DataFrame([{ shop: null }, { shop: "null" }]).groupBy((row) => row.shop).toArray();
console.log("data-forge, groups of null and of the text null", groups.length);
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
alasql 1=one "1"=one null=none
tidy 1=one 1=one null=none
data-forge 1=one "1"=one null=none
alasql, where shop = null 0
tidy, distinct shops 3
data-forge, groups of null and of the text null 1
SEEN
echo "seen as described"
