"""The errors of the service."""

from __future__ import annotations

from trialrun.service.error import ServiceError, Status


def test_an_error_reads_as_its_message() -> None:
    error = ServiceError(Status.NOT_FOUND, "there is no such view")
    assert (str(error), error.code) == ("there is no such view", 5)
