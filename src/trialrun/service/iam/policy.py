"""Policies: who has which role on a resource."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import Field

from trialrun.errors import did_you_mean
from trialrun.service.caller import Anonymous, Caller, Member
from trialrun.service.error import invalid
from trialrun.service.etag import etag_of
from trialrun.service.iam.role import Roles
from trialrun.service.message import Message

VERSIONS = (0, 1, 3)
EVERYBODY = "allUsers"
NAMED = "allAuthenticatedUsers"
MEMBER = re.compile(r"(user|serviceAccount|group):[^\s:@]+@[^\s:@]+|domain:[^\s:@]+|allUsers|allAuthenticatedUsers")
MOST_MEMBERS = 1500


class Binding(Message):
    """A role, and the members that have it."""

    role: str
    members: list[str] = Field(default_factory=list)
    condition: dict[str, Any] | None = None


class Policy(Message):
    """The policy of a resource; `etag` changes with every change of it."""

    version: int = 1
    bindings: list[Binding] = Field(default_factory=list)
    etag: str = ""


def stamped(policy: Policy, *, change: int) -> Policy:
    """A policy with the etag that it has after so many changes."""
    content = policy.model_dump(mode="json", exclude={"etag"})
    return policy.model_copy(update={"etag": etag_of(content, change=change)})


def require_sound(policy: Policy, roles: Roles, *, field: str) -> None:
    """Refuse a policy with an unknown version, role or sort of member, or with a condition."""
    require_version(policy.version, field=f"{field}.version")
    for index, binding in enumerate(policy.bindings):
        _require_sound_binding(binding, roles, f"{field}.bindings[{index}]")
    if sum(len(binding.members) for binding in policy.bindings) > MOST_MEMBERS:
        raise invalid(f"{field}.bindings", "invalid-policy", f"more than {MOST_MEMBERS} members; name groups instead")


def require_version(version: int, *, field: str) -> None:
    """Refuse a version of the format of policies that there is not."""
    if version not in VERSIONS:
        raise invalid(field, "invalid-policy", f"there is no version {version}; the versions are 0, 1 and 3")


def _require_sound_binding(binding: Binding, roles: Roles, field: str) -> None:
    if binding.role not in roles.permissions_of:
        near = did_you_mean(binding.role, roles.permissions_of) or f"; there are {', '.join(roles.permissions_of)}"
        raise invalid(f"{field}.role", "unknown-role", f'there is no role "{binding.role}"{near}')
    if binding.condition is not None:
        raise invalid(f"{field}.condition", "policy-condition", "conditions are not evaluated here; leave it out")
    for index, member in enumerate(binding.members):
        if not MEMBER.fullmatch(member):
            message = f'"{member}" is no member; write one such as user:ana@acme.example, group:…, domain:… or allUsers'
            raise invalid(f"{field}.members[{index}]", "unknown-member", message)


def permitted(policies: Iterable[Policy], caller: Caller, roles: Roles) -> frozenset[str]:
    """The permissions that policies together give a caller."""
    names = frozenset(_names(caller))
    bindings = (binding for policy in policies for binding in policy.bindings)
    given = (roles.permissions_of[binding.role] for binding in bindings if not names.isdisjoint(binding.members))
    return frozenset[str]().union(*given)


def _names(caller: Caller) -> Iterator[str]:
    """What members of a policy a caller is one of."""
    yield EVERYBODY
    match caller:
        case Anonymous():
            return
        case Member(name, groups):
            yield from (NAMED, name, *groups)
            if name.startswith("user:"):
                yield f"domain:{name.rpartition('@')[2]}"
