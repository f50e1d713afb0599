"""The settings as a pydantic model: every key with its type, default, description and the format of its text.

Files are validated by it, and their JSON Schema and the page of the settings are made from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    InstanceOf,
    SkipValidation,
    Tag,
    WithJsonSchema,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from trialrun.lint.settings.formats import CHECKS, MOST_THREADS

SeverityName = Literal["note", "warning", "error", "off"]


@dataclass(frozen=True)
class Format:
    """What a text or a number of the settings holds, by the name of its check in `trialrun.lint.settings.formats`."""

    name: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Refuse what the check finds wrong; the message is made where the key is known."""

        def check(value: Any) -> Any:
            if self.name in CHECKS and CHECKS[self.name]("", value):
                raise PydanticCustomError("format", "not of the format {format}", {"format": self.name})
            return value

        return core_schema.no_info_after_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "x-format": self.name}


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("nul", "a NUL character")
    return text


Plain = Annotated[str, AfterValidator(_without_nul)]
Text = Annotated[str, Field(min_length=1), AfterValidator(_without_nul)]
Day = Annotated[InstanceOf[date], WithJsonSchema({"type": "string", "format": "date", "minLength": 1})]
Number = Annotated[int, Tag("int")]
Word = Annotated[Text, Tag("str")]
ByType = Discriminator(lambda value: "date" if isinstance(value, date) else type(value).__name__)
"""Of several types, a value is held against its own, so that errors are about this one alone."""
File = Annotated[Text, Format("file")]
Glob = Annotated[Text, Format("glob")]
RuleId = Annotated[Text, Format("rule")]
RuleKey = Annotated[str, WithJsonSchema({"type": "string", "minLength": 1, "x-format": "rule"})]
RuleOrGroup = Annotated[Text, Format("rule-or-group")]
Alias = Annotated[Text, Format("alias")]
ChangeId = Annotated[Text, Format("change")]
LevelName = Literal["safe", "risky", "breaking"]


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

    @classmethod
    def fields_by_key(cls) -> dict[str, FieldInfo]:
        """The fields by their keys in a file."""
        return {str(field.alias): field for field in cls.model_fields.values()}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """The default of each key, None where there is none."""
        values = {key: None if field.is_required() else field.default for key, field in cls.fields_by_key().items()}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


class OptionSettings(SettingsTable):
    """Options of single rules."""

    min_sync_interval: Annotated[Number | Word, ByType, Format("interval")] = setting(
        "The shortest time between two runs of a schedule: minutes, or `15m`, `1h`, `1d`."
    )
    sync_herd_size: Annotated[int, Field(ge=1)] = setting(
        "The number of views that sync in the same minute from which `sync-herd` reports them.", 5
    )
    system_label_prefix: Annotated[Plain, Format("label-prefix")] = setting(
        "The prefix of label keys that are reserved for the service."
    )
    cel_extensions: list[Annotated[Plain, Format("cel-extension")]] = setting(
        "The extension libraries of CEL that the service has, such as `strings`; none if unset.", ()
    )
    mixed_comparisons: Literal["note", "allow"] = setting(
        "What is said about a comparison of two types of number, such as a double with an int: a `note` (when unset), "
        "or nothing, where the service is known to `allow` it.",
        "note",
    )


def _without_options(severities: Any) -> Any:
    for name in severities if isinstance(severities, Mapping) else ():
        if name in OptionSettings.fields_by_key():
            raise PydanticCustomError("option", "{name} is an option", {"name": name})
    return severities


class RuntimeSettings(SettingsTable):
    """How trial runs behave where the specifications are silent."""

    vanished_entities: Literal["keep", "drop"] = setting(
        "`keep` or `drop` entities that a sync no longer finds; when unset, it depends on the type of the online store."
    )
    cron_semantics: Literal["wall-clock", "vixie"] = setting(
        "What happens to runs at clock changes: `wall-clock` when unset, or `vixie`.", "wall-clock"
    )
    list_merge: Literal["replace", "append"] = setting(
        "How the list of a later config combines with an earlier one when its items have no key: `replace` (when "
        "unset) or `append`.",
        "replace",
    )
    message_draw: Literal["offer", "type"] = setting(
        "One message is drawn from all offers of a `type` (when unset), or from each `offer`.", "type"
    )
    memory_limit: Annotated[Text, Format("memory")] = setting(
        "The memory that the engine uses before it spills to disk; `2GB` when unset.", "2GB"
    )
    threads: Annotated[int, Field(ge=0, le=MOST_THREADS), Format("threads")] = setting(
        "The number of threads of the engine; 0 (when unset) means all cores.", 0
    )
    engine: Alias = setting(
        "The engine that `sync` reads sources with: an alias that the user's own settings define in "
        "`[engines.ALIAS]`, never an address; this machine's when unset."
    )
    store: Alias = setting(
        "The online store of `sync`, `fetch` and `search`: an alias that the user's own settings define in "
        "`[stores.ALIAS]`, never an address; the files of the workspace when unset."
    )


Select = Annotated[
    list[RuleOrGroup],
    Field(description="Ids of rules and groups to run instead of the default ones; `all` means every rule."),
]
Ignore = Annotated[list[RuleOrGroup], Field(description="Ids of rules and groups not to run.")]
Severities = Annotated[
    dict[RuleKey, SeverityName],
    BeforeValidator(_without_options),
    Field(
        description="The severity of the findings of a rule: `error`, `warning`, `note`, or `off`. "
        "Setting one also enables a rule that is off by default."
    ),
]
RuleOptions = Annotated[OptionSettings, Field(description="Options of single rules.")]
ParameterValue = Annotated[bool | int | float | str | list[str | int], SkipValidation]
"""A policy says which it takes, and refuses the others."""
PolicyParameters = Annotated[
    dict[RuleKey, dict[str, ParameterValue]],
    BeforeValidator(_without_options),
    Field(description="Values of the parameters of policies, in a table for each policy."),
]
SessionSchemaFile = Annotated[
    Text,
    Format("session-schema"),
    Field(description="The file of the SessionSchema against whose types conditions are checked."),
]


class OverrideSettings(SettingsTable):
    """Settings for some paths only; they extend or override those above."""

    paths: Annotated[list[Glob], Field(min_length=1)] = setting("Globs of the paths that these settings apply to.", ...)
    select: Select = []
    ignore: Ignore = []
    severity: Severities = {}
    options: RuleOptions = EMPTY
    policy_parameters: PolicyParameters = {}
    session_schema: SessionSchemaFile = UNSET


class SuppressSettings(SettingsTable):
    """Findings that are not reported, for a reason."""

    path: Glob = setting("The glob of the files.", ...)
    pointer: Annotated[Plain, Format("pointer")] = setting(
        'The part of the document that is covered, a JSON Pointer such as "/syncConfig/cron"; all when unset.'
    )
    rule: Annotated[
        Annotated[RuleId, Tag("str")] | Annotated[list[RuleId], Field(min_length=1), Tag("list")], ByType
    ] = setting("The id of the rule, or a list of ids.", ...)
    reason: Text = setting("Why the finding is accepted.")
    until: Annotated[Word | Annotated[Day, Tag("date")], ByType] = setting(
        "The last day, such as 2027-01-31, on which the findings are suppressed."
    )


class WorkspaceSettings(SettingsTable):
    """The settings of a workspace: `trialrun.toml`, or `[tool.trialrun]` of `pyproject.toml`."""

    edition: Annotated[Text, Format("edition")] = setting(
        "The edition that sets the default rules, also after an upgrade; the newest when unset."
    )
    select: Select = []
    ignore: Annotated[
        list[Annotated[Annotated[RuleOrGroup, Tag("str")] | Annotated[SuppressSettings, Tag("dict")], ByType]],
        Field(description="Ids of rules and groups not to run."),
    ] = []
    severity: Severities = {}
    options: RuleOptions = EMPTY
    policy_parameters: PolicyParameters = {}
    session_schema: SessionSchemaFile = UNSET
    policies: list[Annotated[Text, Format("policy")]] = setting(
        "Policies in use: names of shipped packs, and files or folders relative to this file.", ()
    )
    exclude: list[Glob] = setting("Globs of files to exclude, relative to this file.", ())
    kinds: dict[Glob, Annotated[Plain, Format("kind")]] = setting(
        "The kind of the documents in the files of a glob, if they do not state it themselves.", {}
    )
    baseline: File = setting("The file with the accepted findings; only new ones are reported.")
    runtime: RuntimeSettings = setting("How trial runs behave where the specifications are silent.", {})
    change_levels: dict[ChangeId, LevelName] = setting(
        "The level of a kind of change in `trialrun plan`: `breaking`, `risky` or `safe`.", {}
    )
    overrides: list[OverrideSettings] = setting(
        "Settings for some paths only; they extend or override those above.", ()
    )
    suppress: list[SuppressSettings] = setting(
        "Findings that are not reported, each with a reason; formerly `[[ignore]]`.", ()
    )


class LimitSettings(SettingsTable):
    """The most that a repository may set for trial runs."""

    memory_limit: Annotated[Text, Format("memory")] = setting(
        "The most memory that a repository may set for trial runs; `2GB` when unset.", "2GB"
    )
    threads: Annotated[int, Field(ge=0, le=MOST_THREADS), Format("threads")] = setting(
        "The most threads that a repository may set for trial runs; all cores when unset.", 0
    )


class StoreSettings(SettingsTable):
    """An online store of the user: passwords and files of TLS come from the environment."""

    address: Annotated[Text, Format("store-address")] = setting(
        "The address of the store: `redis://HOST:PORT`, or `rediss://` for TLS, without a password.", ...
    )


class EngineSettings(SettingsTable):
    """A cluster of the user that reads sources; its secret comes from the environment."""

    address: Annotated[Text, Format("engine-address")] = setting(
        "The address of the engine: `spark://HOST:PORT`, the master of a standalone cluster.", ...
    )
    python: Text = setting(
        "The Python of its workers, where trialrun is installed as well; the path of this one when unset."
    )
    memory: Annotated[Text, Format("memory")] = setting("The memory of each of its executors; `1GB` when unset.", "1GB")
    roots: list[Annotated[Text, Format("engine-root")]] = setting(
        "Where Sources may name rows beyond this machine, each with all that is below it: URLs such as "
        "`s3a://BUCKET/FOLDER/`, `hdfs://HOST/FOLDER/` or `jdbc:postgresql://HOST/DATABASE`, and folders that "
        "executors see; none when unset.",
        (),
    )


class UserFileSettings(SettingsTable):
    """The user's own settings: what this user allows to every repository."""

    allow_paths: list[Annotated[Text, Format("folder")]] = setting(
        "Folders outside the work tree whose files documents may reference; absolute paths, or starting with `~`.", ()
    )
    limits: LimitSettings = setting("The most that a repository may set for trial runs.", {})
    engines: dict[Alias, EngineSettings] = setting(
        "Engines by the aliases that `--engine`, `TRIALRUN_ENGINE` and the settings of a repository may name.", {}
    )
    stores: dict[Alias, StoreSettings] = setting(
        "Online stores by the aliases that `--store`, `TRIALRUN_STORE` and the settings of a repository may name.", {}
    )


TABLES: Mapping[str, type[SettingsTable]] = {
    "options": OptionSettings,
    "runtime": RuntimeSettings,
    "overrides": OverrideSettings,
    "suppress": SuppressSettings,
    "ignore": SuppressSettings,
    "limits": LimitSettings,
    "engines": EngineSettings,
    "stores": StoreSettings,
}
"""The tables in a file, by their keys; several have tables of such a kind."""
SETTINGS: Mapping[str, type[SettingsTable]] = {"settings": WorkspaceSettings, "user-settings": UserFileSettings}
"""The files of settings, by the names of their schemas."""
