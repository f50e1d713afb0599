"""What services keep of the changes that clients make, so that the end of the process loses none.

Decisions: docs/decisions/serve-state.md
"""

from trialrun.service.journal.interface import Journal, Record
from trialrun.service.journal.memory import MemoryJournal

__all__ = ["Journal", "MemoryJournal", "Record"]
