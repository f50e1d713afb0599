"""The settings as a pydantic model: every key with its type, default, description and the format of its text.

Everything else about settings is made from it: the JSON Schema, the page of the settings, and the plain tables by which
files are read, since a check of files that are in the cache imports no pydantic. A test compares the tables with it.
"""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from trialrun.lazy_dataclass import dataclass

SeverityName = Literal["note", "warning", "error", "off"]


@dataclass(frozen=True)
class Format:
    """What a text or a number of the settings holds, by the name of its check in `trialrun.lint.settings.formats`."""

    name: str

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "x-format": self.name}


Text = Annotated[str, Field(min_length=1)]
File = Annotated[Text, Format("file")]
Glob = Annotated[Text, Format("glob")]
RuleId = Annotated[Text, Format("rule")]
RuleOrGroup = Annotated[Text, Format("rule-or-group")]


UNSET: Any = None
EMPTY: Any = {}


def setting(description: str, default: Any = UNSET, **options: Any) -> Any:
    """A key of a table; one whose default is `...` is required."""
    return Field(default, description=description, **options)


class SettingsTable(BaseModel):
    """A table of the settings, whose keys are written with hyphens."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, alias_generator=lambda name: name.replace("_", "-")
    )


class OptionSettings(SettingsTable):
    """What some rules read."""

    min_sync_interval: Annotated[int | Text, Format("interval")] = setting(
        "The shortest time between two runs of a schedule: minutes, or `15m`, `1h`, `1d`."
    )
    sync_herd_size: Annotated[int, Field(ge=1)] = setting(
        "How many views may be synced in one minute before it is told.", 5
    )
    system_label_prefix: Annotated[str, Format("label-prefix")] = setting(
        "The prefix of label keys that are for the service alone."
    )
    cel_extensions: list[Annotated[str, Format("cel-extension")]] = setting(
        "The extension libraries of CEL that the service has, such as `strings`; none if unset.", ()
    )


class RuntimeSettings(SettingsTable):
    """What trial runs go by where the specifications are silent."""

    vanished_entities: Literal["keep", "drop"] = setting(
        "`keep` or `drop` entities that a sync does not find any more; by the type of the online store when unset."
    )
    cron_semantics: Literal["wall-clock", "vixie"] = setting(
        "What happens to runs at clock changes: `wall-clock` when unset, or `vixie`.", "wall-clock"
    )
    list_merge: Literal["replace", "append"] = setting(
        "A later config's list, without keys to merge by, will `replace` (when unset) or `append`.", "replace"
    )
    message_draw: Literal["offer", "type"] = setting(
        "Messages are weighed within one `offer` (when unset), or over all offers of a `type`.", "offer"
    )
    memory_limit: Annotated[Text, Format("memory")] = setting(
        "What the engine takes before it spills to the disk; `2GB` when unset.", "2GB"
    )
    threads: Annotated[int, Format("threads")] = setting(
        "Threads of the engine; 0, which is all cores, when unset.", 0, ge=0, le=1024
    )


Select = Annotated[
    list[RuleOrGroup],
    Field(description="Ids of rules and groups that run, in place of the default ones; `all` is every rule."),
]
Ignore = Annotated[list[RuleOrGroup], Field(description="Ids of rules and groups that do not run.")]
Severities = Annotated[
    dict[RuleId, SeverityName],
    Field(
        description="How grave the findings of a rule are: `error`, `warning`, `note`, or `off`. "
        "Runs a rule that is off."
    ),
]
RuleOptions = Annotated[OptionSettings, Field(description="What some rules read.")]
SessionSchemaFile = Annotated[
    Text,
    Format("session-schema"),
    Field(description="A file with the SessionSchema whose types conditions are checked against."),
]


class OverrideSettings(SettingsTable):
    """Settings for some paths alone, on top of those above."""

    paths: Annotated[list[Glob], Field(min_length=1)] = setting(
        "The globs of the paths that these settings are for.", ...
    )
    select: Select = []
    ignore: Ignore = []
    severity: Severities = {}
    options: RuleOptions = EMPTY
    session_schema: SessionSchemaFile = UNSET


class SuppressSettings(SettingsTable):
    """Findings that are not reported, for a reason."""

    path: Glob = setting("The glob of the files.", ...)
    pointer: Annotated[str, Format("pointer")] = setting(
        'What is covered with all below it, a JSON Pointer such as "/syncConfig/cron"; all when unset.'
    )
    rule: RuleId | Annotated[list[RuleId], Field(min_length=1)] = setting("The id of the rule, or a list of ids.", ...)
    reason: Text = setting("Why the finding is lived with.")
    until: Text | date = setting("The day, such as 2027-01-31, after which the findings are told again.")


class WorkspaceSettings(SettingsTable):
    """The settings of a workspace: `trialrun.toml`, or `[tool.trialrun]` of `pyproject.toml`."""

    edition: Annotated[Text, Format("edition")] = setting(
        "The default rules are those of this edition, also after an upgrade; the newest when unset."
    )
    select: Select = []
    ignore: Annotated[
        list[RuleOrGroup | SuppressSettings], Field(description="Ids of rules and groups that do not run.")
    ] = []
    severity: Severities = {}
    options: RuleOptions = EMPTY
    session_schema: SessionSchemaFile = UNSET
    policies: list[Annotated[Text, Format("policy")]] = setting(
        "Policies in use: names of shipped packs, and files or folders, from the folder of this file.", ()
    )
    exclude: list[Glob] = setting("Globs of files that are left out, from the folder of this file.", ())
    kinds: dict[Glob, Annotated[str, Format("kind")]] = setting(
        "Which kind of document the files of a glob hold, where they do not say it themselves.", {}
    )
    baseline: File = setting("The file with the findings that the team lives with for now; only new ones are told.")
    runtime: RuntimeSettings = setting("What trial runs go by where the specifications are silent.", {})
    overrides: list[OverrideSettings] = setting("Settings for some paths alone, on top of those above.", ())
    suppress: list[SuppressSettings] = setting("Findings that are not reported, for a reason; `[[ignore]]` before.", ())


class LimitSettings(SettingsTable):
    """The most that a repository may set for trial runs."""

    memory_limit: Annotated[Text, Format("memory")] = setting(
        "The most memory that a repository may set for trial runs; `2GB` when unset.", "2GB"
    )
    threads: Annotated[int, Format("threads")] = setting(
        "The most threads that a repository may set for trial runs; all cores when unset.", 0, ge=0, le=1024
    )


class UserFileSettings(SettingsTable):
    """The user's own settings: what this user allows to every repository."""

    allow_paths: list[Annotated[Text, Format("folder")]] = setting(
        "Folders outside of the work tree that documents may name files of; whole paths, or from `~`.", ()
    )
    limits: LimitSettings = setting("The most that a repository may set for trial runs.", {})


SETTINGS: Mapping[str, type[SettingsTable]] = {"settings": WorkspaceSettings, "user-settings": UserFileSettings}
"""The files of settings, by the names of their schemas."""
