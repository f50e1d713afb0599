"""Why a fix is not offered, and what a fix changes while it is being made."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass
from trialrun.text import Edit


@dataclass(frozen=True, slots=True)
class Unfixable:
    """A fix that cannot be made safely, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class EditDraft:
    """The edits of one operation.

    `token`, where given, is the whole scalar as it will stand, for an operation that changes nothing but one scalar.
    """

    edits: tuple[Edit, ...]
    token: str | None = None
