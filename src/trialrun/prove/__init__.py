"""Conditions of upsells decided by a solver: proved, or shown by the least state of a session.

It needs the extra `prove` (z3-solver). Only counts, quantities and classes of values are symbolic; every other part of
a condition is evaluated by the product's own engine on concrete values, so that CEL is implemented once. What is not
understood may be anything: then "never" is still a proof, and "possible" counts only when it was evaluated.
"""

from __future__ import annotations
