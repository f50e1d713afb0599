"""An operation while it is turned into edits."""

from __future__ import annotations

from trialrun.diagnostic import Operation, Path
from trialrun.fix.target import Target
from trialrun.fix.unfixable import EditDraft
from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PendingOperation:
    """An operation with its target and its edits."""

    operation: Operation
    path: Path
    target: Target
    draft: EditDraft
