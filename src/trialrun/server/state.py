"""Where a server keeps what clients do: values and indexes of views, and the journal of everything else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.service.journal.interface import JournalError
from trialrun.service.journal.journal_file import open_journal
from trialrun.workspace.dry_run import DryRun, open_store_folder

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.trial_run import StoreLocations
    from trialrun.service.journal import Journal


@dataclass(frozen=True)
class ServerState:
    """The journal of the services of a server, and where values are."""

    journal: Journal
    places: StoreLocations


@contextmanager
def open_state(trial: DryRun, folder: Path | None) -> Iterator[ServerState]:
    """The state in a folder, else in that of the workspace, for this server alone. Raises UsageError.

    A workspace whose settings name a remote store has its values there, and the journal on this machine.
    """
    own = open_store_folder(trial.request.root, folder)
    try:
        with open_journal(own.path, own.guard) as journal:
            yield ServerState(journal, own if folder else trial.stores.locations)
    except JournalError as error:
        raise UsageError(str(error)) from error


__all__ = ["ServerState", "open_state"]
