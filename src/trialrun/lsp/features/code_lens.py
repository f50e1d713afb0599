"""Lines above resources: what is due or in force, and a command of trialrun that shows it or tries it out.

A command is a list of words, for a program that starts it without a shell: names with blanks, quotes or letters of any
script are words like others. Names that begin with a hyphen stand behind `--`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Place, Range, json_pointer
from trialrun.lsp.results import CodeLens

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import Live, Part, Reading

PROGRAM = "trialrun"


def code_lenses(live: Live, path: str) -> tuple[CodeLens, ...]:
    """The lenses of a text, in the order of their places."""
    reading = live.reading(path)
    if reading is None:
        return ()
    found = [lens for part in reading.parts for lens in _lenses(live, reading, part)]
    found += _policies(live, reading)
    return tuple(sorted(found, key=lambda lens: lens.range))


def _lenses(live: Live, reading: Reading, part: Part) -> Iterator[CodeLens]:
    above = reading.range(part.document.first_key_span(part.root))
    match part.kind:
        case "FeatureView":
            yield from _next_sync(live, part, above)
            yield from _trial(live, part, above)
        case "ChannelConfig":
            yield from _stores(live, reading, part, above)
        case "Brand":
            yield from _configs(live, reading, part)
        case "Scenario":
            yield from _scenario(reading, part, above)


def _next_sync(live: Live, part: Part, above: Range) -> Iterator[CodeLens]:
    from trialrun.lsp.describe.schedule import next_run_called, schedule_told
    from trialrun.runtime.feature_view.schedule import OnCron

    schedule = schedule_told(part.fitted.node, live)
    words = next_run_called(schedule, live.request.now, "next sync") if schedule else None
    if words:
        name = getattr(part.fitted.node, "name", None)
        title = words if isinstance(schedule, OnCron) else f"synced {words}"
        yield CodeLens(above, title, _command("schedule", name) if name else None)


def _trial(live: Live, part: Part, above: Range) -> Iterator[CodeLens]:
    """A trial sync, where the workspace says where the rows of the view are."""
    from trialrun.lsp.describe.sources import has_rows
    from trialrun.workspace.open_workspace.catalog_cache import views

    name = getattr(part.fitted.node, "name", None)
    if name and has_rows(part.fitted.node, views(live)):
        yield CodeLens(above, "sync on trial", _command("sync", name))


def _command(verb: str, *names: str) -> tuple[str, ...]:
    """A command line of trialrun; `--` keeps it from taking a name for an option."""
    is_like_an_option = any(name.startswith("-") for name in names)
    return (PROGRAM, verb, *(("--",) if is_like_an_option else ()), *names)


def _stores(live: Live, reading: Reading, part: Part, above: Range) -> Iterator[CodeLens]:
    from trialrun.lsp.describe.stores import applied, effective_words
    from trialrun.workspace.dry_run import options
    from trialrun.workspace.open_workspace.catalog_cache import brands

    catalog = brands(live)
    if catalog.brands:
        lists = options(live.request.profiles.settings.runtime).list_merge
        found = applied(catalog, lists).get((reading.path, part.document.index, json_pointer(part.root)), ())
        yield CodeLens(above, f"effective at {effective_words(found)}", (PROGRAM, "resolve", "--all-stores"))


def _configs(live: Live, reading: Reading, part: Part) -> Iterator[CodeLens]:
    """What applies at each store of a brand."""
    from trialrun.report.summary import counted
    from trialrun.runtime.channel_config.layers import layers
    from trialrun.workspace.open_workspace.catalog_cache import brands

    catalog = brands(live)
    for one in catalog.stores:
        if (one.brand.path, one.brand.document, one.brand.pointer) != _key(reading, part):
            continue
        range_ = reading.range(part.span(Place(part.fitted.node, ("stores", one.index, "name"))))
        number = len(layers(one, catalog))
        yield CodeLens(range_, f"{counted(number, 'config')} applied", _command("resolve", one.name))


def _key(reading: Reading, part: Part) -> tuple[str, int, str]:
    return reading.path, part.document.index, json_pointer(part.root)


def _scenario(reading: Reading, part: Part, above: Range) -> Iterator[CodeLens]:
    name = getattr(part.fitted.node, "name", None)
    only = ("-k", name) if name else ()
    yield CodeLens(above, "run scenario", (PROGRAM, "test", *only, *_command("test", reading.path)[2:]))


def _policies(live: Live, reading: Reading) -> Iterator[CodeLens]:
    """The examples of policies, which are their tests."""
    from trialrun.lint.policy import is_policy

    for document in reading.tree.documents:
        if is_policy(document.value) and "kind" not in document.value:
            above = reading.range(document.first_key_span(()))
            command = (PROGRAM, "rules", *_command("test", reading.path)[1:])
            yield CodeLens(above, "test the examples", command)
