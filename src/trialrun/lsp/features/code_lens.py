"""Lines above resources: what is due or in effect, and a command of trialrun that shows it or tries it out.

A command is a list of words, for a program that starts it without a shell: names with spaces, quotes or letters of any
script are words like others. Names that begin with a hyphen are behind `--`.
"""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.diagnostic import Range, SymbolicLocation, json_pointer
from trialrun.lint.policy import is_policy
from trialrun.lsp.describe.schedule import next_run_words, schedule_of_view
from trialrun.lsp.describe.stores import applied_configs, effective_count
from trialrun.lsp.results import CodeLens
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import Node
from trialrun.report.summary import pluralize
from trialrun.runtime.channel_config.layers import layers
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.schedule import CronSchedule
from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile, WorkspaceFile
from trialrun.workspace.open_workspace.catalog_cache import brands, views

PROGRAM = "trialrun"


def code_lens(workspace: OpenWorkspace, path: str) -> tuple[CodeLens, ...]:
    """The lenses of a text, in the order of their places."""
    file = workspace.workspace_file(path)
    if file is None:
        return ()
    lenses = [lens for part in file.resources for lens in _lenses(workspace, file, part)]
    lenses += _policies(workspace, file)
    return tuple(sorted(lenses, key=lambda lens: lens.range))


def _lenses(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[CodeLens]:
    above = file.range(part.document.first_key_span(part.root))
    match part.kind:
        case "FeatureView":
            yield from _next_sync(workspace, part, above)
            yield from _trial(workspace, part, above)
        case "ChannelConfig":
            yield from _stores(workspace, file, part, above)
        case "Brand":
            yield from _configs(workspace, file, part)
        case "Scenario":
            yield from _scenario(file, part, above)


def _next_sync(workspace: OpenWorkspace, part: ResourceInFile, above: Range) -> Iterator[CodeLens]:
    schedule = schedule_of_view(part.model.node, workspace)
    words = next_run_words(schedule, workspace.request.now, "next sync") if schedule else None
    if words:
        name = getattr(part.model.node, "name", None)
        title = words if isinstance(schedule, CronSchedule) else f"synced {words}"
        yield CodeLens(above, title, _command("schedule", name) if name else None)


def _trial(workspace: OpenWorkspace, part: ResourceInFile, above: Range) -> Iterator[CodeLens]:
    """A trial sync, where the workspace says where the rows of the view are."""
    name = getattr(part.model.node, "name", None)
    if name and has_rows(part.model.node, views(workspace)):
        yield CodeLens(above, "trial sync", _command("sync", name))


def _command(verb: str, *names: str) -> tuple[str, ...]:
    """A command line of trialrun; `--` keeps it from taking a name for an option."""
    is_like_an_option = any(name.startswith("-") for name in names)
    return (PROGRAM, verb, *(("--",) if is_like_an_option else ()), *names)


def _stores(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile, above: Range) -> Iterator[CodeLens]:
    catalog = brands(workspace)
    if catalog.brands:
        applied = applied_configs(workspace).get((file.path, part.document.index, json_pointer(part.root)), ())
        yield CodeLens(above, f"effective at {effective_count(applied)}", (PROGRAM, "resolve", "--all-stores"))


def _configs(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[CodeLens]:
    """What applies at each store of a brand."""
    catalog = brands(workspace)
    for store in catalog.stores:
        if (store.brand.path, store.brand.document, store.brand.pointer) != _key(file, part):
            continue
        range_ = file.range(part.span(SymbolicLocation(part.model.node, ("stores", store.index, "name"))))
        number = len(layers(store, catalog))
        yield CodeLens(range_, f"{pluralize(number, 'config')} applied", _command("resolve", store.name))


def _key(file: WorkspaceFile, part: ResourceInFile) -> tuple[str, int, str]:
    return file.path, part.document.index, json_pointer(part.root)


def _scenario(file: WorkspaceFile, part: ResourceInFile, above: Range) -> Iterator[CodeLens]:
    name = getattr(part.model.node, "name", None)
    only = ("-k", name) if name else ()
    yield CodeLens(above, "run scenario", (PROGRAM, "test", *only, *_command("test", file.path)[2:]))


def _policies(workspace: OpenWorkspace, file: WorkspaceFile) -> Iterator[CodeLens]:
    """The examples of policies, which are their tests."""
    for document in file.parsed.documents:
        if is_policy(document.value) and "kind" not in document.value:
            above = file.range(document.first_key_span(()))
            command = (PROGRAM, "rules", *_command("test", file.path)[1:])
            yield CodeLens(above, "test the examples", command)


def has_rows(view: Node, catalog: Catalog) -> bool:
    """Whether the workspace declares a Source for everything that a view is synced from."""
    if not isinstance(view, FeatureView):
        return False
    source = view.warehouseSource or view.ragSource
    if source is not None:
        return catalog.source(source.uri or "") is not None
    registry = view.featureRegistrySource
    groups = registry.featureGroups if registry else None
    if not registry or not groups:
        return False
    tables = [catalog.group(group.featureGroupId or "", registry.projectNumber) for group in groups]
    return all(table is not None and catalog.source(table.node.uri or "") is not None for table in tables)
