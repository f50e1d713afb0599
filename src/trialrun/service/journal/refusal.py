"""What a journal that cannot keep a change has a service answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.journal.interface import JournalError


def unavailable(error: Exception) -> ServiceError:
    """The refusal of what cannot be kept."""
    return service_error(Status.UNAVAILABLE, "cannot-store", str(error))


@contextmanager
def refuse_unkept() -> Iterator[None]:
    """Refuse a request whose change the journal cannot keep."""
    try:
        yield
    except JournalError as error:
        raise unavailable(error) from error
