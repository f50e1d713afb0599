"""Who calls an operation."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Anonymous:
    """Nobody in particular; where access control is off, that is the owner of the workspace, who may do everything.

    `access_token` is one that generateFetchAccessToken gave for the view that is read.
    """

    access_token: str | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A caller with a name, as policies write it: `user:ana@acme.example` or `serviceAccount:…`.

    `groups` are the groups that the caller is known to be in, as `group:…`.
    """

    name: str
    groups: tuple[str, ...] = ()
    access_token: str | None = None


Caller = Anonymous | Member
OWNER = Anonymous()
"""The caller of a dry run on one's own machine."""
