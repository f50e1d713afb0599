"""Roles and their permissions."""

from __future__ import annotations

from collections.abc import Mapping

from trialrun.lazy_dataclass import dataclass


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
