"""Who may call: the token of the server, and the file of `--access`, which says who has which token and may do what.

The file is the user's own, and named on the command line alone: what a checked repository has is never taken for it.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import read_file
from trialrun.parser import parse
from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.iam import (
    MEMBER,
    OWNER,
    ROLES,
    SOURCE_ROLES,
    TOKEN_PREFIX,
    AccessEnabled,
    Caller,
    Policy,
    require_valid,
)
from trialrun.service.lint_request import parse_request
from trialrun.values.suggest import did_you_mean

MIN_LENGTH = 16
TOKEN_HEADER = "x-trialrun-token"
BEARER = "bearer "
MAX_BYTES = 2**20
KEYS = ("tokens", "policies")
ID = r"[^/\s]+"
SOURCE = re.compile(rf"{ID}://\S+")
RESOURCE = re.compile(rf"\*|projects/{ID}(/locations/{ID}(/featureOnlineStores/{ID}(/featureViews/{ID})?)?)?")
STEP = re.compile(r"([A-Za-z]\w*)|(\d+)")
Place = tuple[str | int, ...]


def check_token(token: str, source: str) -> str:
    """The token, if it is a good one. Raises UsageError, which never contains it."""
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(f"{source}: the token has blanks, control characters or others than ASCII; use letters")
    if len(token) < MIN_LENGTH:
        raise UsageError(f"{source}: the token is too short; use at least {MIN_LENGTH} random characters")
    return token


def caller_of(members: Mapping[bytes, Caller] | None, headers: Iterable[tuple[str, str]]) -> Caller:
    """Who calls, by the headers, or metadata, of a request: a member, or whoever has an access token of a view.

    Without members, as without access control, it is the owner of the workspace. Members are found by the digests of
    their tokens, in a time that says nothing of how much of a token is right. Raises UNAUTHENTICATED for one that is
    nobody's.
    """
    if members is None:
        return OWNER
    token = next((token for name, value in headers if (token := _bearer(name, value)) is not None), None)
    if token is None:
        return OWNER
    if member := members.get(token_digest(token)):
        return member
    if token.startswith(f"{TOKEN_PREFIX}."):
        return Caller(access_token=token)
    message = f"the token is nobody's; send one of the file of --access, and the server's own in {TOKEN_HEADER}"
    raise service_error(Status.UNAUTHENTICATED, "unknown-token", message)


def require_token(token: str | None, headers: Iterable[tuple[str, str]]) -> None:
    """Check that the headers, or metadata, of a request have the token of the server. Raises PERMISSION_DENIED.

    The names of headers are in small letters. The status is never UNAUTHENTICATED: at a 401, clients would try to renew
    credentials that they need not have.
    """
    if token is None:
        return
    for name, value in headers:
        sent = value.strip() if name == TOKEN_HEADER else _bearer(name, value) or ""
        # compared in a time that says nothing of how much is right
        if hmac.compare_digest(token.encode(), sent.encode("utf-8", "surrogateescape")):
            return
    message = f"the token is missing or wrong; send `Authorization: Bearer TOKEN` or `{TOKEN_HEADER}: TOKEN`"
    raise service_error(Status.PERMISSION_DENIED, "token-required", message)


def _bearer(name: str, value: str) -> str | None:
    """The token that a header brings as a bearer, None where it is another header."""
    is_bearer = name == "authorization" and value[: len(BEARER)].lower() == BEARER
    return value[len(BEARER) :].strip() if is_bearer else None


def token_digest(token: str) -> bytes:
    """What a token is looked up by."""
    return sha256(token.encode("utf-8", "surrogateescape")).digest()


@dataclass(frozen=True)
class AccessFile:
    """The callers by the digests of their tokens, and the policies of resources and sources."""

    members: Mapping[bytes, Caller]
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


def _member(token: str, value: Any, place: str) -> Caller:
    """The caller with a token: a member, or a list of one and its groups."""
    names = value if isinstance(value, list) else [value]
    kinds = [name.partition(":")[0] if isinstance(name, str) and MEMBER.fullmatch(name) else "" for name in names]
    if kinds[:1] not in (["user"], ["serviceAccount"]) or {*kinds[1:]} - {"group"}:  # what is there may be a token
        raise UsageError(f"{place}: write user:NAME@DOMAIN or serviceAccount:NAME@DOMAIN, or a list of it and groups")
    check_token(token, place)
    return Caller(names[0], tuple(names[1:]))


def _policy(name: str, value: Any, place_of: Callable[[Place], str]) -> Policy:
    is_source = SOURCE.fullmatch(name)
    if not is_source and not RESOURCE.fullmatch(name):
        message = f'"{name}" is not a resource; write "*", a name from projects/ on, or the uri of a source'
        raise UsageError(f"{place_of(('policies', name))}: {message}")
    try:
        policy = parse_request(Policy, value)
        require_valid(policy, SOURCE_ROLES if is_source else ROLES, field="")
    except ServiceError as error:
        violation = error.field_violations[0]
        steps = [int(index) if index else field for field, index in STEP.findall(violation.field)]
        message = f"{violation.field}: {violation.description}".lstrip(".: ")
        raise UsageError(f"{place_of(('policies', name, *steps))}: {message}") from error
    return policy
