"""Access tokens: only our own, unchanged, for one resource and for a while."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.cases import each_of
from trialrun.service.error import ServiceError
from trialrun.service.token import Signer

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
SIGNER = Signer(b"k" * 32, timedelta(minutes=5))
TOKEN, EXPIRES = SIGNER.sign("views/a", "1", now=NOW)


def test_a_token_is_good_until_it_expires() -> None:
    claims = SIGNER.verify(TOKEN, now=EXPIRES - timedelta(microseconds=1))
    assert (claims.resource, claims.version) == ("views/a", "1")


def test_one_key_clock_and_resource_make_one_token() -> None:
    assert SIGNER.sign("views/a", "1", now=NOW)[0] == TOKEN


def test_an_expired_token_is_told_with_its_time() -> None:
    with pytest.raises(ServiceError) as told:
        SIGNER.verify(TOKEN, now=EXPIRES)
    assert (told.value.status.name, told.value.reason) == ("UNAUTHENTICATED", "expired-token")
    assert "2026-03-01T09:35:00Z" in told.value.message


@each_of(range(len(TOKEN)))
def test_a_token_that_was_changed_anywhere_is_refused(at: int) -> None:
    changed = TOKEN[:at] + ("A" if TOKEN[at] != "A" else "B") + TOKEN[at + 1 :]
    with pytest.raises(ServiceError, match="not issued by this service"):
        SIGNER.verify(changed, now=NOW)


@each_of(["", "x", "trialrun1..", "trialrun1.é.é", f"{TOKEN}=", f"{TOKEN} ", "trialrun1.e30."])
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(ServiceError, match="not issued by this service"):
        SIGNER.verify(token, now=NOW)


def test_a_token_of_another_key_is_refused() -> None:
    with pytest.raises(ServiceError, match="not issued by this service"):
        Signer(b"other").verify(TOKEN, now=NOW)


def test_a_token_is_for_one_resource_and_for_one_of_its_name() -> None:
    claims = SIGNER.verify(TOKEN, now=NOW)
    claims.require_resource("views/a")
    claims.require_version("1")
    with pytest.raises(ServiceError, match="is for views/a, not for views/b"):
        claims.require_resource("views/b")
    with pytest.raises(ServiceError, match="that was deleted"):
        claims.require_version("2")
