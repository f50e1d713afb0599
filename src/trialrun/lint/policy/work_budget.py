"""The work that policies may do, in units of `values/cel/cost.py`: a policy of a cloned repository may ask for hours.

The work of an evaluation is estimated before it, so a policy that does too much fails on every machine at the same
message, and the others are judged all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from trialrun.lint.policy.policy import Policy
from trialrun.values.cel.cost import InputSize, units_of_work
from trialrun.values.cel.policy_functions import MAX_WORK, bounded_work, work_done

FILE_UNITS, UNITS_PER_CHARACTER = 10_000_000, 300
"""What a policy may do on a file, whatever its length, and for each of its characters: at most 100 ms and 3 µs."""
WORKSPACE_UNITS = 1_000_000_000
EVALUATIONS_WITH_FUNCTIONS = 4
"""How often a policy may use up what functions of ours may do in an evaluation."""
SMALL_PART = 16
TOO_MUCH_WORK = "it may do too much work here; let its loops go over fewer items or shorter texts"
VALUE_SIZE = 8


class WorkBudget:
    """What each of some policies may do, and what all of them may; each may do a small part of it in any case."""

    def __init__(self, each: int) -> None:
        self._each, self._together = each, 2 * each
        self._spent: Counter[str] = Counter()
        self._sizes: dict[int, tuple[Any, InputSize]] = {}

    @classmethod
    def of_file(cls, length: int) -> WorkBudget:
        """The budget for the messages of a file."""
        return cls(FILE_UNITS + UNITS_PER_CHARACTER * length)

    def spend_evaluation(self, policy: Policy, values: Iterable[Any]) -> bool:
        """Take the work of a policy on some values from the budget; whether there is as much."""
        read = self._measure(list(values))
        return self._spend(policy, sum(units_of_work(work, read) for work in policy.work))

    @contextmanager
    def functions(self, policy: Policy) -> Iterator[None]:
        """One evaluation, in which functions of ours may be called: their work is taken when it is done."""
        try:
            with bounded_work():
                yield
        finally:
            self._spend(policy, self._each * work_done() // (EVALUATIONS_WITH_FUNCTIONS * MAX_WORK))

    def _spend(self, policy: Policy, units: int) -> bool:
        """Take some work from the budget; whether there is as much."""
        before, small = self._spent[policy.id], self._each // SMALL_PART
        shared = max(0, before + units - max(before, small))
        self._spent[policy.id] += units
        if before + units > self._each or shared > self._together:
            return False
        self._together -= shared
        return True

    def _measure(self, value: Any) -> InputSize:
        if isinstance(value, str):
            return InputSize(len(value) + VALUE_SIZE, 0, len(value) + VALUE_SIZE)
        if not isinstance(value, Mapping | Sequence):
            return InputSize(VALUE_SIZE)
        if id(value) not in self._sizes:
            parts = [
                self._measure(part) for part in ((*value, *value.values()) if isinstance(value, Mapping) else value)
            ]
            total = sum((part.all for part in parts), VALUE_SIZE)
            longest = max((part.longest_list for part in parts), default=0)
            text = max((part.longest_text for part in parts), default=0)
            measured = InputSize(total, max(longest, len(value)), text)
            self._sizes[id(value)] = value, measured  # with the value, so that no other gets its id
        return self._sizes[id(value)][1]
