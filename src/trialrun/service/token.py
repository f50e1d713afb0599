"""Access tokens: signed, bound to one resource, and good for a while."""

from __future__ import annotations

import base64
import hmac
import json
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.service.error import ServiceError, Status, refused
from trialrun.service.message import z_form

FORM = "trialrun1"


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token of ours says: the resource that it is for, and the version that tells it from others of its name."""

    resource: str
    version: str

    def require_resource(self, resource: str) -> None:
        """Refuse a token of another resource."""
        if self.resource != resource:
            raise _denied(f"the access token is for {self.resource}, not for {resource}; generate one for it")

    def require_version(self, version: str) -> None:
        """Refuse a token of a resource of the same name that is gone."""
        if self.version != version:
            raise _denied(f"the access token is for a {self.resource} that was deleted; generate one for the new one")


@dataclass(frozen=True)
class Signer:
    """Signs tokens with a key that nobody else has, and checks them; `lifetime` is how long they are good."""

    key: bytes
    lifetime: timedelta = timedelta(hours=1)

    def token(self, resource: str, version: str, *, now: datetime) -> tuple[str, datetime]:
        """A token for a resource, and when it expires; `version` tells it from others of its name, gone or to come."""
        expires = now + self.lifetime
        claims = json.dumps({"resource": resource, "version": version, "expires": expires.timestamp()})
        payload = _text(claims.encode())
        return f"{FORM}.{payload}.{self._signature(payload)}", expires

    def claims(self, token: str, *, now: datetime) -> Claims:
        """What a token says. Raises UNAUTHENTICATED where it is not of ours, or expired."""
        read = self._read(token)
        expires = datetime.fromtimestamp(read["expires"], now.tzinfo)
        if now >= expires:
            raise _bad("expired-token", f"the access token expired at {z_form(expires)}; generate another one")
        return Claims(read["resource"], read["version"])

    def _read(self, token: str) -> dict[str, Any]:
        form, _, rest = token.partition(".")
        payload, _, signature = rest.partition(".")
        if form != FORM or not hmac.compare_digest(
            signature.encode("utf-8", "surrogatepass"), self._signature(payload).encode()
        ):
            raise _bad("invalid-token", "the access token is not one of this service, or was changed; generate one")
        claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return claims

    def _signature(self, payload: str) -> str:
        return _text(hmac.new(self.key, payload.encode("utf-8", "surrogatepass"), sha256).digest())


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _bad(reason: str, message: str) -> ServiceError:
    return refused(Status.UNAUTHENTICATED, reason, message)


def _denied(message: str) -> ServiceError:
    return refused(Status.PERMISSION_DENIED, "token-of-another-resource", message)
