#!/usr/bin/env bash
# A menu of schema.org as microdata in a page, by web-auto-extractor 1.0.17 (npm) and extruct 0.18.0 (PyPI): the first takes
# all blanks out of texts ("crispyhotfries"), the words within a time or a value instead of their attributes (noon, seven),
# "name alternateName" as one name of a property, a link as it is written, and nothing of what itemref refers to, so a dish
# has no price. In JSON-LD it keeps the menu beside a script that is broken; extruct, as it comes, raises an error and reads
# none of them.
# Guess before the run: one menu, as the standard of HTML says for each element; one broken script costs that script.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . web-auto-extractor@1.0.17
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'extruct==0.18.0'
cat >menu.html <<'FILE'
<div itemscope itemtype="https://schema.org/MenuItem">
<span itemprop="name alternateName">Fries</span>
<span itemprop="description">crispy <b>hot</b> fries</span>
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
<span itemprop="price" content="3.50">$3,50</span><data itemprop="sku" value="007">seven</data>
<time itemprop="validFrom" datetime="2026-11-30T12:00">noon</time><a itemprop="url" href="../fries">order</a>
</div></div>
<div itemscope itemtype="https://schema.org/MenuItem" itemref="price"><span itemprop="name">Cola</span></div>
<p id="price"><span itemprop="price">2.00</span></p>
FILE
cat >linked.html <<'FILE'
<script type="application/ld+json">{"@type": "MenuItem", "name": "Fries"}</script>
<script type="application/ld+json">{"@type": "MenuItem", "name": "Cola"} // cold</script>
FILE
cat >program.cjs <<'PROGRAM'
const { readFileSync } = require("node:fs");
const extractor = require("web-auto-extractor").default;

for (const item of extractor().parse(readFileSync("menu.html", "utf8")).microdata.MenuItem) console.log(JSON.stringify(item));
console.error = () => {};
console.log(JSON.stringify(extractor().parse(readFileSync("linked.html", "utf8")).jsonld));
PROGRAM
cat >program.py <<'PROGRAM'
import json
import extruct

page = open("menu.html").read()
for item in extruct.extract(page, base_url="https://example.com/menu/today", syntaxes=["microdata"])["microdata"]:
    print(json.dumps(item))
try:
    print(extruct.extract(open("linked.html").read(), syntaxes=["json-ld"]))
except ValueError as error:
    print("extruct:", type(error).__name__)
PROGRAM
{ node program.cjs; venv/bin/python program.py; } >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"@context":"https://schema.org/","@type":"MenuItem","name alternateName":"Fries","description":"crispyhotfries","offers":{"@context":"https://schema.org/","@type":"Offer","price":"3.50","sku":"seven","validFrom":"noon","url":"../fries"}}
{"@context":"https://schema.org/","@type":"MenuItem","name":"Cola"}
Error in jsonld parse - SyntaxError: Unexpected non-whitespace character after JSON at position 38
{"MenuItem":[{"@type":"MenuItem","name":"Fries"}]}
{"type": "https://schema.org/MenuItem", "properties": {"name": "Fries", "alternateName": "Fries", "description": "crispy hot fries", "offers": {"type": "https://schema.org/Offer", "properties": {"price": "3.50", "sku": "007", "validFrom": "2026-11-30T12:00", "url": "https://example.com/fries"}}}}
{"type": "https://schema.org/MenuItem", "properties": {"name": "Cola", "price": "2.00"}}
extruct: JSONDecodeError
SEEN
echo "seen as described"
