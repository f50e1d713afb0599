"""What the commands about views share: the view that a name means, what it serves, and entity ids."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trialrun.cli.options import parse_time
from trialrun.cli.output import print_note, show_diagnostics, write_utf8
from trialrun.cli.workspace_options import MAX_NAMES, require_libraries, suggest_names
from trialrun.diagnostic import Diagnostic, Severity, SymbolicLocation
from trialrun.errors import StoreError, UsageError
from trialrun.outputs.origin import document_errors
from trialrun.report.format_value import format_time
from trialrun.report.json import json_text
from trialrun.runtime.declaration import DeclaredResource, UndeclaredError, documents_digest
from trialrun.runtime.feature_view.data_finding import CannotSync, DataFinding
from trialrun.runtime.feature_view.direct_write import explain_no_values, has_source
from trialrun.runtime.feature_view.store.interface import (
    EntityId,
    InvalidEntityId,
    NeverSynced,
    Snapshot,
    entity_id_from_parts,
)
from trialrun.values.resource_name import is_same_resource, last_id, shown_name

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.feature_view.column import Column
    from trialrun.runtime.feature_view.trial_run import TrialRun
    from trialrun.workspace.dry_run import DryRun

NO_VIEW = "the workspace declares no view"


class DocumentError(Exception):
    """A deed that a document of the workspace does not allow: the command ends with exit code 1."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def find_view(name: str, trial: DryRun) -> DeclaredResource[FeatureView]:
    """The view that a resource name, the end of one, or an id means. Raises UsageError, which names the nearest."""
    try:
        return trial.catalog.view(name)
    except UndeclaredError as error:
        paths = trial.catalog.unreadable_paths
        unread = f"; run trialrun check to see what cannot be read in {', '.join(paths[:MAX_NAMES])}" if paths else ""
        raise UsageError(f"{error}{suggest_names(name, error.candidates, NO_VIEW)}{unread}") from error


@contextmanager
def store_errors_as_usage() -> Iterator[None]:
    """Makes what keeps a store from being read or written a UsageError."""
    try:
        yield
    except StoreError as error:
        raise UsageError(str(error)) from error


def view_name(view: DeclaredResource[FeatureView]) -> str:
    """The resource name of a view that was found by its name."""
    return view.node.name or ""


def view_title(view: DeclaredResource[FeatureView], trial: DryRun) -> str:
    """The id of a view, for people; of a view whose id others have too, as much of its name as they do not have."""
    name = view_name(view)
    id = last_id(name)
    same = [one for one in map(view_name, trial.catalog.views) if one != name and last_id(one) == id]
    parts = name.split("/")
    ends = ("/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1))
    return shown_name(next((end for end in ends if not any(is_same_resource(one, end) for one in same)), name))


def document_error(
    view: DeclaredResource[FeatureView], rule: str, message: str, steps: Sequence[str | int]
) -> Diagnostic:
    """An error about a part of a view's document, of which the file may have less than the model: then about it all."""
    return Diagnostic(
        rule=rule,
        severity=Severity.ERROR,
        message=message,
        path=view.path,
        range=view.locate(SymbolicLocation(view.node, tuple(steps))),
        document=view.document,
    )


def report_errors(
    name: str, diagnostics: Sequence[Diagnostic], trial: DryRun, options: dict[str, Any]
) -> dict[str, Any]:
    """Show on standard error what is wrong in the documents of a view, or of a file without a name of one.

    What programs are told of it.
    """
    sys.stdout.flush()
    show_diagnostics(diagnostics, trial.request.source, color=options["color"])
    return {"view": name or None, "errors": document_errors(diagnostics)}


def report_view_errors(
    view: DeclaredResource[FeatureView], error: DocumentError, trial: DryRun, options: dict[str, Any]
) -> int:
    """Show what is to blame where a view cannot answer; the exit code."""
    errors = report_errors(view_name(view), [error.diagnostic], trial, options)
    if options["output_format"] == "json":
        write_utf8([json_text({"version": 1, **errors}), "\n"])
    return 1


def parse_entity_id(text: str, keys: tuple[Column, ...]) -> EntityId:
    """The entity id that a text means: the value itself, `a,7` for two columns, or a JSON array. Raises UsageError."""
    try:
        return entity_id_from_parts(parse_parts(text, keys), keys)
    except InvalidEntityId as error:
        raise UsageError(f'"{text}" is not an entity id: {error}') from error


def parse_parts(text: str, keys: Sequence[Column]) -> Sequence[object]:
    """The values that a text has for the entity id columns. Raises UsageError."""
    listed = _parse_array(text)
    if listed is not None and (len(keys) > 1 or len(listed) == 1):
        found: Sequence[object] = listed
    else:
        found = text.split(",") if len(keys) > 1 else [text]
    if len(found) != len(keys):
        columns = ", ".join(f"{key.name} ({key.type_text})" for key in keys)
        problem = f"it has {len(found)} value{'' if len(found) == 1 else 's'}, not {len(keys)}: {columns}"
        raise UsageError(f'"{text}" is not an entity id: {problem}; write {_example(keys)}')
    return found


def format_entity_id(id: Sequence[object]) -> str:
    """An entity id as a person may write it back: the value itself, or values with commas, or a JSON array."""
    texts = [str(part) for part in id]
    unclear = any(not text or text != text.strip() or ("," in text and len(texts) > 1) for text in texts)
    if unclear or _parse_array(",".join(texts)) is not None:
        return json.dumps(list(id), ensure_ascii=False)
    return ",".join(texts)


def _parse_array(text: str) -> list[Any] | None:
    """The items of a text that is a JSON array of texts and numbers."""
    if not text.lstrip().startswith("["):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if all(isinstance(one, str | int) and not isinstance(one, bool) for one in value) else None


def _example(keys: Sequence[Column]) -> str:
    values = [7 if key.type == "INT64" else key.name.upper() for key in keys]
    if len(keys) == 1:
        return str(values[0])
    return f"{','.join(map(str, values))} or '{json.dumps(values)}'"


@dataclass(frozen=True)
class ServedSource:
    """The trial run that answers, the snapshot, and in words which sync that is of."""

    trial: TrialRun
    snapshot: Snapshot
    origin: str
    findings: Sequence[DataFinding] = ()
    assumptions: Sequence[str] = ()


def served_source(
    view: DeclaredResource[FeatureView],
    trial: DryRun,
    at: str | None,
    *,
    ids: Sequence[str] | None = None,
    search: bool = False,
) -> ServedSource:
    """What answers for a view, at the time of `--at` if there is one, at least of some ids; for a search its indexes.

    What a view served at another time is its sync made again in memory. Raises UsageError if it was not synced by then,
    and DocumentError if that sync cannot be repeated.
    """
    if at is None:
        return _current_source(view, trial)
    require_libraries("--at", "runtime", "duckdb", "numpy")
    try:
        with store_errors_as_usage():
            return _past_source(view, trial, at, ids=ids, search=search)
    except NeverSynced as error:
        raise UsageError(str(error)) from error
    except CannotSync as error:
        raise DocumentError(document_error(view, "cannot-sync", str(error), error.steps)) from error


def _current_source(view: DeclaredResource[FeatureView], trial: DryRun) -> ServedSource:
    with store_errors_as_usage():
        snapshot = trial.snapshot(view)
    title = view_title(view, trial)
    if snapshot is None:
        raise UsageError(explain_no_values(view.node, title, f"sync it with trialrun sync {title}"))
    is_synced = snapshot.plan and has_source(view.node)
    if is_synced and not snapshot.plan.startswith(documents_digest(view.node, trial.catalog)):
        changed = f"{title} or the documents of its rows changed since the last sync"
        print_note(f"{changed}; run trialrun sync {title} to update the values")
    return ServedSource(trial, snapshot, _describe_sync(snapshot))


def _describe_sync(snapshot: Snapshot) -> str:
    if not snapshot.number:
        return "written directly"
    return f"sync {snapshot.number}, {format_time(snapshot.synced_at)}"


def _past_source(
    view: DeclaredResource[FeatureView], trial: DryRun, at: str, *, ids: Sequence[str] | None, search: bool
) -> ServedSource:
    moment = parse_time(at)
    entity_ids: list[EntityId] | None = None
    if ids is not None:
        known = None if has_source(view.node) else trial.snapshot(view)
        layout = trial.plan(view, cutoff=moment).layout if has_source(view.node) else known and known.layout
        entity_ids = [parse_entity_id(text, layout.keys) for text in ids] if layout else []
    past, past_trial = trial.at(view, moment, ids=entity_ids, with_index=search)
    snapshot = past_trial.snapshot(view)
    assert snapshot is not None
    origin = _describe_sync(snapshot)
    if past.is_replayed and past.kind == "written":
        origin = f"written directly until {format_time(past.at)}"
    elif past.is_replayed:
        words = {"recorded": "the sync", "scheduled": "the scheduled sync", "continuous": "the continuous sync"}
        origin = f"{words[past.kind]} of {format_time(past.at)}, repeated"
    return ServedSource(past_trial, snapshot, origin, past.findings, past.assumptions)
