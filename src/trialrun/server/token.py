"""The tokens that clients send: that of the server, and those that say who a caller is."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from hashlib import sha256

from trialrun.errors import UsageError
from trialrun.service.caller import OWNER, Anonymous, Caller, Member
from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.token import FORMAT_PREFIX

MIN_LENGTH = 16
TOKEN_HEADER = "x-trialrun-token"
AUTHORIZATION = "authorization"
BEARER = "bearer "


def check_token(token: str, source: str) -> str:
    """The token, if it is a good one. Raises UsageError, which never contains it."""
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(f"{source}: the token has blanks, control characters or others than ASCII; use letters")
    if len(token) < MIN_LENGTH:
        raise UsageError(f"{source}: the token is too short; use at least {MIN_LENGTH} random characters")
    return token


def caller_of(members: Mapping[bytes, Member] | None, headers: Iterable[tuple[str, str]]) -> Caller:
    """Who calls, by the headers, or metadata, of a request: a member, or whoever has an access token of a view.

    Without members, as without access control, it is the owner of the workspace. Members are found by the digests of
    their tokens, in a time that says nothing of how much of a token is right. Raises UNAUTHENTICATED for one that is
    nobody's.
    """
    for name, value in headers if members is not None else ():
        if name == AUTHORIZATION and value[: len(BEARER)].lower() == BEARER:
            token = value[len(BEARER) :].strip()
            if member := (members or {}).get(token_digest(token)):
                return member
            if token.startswith(f"{FORMAT_PREFIX}."):
                return Anonymous(token)
            message = f"the token is nobody's; send one of the file of --access, and the server's own in {TOKEN_HEADER}"
            raise service_error(Status.UNAUTHENTICATED, "unknown-token", message)
    return OWNER


def token_digest(token: str) -> bytes:
    """What a token is looked up by."""
    return sha256(token.encode("utf-8", "surrogateescape")).digest()


def require_token(token: str | None, headers: Iterable[tuple[str, str]]) -> None:
    """Check that the headers, or metadata, of a request have the token of the server. Raises PERMISSION_DENIED.

    The names of headers are in small letters. The status is never UNAUTHENTICATED: at a 401, clients would try to renew
    credentials that they need not have.
    """
    if token is not None and not any(_is_token(token, name, value) for name, value in headers):
        raise wrong_token()


def wrong_token() -> ServiceError:
    """PERMISSION_DENIED for a request without the token."""
    message = f"the token is missing or wrong; send `Authorization: Bearer TOKEN` or `{TOKEN_HEADER}: TOKEN`"
    return service_error(Status.PERMISSION_DENIED, "token-required", message)


def _is_token(token: str, name: str, value: str) -> bool:
    if name == AUTHORIZATION and value[: len(BEARER)].lower() == BEARER:
        return _is_equal(token, value[len(BEARER) :].strip())
    return name == TOKEN_HEADER and _is_equal(token, value.strip())


def _is_equal(token: str, sent: str) -> bool:
    """Compared in a time that says nothing of how much is right."""
    return hmac.compare_digest(token.encode(), sent.encode("utf-8", "surrogateescape"))
