"""Policies: who has which role on a resource, and what roles permit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import Field

from trialrun.lazy_dataclass import dataclass
from trialrun.service.caller import Anonymous, Caller, Member
from trialrun.service.error import invalid_argument
from trialrun.service.etag import compute_etag
from trialrun.service.message import Message
from trialrun.values.suggest import did_you_mean


@dataclass(frozen=True)
class Roles:
    """The roles of one kind of resource: each name with its permissions."""

    permissions_of: Mapping[str, frozenset[str]]

    @property
    def permissions(self) -> frozenset[str]:
        """All permissions that there are."""
        return frozenset().union(*self.permissions_of.values())


def permission_name(resource: str, operation: str) -> str:
    """The permission of an operation: `featureViews.sync`."""
    return f"{resource}.{operation}"


def build_roles(resource: str, operations_of: Mapping[str, tuple[str, ...]]) -> Roles:
    """The roles of a kind of resource: `roles/featureViews.viewer` with the permissions of its operations."""
    return Roles(
        {
            f"roles/{resource}.{role}": frozenset(permission_name(resource, operation) for operation in operations)
            for role, operations in operations_of.items()
        }
    )


VERSIONS = (0, 1, 3)
ALL_USERS = "allUsers"
AUTHENTICATED_USERS = "allAuthenticatedUsers"
MEMBER = re.compile(r"(user|serviceAccount|group):[^\s:@]+@[^\s:@]+|domain:[^\s:@]+|allUsers|allAuthenticatedUsers")
MAX_MEMBERS = 1500


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


def with_etag(policy: Policy, *, change: int) -> Policy:
    """A policy with the etag that it has after so many changes."""
    content = policy.model_dump(mode="json", exclude={"etag"})
    return policy.model_copy(update={"etag": compute_etag(content, change=change)})


def require_valid(policy: Policy, roles: Roles, *, field: str) -> None:
    """Refuse a policy with an unknown version, role or sort of member, or with a condition."""
    require_version(policy.version, field=f"{field}.version")
    for index, binding in enumerate(policy.bindings):
        _require_valid_binding(binding, roles, f"{field}.bindings[{index}]")
    if sum(len(binding.members) for binding in policy.bindings) > MAX_MEMBERS:
        raise invalid_argument(
            f"{field}.bindings", "invalid-policy", f"more than {MAX_MEMBERS} members; name groups instead"
        )


def require_version(version: int, *, field: str) -> None:
    """Refuse a version of the format of policies that there is not."""
    if version not in VERSIONS:
        raise invalid_argument(field, "invalid-policy", f"there is no version {version}; the versions are 0, 1 and 3")


def _require_valid_binding(binding: Binding, roles: Roles, field: str) -> None:
    if binding.role not in roles.permissions_of:
        near = did_you_mean(binding.role, roles.permissions_of) or f"; there are {', '.join(roles.permissions_of)}"
        raise invalid_argument(f"{field}.role", "unknown-role", f'there is no role "{binding.role}"{near}')
    if binding.condition is not None:
        raise invalid_argument(f"{field}.condition", "policy-condition", "conditions are not evaluated here; remove it")
    for index, member in enumerate(binding.members):
        if not MEMBER.fullmatch(member):
            message = (
                f'"{member}" is not a member; write one such as user:ana@acme.example, group:…, domain:… or allUsers'
            )
            raise invalid_argument(f"{field}.members[{index}]", "unknown-member", message)


def granted_permissions(policies: Iterable[Policy], caller: Caller, roles: Roles) -> frozenset[str]:
    """The permissions that policies together give a caller."""
    names = frozenset(_member_names(caller))
    bindings = (binding for policy in policies for binding in policy.bindings)
    given = (roles.permissions_of[binding.role] for binding in bindings if not names.isdisjoint(binding.members))
    return frozenset[str]().union(*given)


def _member_names(caller: Caller) -> Iterator[str]:
    """What members of a policy a caller is one of."""
    yield ALL_USERS
    match caller:
        case Anonymous():
            return
        case Member(name, groups):
            yield from (AUTHENTICATED_USERS, name, *groups)
            if name.startswith("user:"):
                yield f"domain:{name.rpartition('@')[2]}"
