"""Who may do what to views, and who may read their values by an access token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.service.caller import Caller
from trialrun.service.iam import Access, AccessControl, AccessDisabled, build_roles, permission_name
from trialrun.service.token import Signer

if TYPE_CHECKING:
    from trialrun.runtime.clock import Clock
    from trialrun.service.feature_view.view_store import ViewEntry, ViewStore
    from trialrun.service.journal import Journal


class Authorizer:
    """Refuses what callers may not do; it is asked first, so that a refusal tells nothing of what there is."""

    def __init__(
        self, control: AccessControl, signer: Signer, views: ViewStore, clock: Clock, journal: Journal
    ) -> None:
        self.access = Access(control, ROLES, journal)
        self.signer = signer
        self._views = views
        self._clock = clock

    def require(self, operation: str, caller: Caller, resource: str) -> None:
        """Refuse a caller who may not do this to a resource."""
        self.access.require(permission_name(RESOURCE, operation), caller, resource=resource)

    def is_permitted(self, operation: str, caller: Caller, resource: str) -> bool:
        """Whether a caller may do this to a resource."""
        return permission_name(RESOURCE, operation) in self.access.permissions(caller, resource=resource)

    def authorized_view(self, operation: str, caller: Caller, name: str, *, field: str = "featureView") -> ViewEntry:
        """The view that a caller may do this to."""
        self.require(operation, caller, name)
        return self._views.get(name, field=field)

    def readable_view(self, operation: str, caller: Caller, name: str) -> ViewEntry:
        """The view whose values a caller may read: by an access token, else by a permission."""
        if caller.access_token is None or isinstance(self.access.control, AccessDisabled):
            return self.authorized_view(operation, caller, name)
        claims = self.signer.verify(caller.access_token, now=self._clock.now())
        claims.require_resource(name)
        entry = self._views.get(name, field="featureView")
        claims.require_version(entry.uid)
        return entry


RESOURCE = "featureViews"


VIEW = ("get", "list")


READ = ("fetchFeatureValues", "streamingFetchFeatureValues", "searchNearestEntities", "generateFetchAccessToken")


WRITE = ("directWrite",)


EDIT = ("create", "patch", "delete", "sync")


POLICY = ("getIamPolicy", "setIamPolicy")


ROLES = build_roles(
    RESOURCE,
    {
        "viewer": VIEW,
        "dataViewer": (*VIEW, *READ),
        "dataWriter": (*VIEW, *WRITE),
        "editor": (*VIEW, *READ, *WRITE, *EDIT),
        "admin": (*VIEW, *READ, *WRITE, *EDIT, *POLICY),
    },
)
