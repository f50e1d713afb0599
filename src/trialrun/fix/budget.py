"""What the fixes of one file may cost: those that need the whole document read again are bounded together."""

from __future__ import annotations

from typing import Final

from trialrun.fix.unfixable import Unfixable
from trialrun.lazy_dataclass import dataclass

MAX_REPARSED_CHARS: Final = 2**21
"""Characters that are read again for the fixes of one file: about a second."""
BUDGET_SPENT = Unfixable("verifying this fix as well would take too long; apply the others first")


@dataclass(slots=True)
class FixBudget:
    """What is left of it for a file; a fix that is refused for want of it is offered once the others are made."""

    remaining: int = MAX_REPARSED_CHARS

    def spend(self, characters: int) -> Unfixable | None:
        """Take some of it; a refusal where too little is left. The first fix is never refused."""
        if self.remaining < characters and self.remaining < MAX_REPARSED_CHARS:
            return BUDGET_SPENT
        self.remaining -= characters
        return None
