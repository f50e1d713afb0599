"""Access tokens: signed, valid for one resource and a limited time."""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.journal import Journal, Record
from trialrun.values.timestamp import format_timestamp

FORMAT_PREFIX = "trialrun1"
KEY_KIND = "key"


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """The claims of a token: its resource, and the version that distinguishes it from others of the same name."""

    resource: str
    version: str

    def require_resource(self, resource: str) -> None:
        """Refuse a token for another resource."""
        if self.resource != resource:
            raise _denied(f"the access token is for {self.resource}, not for {resource}; generate one for it")

    def require_version(self, version: str) -> None:
        """Refuse a token for a deleted resource of the same name."""
        if self.version != version:
            raise _denied(f"the access token is for a {self.resource} that was deleted; generate one for the new one")


@dataclass(frozen=True)
class Signer:
    """Signs and verifies tokens with a private key; `lifetime` is their validity period."""

    key: bytes
    lifetime: timedelta = timedelta(hours=1)

    def sign(self, resource: str, version: str, *, now: datetime) -> tuple[str, datetime]:
        """A token for a resource, and its expiry; `version` distinguishes the resource from others of the same name."""
        expires = now + self.lifetime
        claims = json.dumps({"resource": resource, "version": version, "expires": expires.timestamp()})
        payload = _base64url(claims.encode())
        return f"{FORMAT_PREFIX}.{payload}.{self._signature(payload)}", expires

    def verify(self, token: str, *, now: datetime) -> TokenClaims:
        """The claims of a token. Raises UNAUTHENTICATED if it is invalid or expired."""
        read = self._decode(token)
        expires = datetime.fromtimestamp(read["expires"], now.tzinfo)
        if now >= expires:
            raise _unauthenticated(
                "expired-token", f"the access token expired at {format_timestamp(expires)}; generate another one"
            )
        return TokenClaims(read["resource"], read["version"])

    def _decode(self, token: str) -> dict[str, Any]:
        form, _, rest = token.partition(".")
        payload, _, signature = rest.partition(".")
        if form != FORMAT_PREFIX or not hmac.compare_digest(
            signature.encode("utf-8", "surrogatepass"), self._signature(payload).encode()
        ):
            raise _unauthenticated(
                "invalid-token", "the access token was not issued by this service, or was changed; generate one"
            )
        claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return claims

    def _signature(self, payload: str) -> str:
        return _base64url(hmac.new(self.key, payload.encode("utf-8", "surrogatepass"), sha256).digest())


def read_signer(journal: Journal) -> Signer:
    """A signer whose key a journal keeps; it is made when it is asked for first. Raises JournalError."""
    record = journal.get(KEY_KIND, "signer")
    if record is None:
        record = {"key": secrets.token_hex(32)}
        journal.write([Record(KEY_KIND, "signer", record)])
    return Signer(bytes.fromhex(record["key"]))


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _unauthenticated(reason: str, message: str) -> ServiceError:
    return service_error(Status.UNAUTHENTICATED, reason, message)


def _denied(message: str) -> ServiceError:
    return service_error(Status.PERMISSION_DENIED, "token-of-another-resource", message)
