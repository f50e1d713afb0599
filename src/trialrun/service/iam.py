"""Who may do what: policies with their roles and members, and whether a caller has a permission on a resource."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from pydantic import Field

from trialrun.lazy_dataclass import dataclass
from trialrun.service.caller import Anonymous, Caller, Member
from trialrun.service.error import Status, invalid_argument, service_error
from trialrun.service.etag import compute_etag, require_current_etag
from trialrun.service.journal import Journal, Record, counter_record, read_counter
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


UPDATABLE = ("bindings", "version")
KIND = "Policy"
"""The kind of the records of policies, and the name of the counter of their changes."""


@dataclass(frozen=True)
class AccessDisabled:
    """Nobody is refused anything, as on one's own machine."""


@dataclass(frozen=True)
class AccessEnabled:
    """Callers may do what policies say: `policy` holds for every resource, those of `policies` for the one named, and
    what is under it, until another one is set there.
    """

    policy: Policy
    policies: Mapping[str, Policy] = field(default_factory=dict)


AccessControl = AccessDisabled | AccessEnabled


class Access:
    """The policies of the resources of a service, and what they permit."""

    def __init__(self, control: AccessControl, roles: Roles, journal: Journal) -> None:
        self.control = control
        self.roles = roles
        self._journal = journal
        self._policies = {name: Policy.model_validate(value) for name, value in journal.read(KIND)}
        self._changes = read_counter(journal, KIND)
        if isinstance(control, AccessEnabled):
            require_valid(control.policy, roles, field="policy")

    def require(self, permission: str, caller: Caller, *, resource: str) -> None:
        """Refuse a caller who has not got a permission on a resource, whether that exists or not (AIP-211)."""
        if permission in self.permissions(caller, resource=resource):
            return
        if isinstance(caller, Anonymous):
            message = f'"{permission}" is needed on {resource}; authenticate the request'
            raise service_error(Status.UNAUTHENTICATED, "no-caller", message, permission=permission)
        message = f'{caller.name} needs "{permission}" on {resource}, or it does not exist; ask for one of the roles '
        holders = [role for role, of in self.roles.permissions_of.items() if permission in of]
        raise service_error(
            Status.PERMISSION_DENIED, "missing-permission", message + ", ".join(holders), permission=permission
        )

    def permissions(self, caller: Caller, *, resource: str) -> frozenset[str]:
        """All permissions of a caller on a resource."""
        match self.control:
            case AccessDisabled():
                return self.roles.permissions
            case AccessEnabled(policy, given):
                parts = resource.split("/")  # of a name such as projects/a/locations/b
                names = ["/".join(parts[:end]) for end in range(2, len(parts) + 1, 2)]
                named = [found for name in names if (found := self._policies.get(name) or given.get(name))]
                return granted_permissions([policy, *named], caller, self.roles)

    def filter_permissions(self, permissions: Iterable[str], caller: Caller, *, resource: str) -> list[str]:
        """Those of some permissions that a caller has. Raises INVALID_ARGUMENT for one that there is not."""
        known_permissions = self.roles.permissions
        for index, permission in enumerate(permissions := list(permissions)):
            if permission not in known_permissions:
                near = did_you_mean(permission, sorted(known_permissions))
                raise invalid_argument(
                    f"permissions[{index}]", "unknown-permission", f'there is no permission "{permission}"{near}'
                )
        granted = self.permissions(caller, resource=resource)
        return [permission for permission in permissions if permission in granted]

    def policy(self, resource: str) -> Policy:
        """The policy of a resource itself, the one that was set last; an empty one where there is none."""
        given = self.control.policies if isinstance(self.control, AccessEnabled) else {}
        return self._policies.get(resource) or with_etag(given.get(resource, Policy()), change=0)

    def set_policy(self, resource: str, policy: Policy, mask: str | None) -> Policy:
        """Put a policy in place of another, or those parts of it that a mask names; a stale etag is ABORTED.

        Raises JournalError where it cannot be kept.
        """
        require_valid(policy, self.roles, field="policy")
        current = self.policy(resource)
        require_current_etag(policy.etag or None, current.etag, "the policy")
        parts = {name: getattr(policy, name) for name in _masked_fields(mask)}
        count = self._changes + 1
        changed = with_etag(current.model_copy(update=parts), change=count)
        self._journal.write([Record(KIND, resource, changed.json_object()), counter_record(KIND, count)])
        self._changes, self._policies[resource] = count, changed
        return changed

    def records(self, resource: str) -> list[Record]:
        """The policy of a resource as a journal keeps it."""
        policy = self._policies.get(resource)
        return [] if policy is None else [Record(KIND, resource, policy.json_object())]

    def remove_policy(self, resource: str) -> None:
        """Drop the policy of a resource that is gone."""
        self._policies.pop(resource, None)


def _masked_fields(mask: str | None) -> list[str]:
    names = [name.strip() for name in (mask or "*").split(",")]
    for name in names:
        if name not in (*UPDATABLE, "etag", "*"):
            near = did_you_mean(name, UPDATABLE) or f"; there are {', '.join(UPDATABLE)}"
            raise invalid_argument("updateMask", "invalid-field-mask", f'a policy has no field "{name}"{near}')
    return [name for name in UPDATABLE if name in names or "*" in names]
