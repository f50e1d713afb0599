"""Lines above resources: what is due or in effect, and a command of trialrun that shows it or tries it out.

A command is a list of words, for a program that starts it without a shell: names with spaces, quotes or letters of any
script are words like others. Names that begin with a hyphen are behind `--`.
"""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.diagnostic import Range, SymbolicLocation, json_pointer
from trialrun.lint.policy import is_policy
from trialrun.lsp.describe.proofs import never_offered
from trialrun.lsp.describe.schedule import next_run_words, schedule_of_view
from trialrun.lsp.describe.stores import applied_configs, document_key, effective_count
from trialrun.lsp.results import Object
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import Node
from trialrun.report.summary import pluralize
from trialrun.runtime.channel_config.layers import layers
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.schedule import CronSchedule
from trialrun.values.resource_name import last_id
from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile, WorkspaceFile
from trialrun.workspace.open_workspace.catalog_cache import brands, views

PROGRAM = "trialrun"


def code_lens(workspace: OpenWorkspace, path: str) -> list[Object]:
    """The lenses of a text, in the order of their places; the arguments of a command are its words."""
    file = workspace.workspace_file(path)
    if file is None:
        return []
    lenses = [lens for part in file.resources for lens in _lenses(workspace, file, part)]
    for document in file.parsed.documents:
        if is_policy(document.value) and "kind" not in document.value:  # its examples are its tests
            above = file.range(document.first_key_span(()))
            lenses.append(_lens(above, "test the examples", (PROGRAM, "rules", *_command("test", path)[1:])))
    return sorted(lenses, key=lambda lens: lens["range"])


def _lens(above: Range, title: str, words: tuple[str, ...] | None) -> Object:
    return {"range": above, "command": {"title": title, "command": "", **({"arguments": [*words]} if words else {})}}


def _lenses(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Object]:
    above, node = file.range(part.document.first_key_span(part.root)), part.model.node
    name, key = getattr(node, "name", None), (file.path, part.document.index, json_pointer(part.root))
    match part.kind:
        case "FeatureView":
            schedule = schedule_of_view(node, workspace)
            words = next_run_words(schedule, workspace.request.now, "next sync") if schedule else None
            if words:
                title = words if isinstance(schedule, CronSchedule) else f"synced {words}"
                yield _lens(above, title, _command("schedule", name) if name else None)
            if name and has_rows(node, views(workspace)):
                yield _lens(above, "trial sync", _command("sync", name))
        case "ChannelConfig" if brands(workspace).brands:
            count = effective_count(applied_configs(workspace).get(key, ()))
            yield _lens(above, f"effective at {count}", (PROGRAM, "resolve", "--all-stores"))
            for place, why, stores in never_offered(workspace, key):
                title = f"proved never offered at {', '.join(map(last_id, stores))}: {why}"
                yield _lens(place, title, _command("prove", *stores))
        case "Brand":
            catalog = brands(workspace)
            for store in catalog.stores:
                if document_key(store.brand) == key:
                    range_ = file.range(part.span(SymbolicLocation(node, ("stores", store.index, "name"))))
                    configs = pluralize(len(layers(store, catalog)), "config")
                    yield _lens(range_, f"{configs} applied", _command("resolve", store.name))
        case "Scenario":
            only = ("-k", name) if name else ()
            yield _lens(above, "run scenario", (PROGRAM, "test", *only, *_command("test", file.path)[2:]))


def _command(verb: str, *names: str) -> tuple[str, ...]:
    """A command line of trialrun; `--` keeps it from taking a name for an option."""
    is_like_an_option = any(name.startswith("-") for name in names)
    return (PROGRAM, verb, *(("--",) if is_like_an_option else ()), *names)


def has_rows(view: Node, catalog: Catalog) -> bool:
    """Whether the workspace declares a Source for everything that a view is synced from."""
    if not isinstance(view, FeatureView):
        return False
    source = view.warehouseSource or view.ragSource
    if source is not None:
        return _names_rows(source.uri, catalog)
    registry = view.featureRegistrySource
    groups = registry.featureGroups if registry else None
    if not registry or not groups:
        return False
    tables = [catalog.group(group.featureGroupId or "", registry.projectNumber) for group in groups]
    return all(table is not None and _names_rows(table.node.uri, catalog) for table in tables)


def _names_rows(uri: str | None, catalog: Catalog) -> bool:
    source = catalog.source(uri or "")
    return source is not None and source.node.unknown_value("files") is None
