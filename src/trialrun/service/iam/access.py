"""Access control: whether a caller may do something to a resource, and the policies that say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from trialrun.lazy_dataclass import dataclass
from trialrun.service.caller import Anonymous, Caller
from trialrun.service.error import Status, invalid_argument, service_error
from trialrun.service.etag import require_current_etag
from trialrun.service.iam.policy import Policy, Roles, granted_permissions, require_valid, with_etag
from trialrun.service.journal import Journal, Record, counter_record, read_counter
from trialrun.values.suggest import did_you_mean

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
