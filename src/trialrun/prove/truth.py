"""The value of a condition as two formulas of the solver: it is true, it is false, or neither, which is an error.

`&&`, `||`, `!` and `?:` follow from it exactly as CEL has them: an error is absorbed by an operand that decides, and is
never the same as false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import z3

TRUE, FALSE = z3.BoolVal(True), z3.BoolVal(False)


@dataclass(frozen=True, slots=True)
class Truth:
    """When a part is true and when it is false; where neither holds, its evaluation fails.

    `varies` says that lines of one cell may differ in it, so that nothing may be concluded from how many lines there
    are.
    """

    true: z3.BoolRef
    false: z3.BoolRef
    varies: bool = False

    @property
    def error(self) -> z3.BoolRef:
        """When the evaluation fails."""
        return z3.Not(z3.Or(self.true, self.false))


def constant(value: object) -> Truth:
    """The truth of a known value; what is not true or false is an error."""
    return Truth(z3.BoolVal(value is True), z3.BoolVal(value is False))


def any_of(formulas: Sequence[z3.BoolRef]) -> z3.BoolRef:
    """Some formula holds; constants are left out, since most formulas of cells are constant."""
    if any(z3.is_true(formula) for formula in formulas):
        return TRUE
    left = [formula for formula in formulas if not z3.is_false(formula)]
    return left[0] if len(left) == 1 else z3.Or(left) if left else FALSE


def all_of(formulas: Sequence[z3.BoolRef]) -> z3.BoolRef:
    """All formulas hold; constants are left out."""
    if any(z3.is_false(formula) for formula in formulas):
        return FALSE
    left = [formula for formula in formulas if not z3.is_true(formula)]
    return left[0] if len(left) == 1 else z3.And(left) if left else TRUE


def sum_of(terms: Sequence[z3.ArithRef]) -> z3.ArithRef:
    """The sum of terms; that of one is no sum, which SMT-LIB does not have."""
    return z3.Sum(terms) if len(terms) > 1 else terms[0] if terms else z3.IntVal(0)


def negated(formula: z3.BoolRef) -> z3.BoolRef:
    """A formula does not hold."""
    return FALSE if z3.is_true(formula) else TRUE if z3.is_false(formula) else z3.Not(formula)


def conjunction(parts: Sequence[Truth]) -> Truth:
    """`&&` of any number of parts: false where one is, whatever fails beside it."""
    varies = any(part.varies for part in parts)
    return Truth(all_of([part.true for part in parts]), any_of([part.false for part in parts]), varies)


def disjunction(parts: Sequence[Truth]) -> Truth:
    """`||` of any number of parts: true where one is, whatever fails beside it."""
    varies = any(part.varies for part in parts)
    return Truth(any_of([part.true for part in parts]), all_of([part.false for part in parts]), varies)


def negation(part: Truth) -> Truth:
    """`!`: an error stays one."""
    return Truth(part.false, part.true, part.varies)


def choice(condition: Truth, then: Truth, otherwise: Truth) -> Truth:
    """`?:`, which fails where its condition does."""
    return Truth(
        any_of([all_of([condition.true, then.true]), all_of([condition.false, otherwise.true])]),
        any_of([all_of([condition.true, then.false]), all_of([condition.false, otherwise.false])]),
        condition.varies or then.varies or otherwise.varies,
    )
