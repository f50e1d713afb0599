#!/usr/bin/env bash
# Names of columns made tidy by pyjanitor 0.32.60 (PyPI): "item id", "item.id" and "item-id" all become item_id, without a
# word, and the table then answers with several columns for one name; "Price ($)" becomes price_$_, and a name that begins
# with a digit keeps it.
# Guess before the run: a number behind the second name, and no sign of a currency.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyjanitor==0.32.60' 'pandas==3.1.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import warnings

warnings.simplefilter("ignore")
import janitor
import pandas

table = pandas.DataFrame([[1, 2, 3, 4, 5]], columns=["item id", "item.id", "item-id", "Price ($)", "2nd item"]).clean_names()
print(list(table.columns))
print(table["item_id"].shape)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
['item_id', 'item_id', 'item_id', 'price_$_', '2nd_item']
(1, 3)
SEEN
echo "seen as described"
