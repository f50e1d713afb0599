"""What the runtime refuses, as errors of the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.entity_id import InvalidEntityId
from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.feature_view.store.interface import NeverSynced, StoreError, SyncRunning
from trialrun.service.error import Status, field_path, service_error
from trialrun.service.journal import JournalError, unavailable


@contextmanager
def as_service_errors() -> Iterator[None]:
    """Report what the runtime refuses as an error of the service."""
    try:
        yield
    except CannotSync as error:
        field = field_path(("featureView", *error.steps))
        raise service_error(Status.FAILED_PRECONDITION, "cannot-sync", str(error), field=field) from error
    except Unreadable as error:
        raise service_error(Status.FAILED_PRECONDITION, "unreadable-source", str(error)) from error
    except NotSearchable as error:
        raise service_error(Status.FAILED_PRECONDITION, "cannot-index", str(error)) from error
    except InvalidEntityId as error:  # the columns changed after the id was read
        raise service_error(Status.INVALID_ARGUMENT, "invalid-entity-id", str(error)) from error
    except NeverSynced as error:
        raise service_error(Status.FAILED_PRECONDITION, "never-synced", str(error)) from error
    except SyncRunning as error:
        message = str(error) or "another sync of this view is running; wait until it ends"
        raise service_error(Status.ABORTED, "sync-running", message) from error
    except (StoreError, JournalError) as error:
        raise unavailable(error) from error
