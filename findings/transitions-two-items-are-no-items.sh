#!/usr/bin/env bash
# A condition of transitions 0.9.3 (PyPI, state machines) is compared with True, not taken for its truth, whether it is an
# attribute of the model or a method: an order with one item may be paid, and one with two may not. By "unless" the order with
# two may not go either, nor one with an empty list, so both ways are closed to it. No error says why.
# Guess before the run: any count but none is true, as in Python.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'transitions==0.9.3'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from transitions import Machine

class Order:
    def __init__(self, items):
        self.items = items
    def has_items(self):
        return self.items

for items in (0, 1, 2, [], ["coke"], "yes", None):
    allowed = []
    for keyword in ("conditions", "unless"):
        for condition in ("items", "has_items"):
            order = Order(items)
            Machine(order, states=["cart", "paid"], initial="cart", transitions=[{"trigger": "pay", "source": "cart", "dest": "paid", keyword: condition}])
            allowed.append(f"{keyword} {condition} {order.pay()}")
    print(repr(items), *allowed, sep=" | ")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0 | conditions items False | conditions has_items False | unless items True | unless has_items True
1 | conditions items True | conditions has_items True | unless items False | unless has_items False
2 | conditions items False | conditions has_items False | unless items False | unless has_items False
[] | conditions items False | conditions has_items False | unless items False | unless has_items False
['coke'] | conditions items False | conditions has_items False | unless items False | unless has_items False
'yes' | conditions items False | conditions has_items False | unless items False | unless has_items False
None | conditions items False | conditions has_items False | unless items False | unless has_items False
SEEN
echo "seen as described"
