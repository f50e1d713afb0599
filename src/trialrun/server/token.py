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


class Callers:
    """Who calls, by the token of a request: a member, or whoever has an access token of a view.

    `server_token` is that of the server, which says nothing of who calls.
    """

    def __init__(self, members: Mapping[str, Member], server_token: str | None = None) -> None:
        # looked up by digest: the time of that says nothing of how much of a token is right
        self._members = {_digest(token): member for token, member in members.items()}
        self._server_token = server_token

    def caller(self, headers: Iterable[tuple[str, str]]) -> Caller:
        """The caller by the headers, or metadata, of a request. Raises UNAUTHENTICATED for a token that is nobody's."""
        for name, value in headers:
            if name != AUTHORIZATION or value[: len(BEARER)].lower() != BEARER:
                continue
            token = value[len(BEARER) :].strip()
            if member := self._members.get(_digest(token)):
                return member
            if token.startswith(f"{FORMAT_PREFIX}."):
                return Anonymous(token)
            if self._server_token is None or not _is_equal(self._server_token, token):
                message = "the token of the request is nobody's; send one of the file of --access"
                raise service_error(Status.UNAUTHENTICATED, "unknown-token", message)
        return OWNER


def _digest(token: str) -> bytes:
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
