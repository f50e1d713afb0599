"""Comparisons with the total of an order, exactly: prices are decimals, and the sum is rounded once.

A comparison in which the total occurs once, under `+ - * /` with literals, is monotone, so that one double parts those
that make it true from the others. The engine finds it by bisection; midpoints of doubles make it a bound of the exact
sum, and the least sum that any order reaches makes it a bound that the solver sees through.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from fractions import Fraction

from trialrun.prove.reads import Unsupported
from trialrun.runtime.channel_config.menu import Item

MAX_DIGITS, MAX_PRICE = 8, 10**9
"""Prices with more decimals, or above, are not summed exactly by the session either."""
REACHABLE = 3_000_000
"""Totals up to this many of the smallest unit are looked up as sums of prices."""
_LARGEST = 0x7FEFFFFFFFFFFFFF


class Prices:
    """The prices of a menu in whole units of the last decimal that any of them has."""

    def __init__(self, items: Iterable[Item]) -> None:
        exact = {item.price: Fraction(repr(float(item.price))) for item in items if math.isfinite(item.price)}
        digits = max((_decimals(price) for price in exact.values()), default=0)
        self.is_exact = digits <= MAX_DIGITS and all(0 <= price <= MAX_PRICE for price in exact)
        self.unit = 10 ** min(digits, MAX_DIGITS)
        self.units = {price: int(value * self.unit) for price, value in exact.items()}
        self._sums = (0, 0)

    def of(self, item: Item) -> int:
        """The price of an item in units."""
        return self.units.get(item.price, 0)

    def reachable(self, least: int) -> int:
        """The least sum of prices that is no less; a set of bits has all sums of the menu."""
        prices = sorted({price for price in self.units.values() if price > 0})
        if least <= 0 or not prices or least > REACHABLE:
            return max(least, 0)
        size = least + prices[0] + 1
        if self._sums[0] < size:
            sums, mask = 1, (1 << size) - 1
            for price in prices:
                step = price
                while step < size:
                    sums = (sums | sums << step) & mask
                    step *= 2
            self._sums = size, sums
        above = self._sums[1] >> least
        return least + (above & -above).bit_length() - 1 if above else least


def _decimals(price: Fraction) -> int:
    digits = 0
    while price.denominator > 1 and digits <= MAX_DIGITS:
        price, digits = price * 10, digits + 1
    return digits


def double(bits: int) -> float:
    """The non-negative double with these bits; a greater one has more."""
    found: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return found


def least_units(holds: Callable[[float], bool | None], unit: int) -> tuple[int, bool] | bool:
    """Where a monotone comparison changes: the least sum in units of its last value, and that value.

    Only a value if it never changes. Raises Unsupported where it fails at an end.
    """
    first = holds(0.0)
    high = first_change(lambda bits: holds(double(bits)), 0, _LARGEST)
    if high is None:
        return first is True
    edge = (Fraction(double(high - 1)) + Fraction(double(high))) / 2 * unit
    # the edge itself is rounded to the double with an even last bit
    is_last_from = high % 2 == 0 or edge.denominator > 1
    return (math.ceil(edge) if is_last_from else int(edge) + 1), first is False


def first_change(holds: Callable[[int], bool | None], low: int, high: int) -> int | None:
    """The least number of low+1 … high at which a monotone comparison is other than at `low`; None if at none.

    Raises Unsupported where it fails at an end.
    """
    first = holds(low)
    if first is None or holds(high) is None:
        raise Unsupported("a comparison that may fail")
    if holds(high) is first:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) is first else (low, middle)
    return high
