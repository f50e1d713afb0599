"""The file of `--access`: who the callers are, by their tokens, and what policies let them do.

It is the user's own, and named on the command line alone: what a checked repository has is never taken for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import read_file
from trialrun.lazy_dataclass import dataclass
from trialrun.parser import parse
from trialrun.server.token import check_token, token_digest
from trialrun.service.caller import Member
from trialrun.service.error import ServiceError
from trialrun.service.feature_view.authorization import ROLES
from trialrun.service.feature_view.service_account import SOURCE_ROLES
from trialrun.service.iam.access import AccessEnabled
from trialrun.service.iam.policy import MEMBER, Policy, require_valid
from trialrun.service.parse_request import parse_request
from trialrun.values.suggest import did_you_mean

MAX_BYTES = 2**20
KEYS = ("tokens", "policies")
ID = r"[^/\s]+"
SOURCE = re.compile(rf"{ID}://\S+")
RESOURCE = re.compile(rf"\*|projects/{ID}(/locations/{ID}(/featureOnlineStores/{ID}(/featureViews/{ID})?)?)?")
STEP = re.compile(r"([A-Za-z]\w*)|(\d+)")
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class AccessFile:
    """The callers by the digests of their tokens, and the policies of resources and sources."""

    members: Mapping[bytes, Member]
    control: AccessEnabled


def read_access_file(file: str) -> AccessFile:
    """What a file says. Raises UsageError with the line of what is wrong, which never contains a token."""
    path = os.path.realpath(file)
    try:
        data = read_file(path, MAX_BYTES, named_in=os.path.dirname(path))
    except OSError as error:
        raise UsageError(f"--access: {file} cannot be read; {os_error_reason(error)}") from error
    parsed = parse(data, path, max_bytes=MAX_BYTES)
    document = parsed.documents[0] if len(parsed.documents) == 1 else None

    def place_at(offset: int) -> str:
        return f"--access: {file}:{parsed.source.position(offset).line}"

    if parsed.errors:
        raise UsageError(f"{place_at(parsed.errors[0].span.start)}: {parsed.errors[0].message}")
    if document is None or not isinstance(content := document.value, dict):
        raise UsageError(f"{place_at(0)}: it is not one mapping; write {' and '.join(KEYS)}")

    def place_of(place: Place) -> str:
        return place_at((document.key_span(place) or document.span(place)).start)

    for key, value in content.items():
        if key not in KEYS:
            raise UsageError(f"{place_of((key,))}: unknown key{did_you_mean(key, KEYS)}")
        if not isinstance(value, dict):
            raise UsageError(f"{place_of((key,))}: {key} is a mapping; write lines under it, or leave it out")
    tokens, policies = content.get("tokens", {}), content.get("policies", {})
    members = {token_digest(token): _member(token, tokens[token], place_of(("tokens", token))) for token in tokens}
    policies = {name: _policy(name, value, place_of) for name, value in policies.items()}
    return AccessFile(members, AccessEnabled(policies.get("*", Policy()), policies))


def _member(token: str, value: Any, place: str) -> Member:
    """The caller with a token: a member, or a list of one and its groups."""
    names = value if isinstance(value, list) else [value]
    kinds = [name.partition(":")[0] if isinstance(name, str) and MEMBER.fullmatch(name) else "" for name in names]
    if kinds[:1] not in (["user"], ["serviceAccount"]) or {*kinds[1:]} - {"group"}:  # what is there may be a token
        raise UsageError(f"{place}: write user:NAME@DOMAIN or serviceAccount:NAME@DOMAIN, or a list of it and groups")
    check_token(token, place)
    return Member(names[0], tuple(names[1:]))


def _policy(name: str, value: Any, place_of: Callable[[Place], str]) -> Policy:
    if not RESOURCE.fullmatch(name) and not SOURCE.fullmatch(name):
        message = f'"{name}" is not a resource; write "*", a name from projects/ on, or the uri of a source'
        raise UsageError(f"{place_of(('policies', name))}: {message}")
    try:
        policy = parse_request(Policy, value)
        require_valid(policy, SOURCE_ROLES if SOURCE.fullmatch(name) else ROLES, field="")
    except ServiceError as error:
        violation = error.field_violations[0]
        steps = [int(index) if index else field for field, index in STEP.findall(violation.field)]
        message = f"{violation.field}: {violation.description}".lstrip(".: ")
        raise UsageError(f"{place_of(('policies', name, *steps))}: {message}") from error
    return policy
