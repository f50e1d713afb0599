"""What another edition of the default rules would say of a workspace."""

from __future__ import annotations

from dataclasses import field, replace

from trialrun.diagnostic import Diagnostic
from trialrun.lint import editions
from trialrun.record import dataclass
from trialrun.workspace.check import Request, check


@dataclass(frozen=True)
class Upgrade:
    """From one edition to another: the rules that come and go, and the diagnostics of those that come."""

    before: str
    after: str
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def upgrade(request: Request, edition: str) -> Upgrade:
    """The difference that another edition would make; KeyError for one that does not exist.

    A rule that the settings or the command line turn on or off themselves is no difference.
    """
    now = request.profiles
    before = now.settings.edition or editions.NEWEST
    editions.added_after(edition)
    then = now.under(edition)
    added = then.whole.rules - now.whole.rules
    found = check(replace(request, profiles=then, workspace_at=None)).diagnostics
    return Upgrade(
        before,
        edition,
        sorted(added),
        sorted(now.whole.rules - then.whole.rules),
        [one for one in found if one.rule in then.of(one.path).rules - now.of(one.path).rules],
    )
