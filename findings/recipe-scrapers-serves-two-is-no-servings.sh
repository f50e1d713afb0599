#!/usr/bin/env bash
# Recipes of schema.org in a page, by recipe-scrapers 15.13.0 (PyPI): "serves two" is 0 servings, "4 servings, 8 cookies" 4
# cookies, "1 1/2 cups" one cup, "1,000 g" one serving, and "4-6" six. Of times, "10 mins plus 1 hour chilling" is 10
# minutes, an hour and a half 60, -PT5M five, 2 days are read, a week is nothing, and "an hour" and "half an hour" end in an
# error.
# Guess before the run: two servings or none at all; what is not read as a whole is None.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'recipe-scrapers==15.13.0'
cat >program.py <<'PROGRAM'
import json
from recipe_scrapers import scrape_html


def read(field, method, text):
    data = {"@context": "https://schema.org", "@type": "Recipe", "name": "Fries", field: text}
    page = f'<html><head><script type="application/ld+json">{json.dumps(data)}</script></head><body></body></html>'
    try:
        return repr(getattr(scrape_html(page, org_url="https://example.com", supported_only=False), method)())
    except Exception as error:
        return type(error).__name__


for text in ("Serves 4", "serves two", "4-6", "4 servings, 8 cookies", "1 1/2 cups", "1,000 g", "half a dozen"):
    print("yield", text, "->", read("recipeYield", "yields", text))
for text in ("PT1H30M", "1 1/2 hours", "1 hour and a half", "10 mins plus 1 hour chilling", "-PT5M",
             "15 min 30 sec", "2 days", "1 week", "1,5 hours", "an hour", "half an hour"):
    print("time", text, "->", read("totalTime", "total_time", text))
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
yield Serves 4 -> '4 servings'
yield serves two -> '0 servings'
yield 4-6 -> '6 servings'
yield 4 servings, 8 cookies -> '4 cookies'
yield 1 1/2 cups -> '1 cup'
yield 1,000 g -> '1 serving'
yield half a dozen -> '0 dozen'
time PT1H30M -> 90
time 1 1/2 hours -> 90
time 1 hour and a half -> 60
time 10 mins plus 1 hour chilling -> 10
time -PT5M -> 5
time 15 min 30 sec -> 16
time 2 days -> 2880
time 1 week -> None
time 1,5 hours -> None
time an hour -> ValueError
time half an hour -> ValueError
SEEN
echo "seen as described"
