"""Who calls an operation and what they may do: policies with roles and members, and signed access tokens.

Views have service accounts of their own, which may read the sources that they were granted.
"""

from __future__ import annotations

import base64
import hmac
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import blake2b, sha256
from typing import Any

from pydantic import Field

from trialrun.model.feature_view import NAME_FORMAT, FeatureView
from trialrun.runtime.declaration import Catalog
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.journal import Journal, Record, counter_record, read_counter
from trialrun.service.message import Message
from trialrun.service.resource import compute_etag, require_current_etag
from trialrun.values import resource_name
from trialrun.values.suggest import did_you_mean
from trialrun.values.timestamp import format_timestamp


@dataclass(frozen=True, slots=True)
class Caller:
    """A member by its name as policies write it, `user:ana@acme.example` or `serviceAccount:…`, or nobody.

    Where access control is off, nobody is the owner of the workspace, who may do everything. `groups` are the groups
    that the caller is known to be in, as `group:…`. `access_token` is one that generateFetchAccessToken gave for the
    view that is read.
    """

    name: str | None = None
    groups: tuple[str, ...] = ()
    access_token: str | None = None


OWNER = Caller()
"""The caller of a dry run on one's own machine."""
Roles = Mapping[str, frozenset[str]]
"""The roles of one kind of resource: each name with its permissions."""
VERSIONS = (0, 1, 3)
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


def require_valid(policy: Policy, roles: Roles, *, field: str) -> None:
    """Refuse a policy with an unknown version, role or sort of member, or with a condition."""
    require_version(policy.version, field=f"{field}.version")
    for index, binding in enumerate(policy.bindings):
        at = f"{field}.bindings[{index}]"
        if binding.role not in roles:
            near = did_you_mean(binding.role, roles) or f"; there are {', '.join(roles)}"
            raise invalid_argument(f"{at}.role", "unknown-role", f'there is no role "{binding.role}"{near}')
        if binding.condition is not None:
            message = "conditions are not evaluated here; remove it"
            raise invalid_argument(f"{at}.condition", "policy-condition", message)
        for number, member in enumerate(binding.members):
            if not MEMBER.fullmatch(member):
                known = "user:ana@acme.example, group:…, domain:… or allUsers"
                message = f'"{member}" is not a member; write one such as {known}'
                raise invalid_argument(f"{at}.members[{number}]", "unknown-member", message)
    if sum(len(binding.members) for binding in policy.bindings) > MAX_MEMBERS:
        message = f"more than {MAX_MEMBERS} members; name groups instead"
        raise invalid_argument(f"{field}.bindings", "invalid-policy", message)


def require_version(version: int, *, field: str) -> None:
    """Refuse a version of the format of policies that there is not."""
    if version not in VERSIONS:
        raise invalid_argument(field, "invalid-policy", f"there is no version {version}; the versions are 0, 1 and 3")


def granted_permissions(policies: Iterable[Policy], caller: Caller, roles: Roles) -> frozenset[str]:
    """The permissions that policies together give a caller; addresses are compared without the case of ASCII letters.

    Other letters stay: to some rules of Unicode `straße` and `strasse` are one address.
    """
    names = {"allUsers"}
    if caller.name is not None:
        names |= {"allAuthenticatedUsers", caller.name, *caller.groups}
        if caller.name.startswith("user:"):
            names.add(f"domain:{caller.name.rpartition('@')[2]}")
    folded = set(map(_folded, names))
    bindings = (binding for policy in policies for binding in policy.bindings)
    granted = (one.role for one in bindings if not folded.isdisjoint(map(_folded, one.members)))
    return frozenset[str]().union(*map(roles.__getitem__, granted))


def _folded(member: str) -> bytes:
    return member.encode(errors="surrogatepass").lower()


UPDATABLE = ("bindings", "version")
KIND = "Policy"
"""The kind of the records of policies, and the name of the counter of their changes."""


@dataclass(frozen=True)
class AccessEnabled:
    """Callers may do what policies say: `policy` holds for every resource, those of `policies` for the one named, and
    what is under it, until another one is set there.
    """

    policy: Policy
    policies: Mapping[str, Policy] = field(default_factory=dict)


class Access:
    """The policies of the resources of a service, and what they permit; without a control nobody is refused anything,
    as on one's own machine.
    """

    def __init__(self, control: AccessEnabled | None, roles: Roles, journal: Journal) -> None:
        self.control = control
        self.roles = roles
        self._journal = journal
        self._all_permissions = frozenset[str]().union(*roles.values())
        self._policies = {name: Policy.model_validate(value) for name, value in journal.read(KIND)}
        self._changes = read_counter(journal, KIND)
        if control is not None:
            require_valid(control.policy, roles, field="policy")

    def require(self, permission: str, caller: Caller, *, resource: str) -> None:
        """Refuse a caller who has not got a permission on a resource, whether that exists or not (AIP-211)."""
        if permission in self.permissions(caller, resource=resource):
            return
        if caller.name is None:
            message = f'"{permission}" is needed on {resource}; authenticate the request'
            raise service_error(Status.UNAUTHENTICATED, "no-caller", message, permission=permission)
        holders = ", ".join(role for role, permissions in self.roles.items() if permission in permissions)
        message = f'{caller.name} needs "{permission}" on {resource}, or it does not exist; ask for one of the roles '
        raise service_error(Status.PERMISSION_DENIED, "missing-permission", message + holders, permission=permission)

    def permissions(self, caller: Caller, *, resource: str) -> frozenset[str]:
        """All permissions of a caller on a resource."""
        if self.control is None:
            return self._all_permissions
        parts = resource.split("/")  # of a name such as projects/a/locations/b
        names = ["/".join(parts[:end]) for end in range(2, len(parts) + 1, 2)]
        given = self.control.policies
        named = [found for name in names if (found := self._policies.get(name) or given.get(name))]
        return granted_permissions([self.control.policy, *named], caller, self.roles)

    def filter_permissions(self, permissions: Iterable[str], caller: Caller, *, resource: str) -> list[str]:
        """Those of some permissions that a caller has. Raises INVALID_ARGUMENT for one that there is not."""
        for index, permission in enumerate(permissions := list(permissions)):
            if permission not in self._all_permissions:
                near = did_you_mean(permission, sorted(self._all_permissions))
                message = f'there is no permission "{permission}"{near}'
                raise invalid_argument(f"permissions[{index}]", "unknown-permission", message)
        granted = self.permissions(caller, resource=resource)
        return [permission for permission in permissions if permission in granted]

    def policy(self, resource: str) -> Policy:
        """The policy of a resource itself, the one that was set last; an empty one where there is none."""
        given = self.control.policies if self.control else {}
        return self._policies.get(resource) or _with_etag(given.get(resource, Policy()), change=0)

    def set_policy(self, resource: str, policy: Policy, mask: str | None) -> Policy:
        """Put a policy in place of another, or those parts of it that a mask names; a stale etag is ABORTED.

        Raises StoreError where it cannot be kept.
        """
        require_valid(policy, self.roles, field="policy")
        current = self.policy(resource)
        require_current_etag(policy.etag or None, current.etag, "the policy")
        names = [name.strip() for name in (mask or "*").split(",")]
        for name in names:
            if name not in (*UPDATABLE, "etag", "*"):
                near = did_you_mean(name, UPDATABLE) or f"; there are {', '.join(UPDATABLE)}"
                raise invalid_argument("updateMask", "invalid-field-mask", f'a policy has no field "{name}"{near}')
        parts = {name: getattr(policy, name) for name in UPDATABLE if name in names or "*" in names}
        count = self._changes + 1
        changed = _with_etag(current.model_copy(update=parts), change=count)
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


def _with_etag(policy: Policy, *, change: int) -> Policy:
    content = policy.model_dump(mode="json", exclude={"etag"})
    return policy.model_copy(update={"etag": compute_etag(content, change=change)})


TOKEN_PREFIX = "trialrun1"
KEY_KIND = "key"


@dataclass(frozen=True)
class Signer:
    """Signs and verifies access tokens with a private key: each is valid for one resource and for a `lifetime`."""

    key: bytes
    lifetime: timedelta = timedelta(hours=1)

    def sign(self, resource: str, version: str, *, now: datetime) -> tuple[str, datetime]:
        """A token for a resource, and its expiry; `version` distinguishes the resource from others of the same name."""
        expires = now + self.lifetime
        claims = json.dumps({"resource": resource, "version": version, "expires": expires.timestamp()})
        payload = _base64url(claims.encode())
        return f"{TOKEN_PREFIX}.{payload}.{self._signature(payload)}", expires

    def verify(self, token: str, resource: str, *, now: datetime) -> str:
        """The version of the resource that a token is for.

        Raises UNAUTHENTICATED if it is invalid or expired, and PERMISSION_DENIED if it is for another resource.
        """
        form, _, rest = token.partition(".")
        payload, _, signature = rest.partition(".")
        given = signature.encode("utf-8", "surrogatepass")
        if form != TOKEN_PREFIX or not hmac.compare_digest(given, self._signature(payload).encode()):
            message = "the access token was not issued by this service, or was changed; generate one"
            raise service_error(Status.UNAUTHENTICATED, "invalid-token", message)
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        expires = datetime.fromtimestamp(claims["expires"], now.tzinfo)
        if now >= expires:
            message = f"the access token expired at {format_timestamp(expires)}; generate another one"
            raise service_error(Status.UNAUTHENTICATED, "expired-token", message)
        if claims["resource"] != resource:
            raise wrong_token(f"is for {claims['resource']}, not for {resource}; generate one for it")
        return str(claims["version"])

    def _signature(self, payload: str) -> str:
        return _base64url(hmac.new(self.key, payload.encode("utf-8", "surrogatepass"), sha256).digest())


def read_signer(journal: Journal) -> Signer:
    """A signer whose key a journal keeps; it is made when it is asked for first. Raises StoreError."""
    record = journal.get(KEY_KIND, "signer")
    if record is None:
        record = {"key": secrets.token_hex(32)}
        journal.write([Record(KEY_KIND, "signer", record)])
    return Signer(bytes.fromhex(record["key"]))


def wrong_token(problem: str) -> ServiceError:
    """The refusal of a token of another resource; the problem says what it is for."""
    return service_error(Status.PERMISSION_DENIED, "token-of-another-resource", f"the access token {problem}")


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def prepare_policy_version(request: dict[str, Any]) -> dict[str, Any]:
    """The policy version out of the options that clients put it in."""
    request = dict(request)
    options = request.pop("options", None)
    version = options.get("requestedPolicyVersion") if isinstance(options, dict) else None
    return {**request, "requestedPolicyVersion": version} if version else request


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
            if not granted_permissions([self._policies.get(uri, Policy()), declared], Caller(account), SOURCE_ROLES):
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
