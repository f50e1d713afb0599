"""What the settings are, and what each may say, as `trialrun.lint.settings` reads them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.lint import editions, registry
from trialrun.lint.policy import GROUP
from trialrun.lint.settings.runtime import WORDS
from trialrun.lint.settings.schema import KEYS, OF_PATHS, OPTIONS, SEVERITIES
from trialrun.lsp.features.completion.files import globs, paths
from trialrun.lsp.features.completion.rules import DAYS, rule_summaries
from trialrun.model.kinds import KINDS
from trialrun.values.cel.extensions import EXTENSIONS

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace

WordsWithDetail = Iterator[tuple[str, str]]
"""Words, each with what is told of it."""
Values = Callable[["OpenWorkspace", str, str], WordsWithDetail]
"""What a setting may say, by the folder of the settings and by what is written so far."""
FILES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: what it is for, the sort of its value, and the words that it may be."""

    detail: str
    kind: Literal["text", "list", "number", "table", "tables"]
    values: Values | None = None


def _words(*words: str) -> Values:
    return lambda workspace, folder, written: ((word, "") for word in words)


def rules(workspace: OpenWorkspace, folder: str, written: str) -> WordsWithDetail:
    """The ids of the rules and policies in use."""
    yield from rule_summaries(workspace).items()


def _names(workspace: OpenWorkspace, folder: str, written: str) -> WordsWithDetail:
    """What may be selected: rules, and groups of them."""
    yield from rules(workspace, folder, written)
    for group in (*registry.GROUPS, GROUP):
        yield group.replace("_", "-"), "all rules of the group"
    yield "all", "every rule there is"


def _editions(workspace: OpenWorkspace, folder: str, written: str) -> WordsWithDetail:
    for number, edition in enumerate(reversed(editions.ADDED)):
        yield edition, "the newest" if number == 0 else "the default rules as they were then"


def _globs(workspace: OpenWorkspace, folder: str, written: str) -> WordsWithDetail:
    return globs(folder, written)


def files(workspace: OpenWorkspace, folder: str, written: str) -> WordsWithDetail:
    """The YAML and JSON files, and folders."""
    return globs(folder, written, FILES)


def _schemas(workspace: OpenWorkspace, folder: str, written: str) -> WordsWithDetail:
    """The files that have a SessionSchema."""
    for file in workspace.workspace_files():
        if any(part.kind == "SessionSchema" for part in file.resources):
            yield os.path.relpath(file.path, folder).replace(os.sep, "/"), "declares the types of a session"


def _policies(workspace: OpenWorkspace, folder: str, written: str) -> WordsWithDetail:
    return paths(folder, written, FILES[:2])


def _json(workspace: OpenWorkspace, folder: str, written: str) -> WordsWithDetail:
    return paths(folder, written, (".json",))


def _days(workspace: OpenWorkspace, folder: str, written: str) -> WordsWithDetail:
    for days in DAYS:
        yield (workspace.request.now + timedelta(days=days)).date().isoformat(), f"in {days} days"


SEVERITY = Setting("how much a rule's findings weigh", "text", _words(*SEVERITIES, "off"))
KIND = Setting("the kind of the documents in the files", "text", _words(*KINDS))
_OF_PATHS: Mapping[str, Setting] = {
    "select": Setting("the rules that run", "list", _names),
    "ignore": Setting("rules that do not run", "list", _names),
    "severity": Setting("by rule: note, warning, error or off", "table"),
    "options": Setting("numbers and texts that rules go by", "table"),
    "session-schema": Setting("the file that declares what conditions may read", "text", _schemas),
}
_OPTIONS: Mapping[str, Setting] = {
    "min-sync-interval": Setting(
        "the shortest time between two syncs that is fine", "text", _words("5m", "15m", "30m", "1h", "6h", "1d")
    ),
    "sync-herd-size": Setting("how many syncs of a store at once are many", "number", _words("3", "5", "10")),
    "system-label-prefix": Setting("what the keys of the service's own labels begin with", "text"),
    "cel-extensions": Setting("the extension libraries of CEL that the service has", "list", _words(*EXTENSIONS)),
}
_RUNTIME: Mapping[str, Setting] = {
    "vanished-entities": Setting("whether entities that left the source are still served", "text"),
    "cron-semantics": Setting("what schedules do at clock changes", "text"),
    "list-merge": Setting("what a later list does to an earlier one", "text"),
    "message-draw": Setting("which messages are weighed together", "text"),
    "memory-limit": Setting("the memory that a sync may take", "text", _words("1GB", "4GB", "16GB")),
    "threads": Setting("how many cores a sync may use; 0 stands for all", "number", _words("0", "1", "2", "4", "8")),
}
_SUPPRESS: Mapping[str, Setting] = {
    "path": Setting("the glob of the files", "text", files),
    "pointer": Setting("the JSON Pointer at or below which findings are left out", "text"),
    "rule": Setting("the rule, or a list of rules", "text", rules),
    "reason": Setting("why", "text"),
    "until": Setting("the day on which it ends", "text", _days),
}
_WHOLE: Mapping[str, Setting] = {
    "edition": Setting("the default rules as they were at a time", "text", _editions),
    **_OF_PATHS,
    "policies": Setting("files of rules of your own", "list", _policies),
    "exclude": Setting("globs of files that are left alone", "list", _globs),
    "kinds": Setting("by glob: the kind of the documents in the files", "table"),
    "baseline": Setting("the file of findings that are known", "text", _json),
    "runtime": Setting("what trial runs go by", "table"),
    "overrides": Setting("settings for some paths alone", "tables"),
    "suppress": Setting("findings that are not reported, with a reason", "tables"),
}
TABLES: Mapping[tuple[str, ...], Mapping[str, Setting]] = {
    (): {key: _WHOLE[key] for key in KEYS},
    ("overrides",): {
        "paths": Setting("the globs of the files", "list", _globs),
        **{key: _OF_PATHS[key] for key in OF_PATHS},
    },
    ("suppress",): _SUPPRESS,
    ("ignore",): _SUPPRESS,
    ("options",): {key: _OPTIONS[key] for key in OPTIONS},
    ("overrides", "options"): {key: _OPTIONS[key] for key in OPTIONS},
    ("runtime",): {
        key: Setting(one.detail, one.kind, _words(*WORDS[key]) if key in WORDS else one.values)
        for key, one in _RUNTIME.items()
    },
}
"""By table, its settings; those of `severity` and `kinds` are named by rules and globs."""
SEVERITIES_OF = (("severity",), ("overrides", "severity"))
KINDS_OF = ("kinds",)
HEADERS = ("severity", "options", "kinds", "runtime", "overrides.severity", "overrides.options")
LISTED = ("overrides", "suppress")
"""Tables of which there may be several."""


def setting(table: tuple[str, ...], key: str) -> Setting | None:
    """A setting of a table by its name; None for one that there is not."""
    if table in SEVERITIES_OF:
        return SEVERITY
    return KIND if table == KINDS_OF else TABLES.get(table, {}).get(key)
