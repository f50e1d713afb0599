"""A config of the service: what callers set, and what the service says of it beside that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from trialrun.lazy_dataclass import dataclass
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.validate import validate
from trialrun.runtime.channel_config.states import ConfigUse, config_state
from trialrun.service.channel_config.brand import BrandEntry, rule_name
from trialrun.service.channel_config.kinds import CONFIG
from trialrun.service.journal import Record
from trialrun.service.lint_request import Document
from trialrun.service.message import parse_timestamp
from trialrun.service.origin import CREATED, Origin
from trialrun.service.resource_json import Json, to_document
from trialrun.values.timestamp import format_timestamp


@dataclass(frozen=True)
class ConfigEntry:
    """A config: what callers may set, the same as the linter takes it, its times, and whether it is promoted."""

    name: str
    content: Json
    document: Document
    created: datetime
    updated: datetime
    is_promoted: bool
    origin: Origin

    def to_record(self) -> Record:
        """The config as a journal keeps it."""
        value: Json = {
            "content": self.content,
            "createTime": format_timestamp(self.created),
            "updateTime": format_timestamp(self.updated),
            "isPromoted": self.is_promoted,
            **self.origin.to_json(),
        }
        return Record(CONFIG.name, self.name, value)

    def as_promoted(self, now: datetime) -> ConfigEntry:
        """The config, promoted; it is updated only where it was not before."""
        return self if self.is_promoted else replace(self, is_promoted=True, updated=now)


def build_entry(
    name: str, content: Json, now: datetime, before: ConfigEntry | None, origin: Origin = CREATED
) -> ConfigEntry:
    """A config with some content, in place of another or new; one whose content changes is no longer promoted."""
    is_promoted = before is not None and before.is_promoted and before.content == content
    created = before.created if before else now
    return ConfigEntry(name, content, to_document(CONFIG.name, name, content), created, now, is_promoted, origin)


def restore_entry(name: str, value: Json) -> ConfigEntry:
    """A config as a journal has it."""
    content, created, updated = value["content"], value["createTime"], value["updateTime"]
    return ConfigEntry(
        name,
        content,
        to_document(CONFIG.name, name, content),
        parse_timestamp(created),
        parse_timestamp(updated),
        value["isPromoted"],
        Origin.from_json(value),
    )


def to_response(config: ConfigEntry, used: Sequence[ConfigUse], brands: Mapping[str, BrandEntry]) -> ChannelConfig:
    """What a caller sees of a config that brands use."""
    outputs: Json = {
        "name": config.name,
        "createTime": format_timestamp(config.created),
        "updateTime": format_timestamp(config.updated),
        "state": config_state(used, is_promoted=config.is_promoted),
    }
    if rules := _rules(used, brands):
        outputs["configApplicationRules"] = rules
    return cast("ChannelConfig", validate({**config.content, **outputs}, ChannelConfig).node)


def _rules(used: Sequence[ConfigUse], brands: Mapping[str, BrandEntry]) -> list[Json]:
    """The config application rules of a config, each once."""
    rules: dict[str, Json] = {}
    for use in used:
        brand = brands.get(use.brand or "")
        if brand is None or not use.rule:
            continue
        name = rule_name(use.rule, brand.name)
        bound = brand.rules[name]
        rules.setdefault(
            name,
            {
                "name": name,
                "createTime": format_timestamp(bound.created),
                "updateTime": format_timestamp(bound.updated),
            },
        )
    return list(rules.values())
