"""The file of `--access`: who the callers are, by their tokens, and what policies let them do.

It is the user's own, and named on the command line alone: what a checked repository has is never taken for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from pydantic import Field, ValidationError

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import read_file
from trialrun.lazy_dataclass import dataclass
from trialrun.parser import Document, parse
from trialrun.server.token import check_token
from trialrun.service.caller import Member
from trialrun.service.error import ServiceError
from trialrun.service.feature_view.authorization import ROLES
from trialrun.service.feature_view.service_account import SOURCE_ROLES
from trialrun.service.iam.access import AccessEnabled
from trialrun.service.iam.policy import MEMBER, Policy, require_valid
from trialrun.service.message import Message
from trialrun.service.parse_request import EXTRA_FIELD
from trialrun.text import Source
from trialrun.values.suggest import did_you_mean

MAX_BYTES = 2**20
EVERYTHING = "*"
"""The name of the policy that holds for every resource."""
PARTS = ("projects", "locations", "featureOnlineStores", "featureViews")
RESOURCE = re.compile("(?:/".join(f"{part}/[^/\\s]+" for part in PARTS) + ")?" * (len(PARTS) - 1))
"""The name of a project, or of a location, a store or a view in it."""
STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


class AccessContent(Message):
    """What the file has: the member of each token, the members of groups, and policies by resource."""

    tokens: dict[str, str] = Field(default_factory=dict)
    groups: dict[str, list[str]] = Field(default_factory=dict)
    policies: dict[str, Policy] = Field(default_factory=dict)


@dataclass(frozen=True)
class AccessFile:
    """The callers by their tokens, who may call what, and who may read which sources."""

    members: Mapping[str, Member]
    control: AccessEnabled
    sources: Mapping[str, Policy] = field(default_factory=dict)


def read_access_file(file: Path) -> AccessFile:
    """What a file says. Raises UsageError with the line of what is wrong; it never contains a token."""
    path = os.path.realpath(file)
    try:
        data = read_file(path, MAX_BYTES, named_in=os.path.dirname(path))
    except OSError as error:
        raise UsageError(f"--access: {file} cannot be read; {os_error_reason(error)}") from error
    if len(data) > MAX_BYTES:
        raise UsageError(f"--access: {file} has more than {MAX_BYTES:,} bytes; name groups instead of members")
    parsed = parse(data, path)
    if parsed.errors:
        line = parsed.source.position(parsed.errors[0].span.start).line
        raise UsageError(f"--access: {file}:{line}: {parsed.errors[0].message}")
    if len(parsed.documents) != 1 or not isinstance(parsed.documents[0].value, dict):
        raise UsageError(f"--access: {file} is not one mapping; write {', '.join(AccessContent.model_fields)}")
    return _Reader(str(file), parsed.source, parsed.documents[0]).read()


class _Reader:
    """Reads the document of a file, and refuses it with the line of what is wrong."""

    def __init__(self, file: str, source: Source, document: Document) -> None:
        self._file, self._source, self._document = file, source, document

    def read(self) -> AccessFile:
        try:
            content = AccessContent.model_validate(self._document.value)
        except ValidationError as error:
            raise self._wrong_content(error) from error
        groups = self._groups(content)
        members = {token: self._member(token, name, groups) for token, name in content.tokens.items()}
        policies = dict(content.policies)
        for resource, policy in policies.items():
            self._check_policy(resource, policy)
        everything = policies.pop(EVERYTHING, Policy())
        sources = {uri: policies.pop(uri) for uri in content.policies if _is_uri(uri)}
        return AccessFile(members, AccessEnabled(everything, policies), sources)

    def _groups(self, content: AccessContent) -> Mapping[str, tuple[str, ...]]:
        """The groups of each member."""
        found: dict[str, tuple[str, ...]] = {}
        for group, members in content.groups.items():
            self._require_member(group, "group", ("groups", group))
            for index, member in enumerate(members):
                self._require_member(member, "user:serviceAccount", ("groups", group, index))
                found[member] = (*found.get(member, ()), group)
        return found

    def _member(self, token: str, name: str, groups: Mapping[str, tuple[str, ...]]) -> Member:
        place = ("tokens", token)
        self._require_member(name, "user:serviceAccount", place)
        check_token(token, f"--access: {self._file}:{self._line(place)}")
        return Member(name, groups.get(name, ()))

    def _require_member(self, member: str, kinds: str, place: tuple[str | int, ...]) -> None:
        if not MEMBER.fullmatch(member) or member.partition(":")[0] not in kinds.split(":"):
            examples = [f"{kind}:NAME@acme.example" for kind in kinds.split(":")]
            shown = "the member of a token" if place[0] == "tokens" else f'"{member}"'  # it may be a token by mistake
            raise self._error(place, f"{shown} is not one; write {' or '.join(examples)}")

    def _check_policy(self, resource: str, policy: Policy) -> None:
        if resource != EVERYTHING and not _is_uri(resource) and not RESOURCE.fullmatch(resource):
            message = f'"{resource}" is not a resource; write "*", a name from projects/ on, or the uri of a source'
            raise self._error(("policies", resource), message)
        try:
            require_valid(policy, SOURCE_ROLES if _is_uri(resource) else ROLES, field="")
        except ServiceError as error:
            violation = error.field_violations[0]
            steps = [int(index) if index else name for name, index in STEP.findall(violation.field)]
            raise self._error(("policies", resource, *steps), violation.description) from error

    def _wrong_content(self, error: ValidationError) -> UsageError:
        found = error.errors(include_url=False, include_context=False, include_input=False)[0]
        steps = found["loc"]
        message = f"{steps[0]}: {found['msg'][:1].lower()}{found['msg'][1:]}"
        if found["type"] == EXTRA_FIELD:
            known = AccessContent.model_fields if len(steps) == 1 else ("role", "members", "bindings", "version")
            message = f'unknown key "{steps[-1]}"{did_you_mean(str(steps[-1]), known)}'
        return self._error(steps, message)

    def _error(self, place: tuple[str | int, ...], message: str) -> UsageError:
        return UsageError(f"--access: {self._file}:{self._line(place)}: {message}")

    def _line(self, place: tuple[str | int, ...]) -> int:
        span = self._document.key_span(place) or self._document.span(place)
        return self._source.position(span.start).line


def _is_uri(resource: str) -> bool:
    return "://" in resource
