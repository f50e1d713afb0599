"""Limit for the cost of the fixes of one file that require parsing its whole document again."""

from __future__ import annotations

from typing import Final

from trialrun.fix.unfixable import Unfixable
from trialrun.lazy_dataclass import dataclass

MAX_REPARSED_CHARS: Final = 2**21
"""Characters parsed again for the fixes of one file: about a second."""
BUDGET_SPENT = Unfixable("verifying this fix as well would take too long; apply the others first")


@dataclass(slots=True)
class FixBudget:
    """The remaining budget of a file. A fix that is refused for lack of it is offered once others have been applied."""

    remaining: int = MAX_REPARSED_CHARS

    def spend(self, characters: int) -> Unfixable | None:
        """Deduct characters; returns a refusal if too few are left. The first fix is never refused."""
        if self.remaining < characters and self.remaining < MAX_REPARSED_CHARS:
            return BUDGET_SPENT
        self.remaining -= characters
        return None
