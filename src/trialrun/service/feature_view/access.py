"""The roles of callers on views, the service accounts of views, and what these may read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b

from trialrun.model.feature_view import NAME_FORMAT, FeatureView
from trialrun.runtime.declaration import Catalog
from trialrun.service.error import Status, service_error
from trialrun.service.iam import Binding, Member, Policy, Roles, granted_permissions
from trialrun.values import resource_name

VIEW = ("get", "list")
READ = ("fetchFeatureValues", "streamingFetchFeatureValues", "searchNearestEntities", "generateFetchAccessToken")
WRITE = ("directWrite",)
EDIT = ("create", "patch", "delete", "sync")
POLICY = ("getIamPolicy", "setIamPolicy")
OPERATIONS = {
    "viewer": VIEW,
    "dataViewer": (*VIEW, *READ),
    "dataWriter": (*VIEW, *WRITE),
    "editor": (*VIEW, *READ, *WRITE, *EDIT),
    "admin": (*VIEW, *READ, *WRITE, *EDIT, *POLICY),
}
ROLES: Roles = {
    f"roles/featureViews.{role}": frozenset(f"featureViews.{operation}" for operation in operations)
    for role, operations in OPERATIONS.items()
}
DATA_VIEWER = "roles/dataViewer"
SOURCE_ROLES: Roles = {DATA_VIEWER: frozenset({"sources.read"})}
DOMAIN = "feature-views.example"


def service_account_email(name: str) -> str:
    """The e-mail address of the service account of a view: one for each name, under the view's project."""
    ids = resource_name.parse(name, pattern=NAME_FORMAT) or {}
    return f"fv-{blake2b(name.encode(), digest_size=8).hexdigest()}@{ids.get('project', 'local')}.{DOMAIN}"


class Grants:
    """Who may read which sources, by their uris: as `policies` say, the document of a Source, or a grant."""

    def __init__(self, policies: Mapping[str, Policy] | None = None) -> None:
        self._policies = policies or {}
        self._members: dict[str, set[str]] = {}

    def grant(self, uri: str, member: str) -> None:
        """Let a member, such as `serviceAccount:…`, read a source."""
        self._members.setdefault(uri, set()).add(member)

    def revoke(self, uri: str, member: str) -> None:
        """Let a member read a source no more."""
        self._members.get(uri, set()).discard(member)

    def remove_member(self, member: str) -> None:
        """Take everything from a member that is gone."""
        for members in [*self._members.values()]:
            members.discard(member)

    def require(self, view: FeatureView, catalog: Catalog) -> None:
        """Refuse a sync whose view has an account of its own that may not read a source of the view."""
        account = f"serviceAccount:{service_account_email(view.name or '')}"
        for uri in source_uris(view, catalog) if view.serviceAgentType == "SERVICE_AGENT_TYPE_FEATURE_VIEW" else ():
            source = catalog.source(uri)
            readers = [*((source.node.readers or ()) if source else ()), *self._members.get(uri, ())]
            declared = Policy(bindings=[Binding(role=DATA_VIEWER, members=readers)])
            if not granted_permissions([self._policies.get(uri, Policy()), declared], Member(account), SOURCE_ROLES):
                message = f"the service account of the view may not read {uri}; grant {DATA_VIEWER} on it to {account}"
                raise service_error(Status.PERMISSION_DENIED, "missing-grant", message, uri=uri, role=DATA_VIEWER)


def source_uris(view: FeatureView, catalog: Catalog) -> Iterator[str]:
    """The uris that a sync of a view reads, as far as the catalog tells of the tables of feature groups."""
    for source in (view.warehouseSource, view.ragSource):
        if source is not None and source.uri:
            yield source.uri
    registry = view.featureRegistrySource
    for group in (registry.featureGroups or ()) if registry else ():
        table = catalog.group(group.featureGroupId or "", registry.projectNumber if registry else None)
        if table is not None and table.node.uri:
            yield table.node.uri
