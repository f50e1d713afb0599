"""What the fixes of one file may cost: those that need the whole document read again are bounded together."""

from __future__ import annotations

from typing import Final

from trialrun.fix.unfixable import Refused
from trialrun.lazy_dataclass import dataclass

MOST: Final = 2**21
"""Characters that are read again for the fixes of one file: about a second."""
TOO_MANY = Refused("too much of the file would be read again to prove this fix as well; make the others first")


@dataclass(slots=True)
class Effort:
    """What is left of it for a file; a fix that is refused for want of it is offered once the others are made."""

    left: int = MOST

    def spend(self, characters: int) -> Refused | None:
        """Take some of it; a refusal where too little is left. The first fix is never refused."""
        if self.left < characters and self.left < MOST:
            return TOO_MANY
        self.left -= characters
        return None
