"""The kind of a document, recognized without building a model, and kinds in the bytes of a file, without parsing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trialrun.terraform import ModuleFile

if TYPE_CHECKING:
    from trialrun.model.node import Node, Resource

RESOURCES = ("FeatureView", "ChannelConfig")
COMPANIONS = ("Brand", "Menu", "SessionSchema", "FeatureOnlineStore", "FeatureGroupTable", "Source", "Scenario")
KINDS = RESOURCES + COMPANIONS
COMPANION_KINDS = COMPANIONS[:-1]
"""The kinds of documents that others name; none names a scenario."""

MISSPELLABLE_KINDS = ("FeatureView", "ChannelConfig", "SessionSchema", "FeatureOnlineStore", "FeatureGroupTable")
"""Kinds whose misspellings are reported; the shorter ones are words that other systems use, too."""

MIN_KIND_SIMILARITY = 0.87
RESOURCE_NAME = re.compile(r"(?:^|/)(featureViews|channelConfigs)/[^/]*\Z")
BRAND_NAME = re.compile(r"projects/[^/]+/locations/[^/]+/brands/[^/]+\Z")
FEATURE_VIEW_FIELDS = frozenset({
    "syncConfig", "warehouseSource", "featureRegistrySource", "ragSource", "indexConfig", "vectorSearchConfig",
    "sync_config", "warehouse_source", "feature_registry_source", "rag_source", "index_config", "vector_search_config",
})  # fmt: skip
CHANNEL_CONFIG_FIELDS = frozenset({"operationsConfig", "operations_config"})
TELLING_FIELDS = {
    "FeatureView": FEATURE_VIEW_FIELDS,
    "ChannelConfig": CHANNEL_CONFIG_FIELDS,
    "Brand": frozenset({"defaults", "bindings", "stores"}),
    "Menu": frozenset({"items", "modifierGroups", "modifier_groups"}),
    "Source": frozenset({"uri"}),
    "Scenario": frozenset({"given", "steps"}),
}
"""Fields by which a kind is recognized that is a word of other programs, too."""
CHANNEL_CONFIG_IDENTITY = frozenset(
    {"kind", "name", "displayName", "type", "state", "createTime", "updateTime", "configApplicationRules"}
)
"""Fields of a ChannelConfig that identify it; they are never merged between configs."""
CHANNEL_CONFIG_TYPES = frozenset({"UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"})

MARKER_WORDS = {
    b"Config": (
        b"ChannelConfig",
        b"channelConfig",
        b"operationsConfig",
        b"syncConfig",
        b"indexConfig",
        b"SearchConfig",
    ),
    b"_config": (b"channel_config", b"operations_config", b"sync_config", b"index_config", b"search_config"),
    b"Source": (b"warehouseSource", b"featureRegistrySource", b"ragSource"),
    b"_source": (b"warehouse_source", b"feature_registry_source", b"rag_source"),
    b"eatureView": (b"eatureView",),
    b"eature_view": (b"eature_view",),
    b"google_": (b"google_vertex_ai_feature", b"google_bigquery_table"),
    b"UPSELL_STRATEGY": (b"UPSELL_STRATEGY",),
    b"AGENT_CUSTOMIZATION": (b"AGENT_CUSTOMIZATION",),
}
"""Words of which every document without a `kind` contains at least one, by a part that several of them share."""
KIND_FIELD = re.compile(rb"""kind["']?\s*:\s*(?:[&!|>]\S*\s+|\#[^\n]*\n\s*)*["']?([A-Za-z_ -]{3,40})""")
"""A kind, with what may be before its word: a line break, a comment, an anchor, a tag, the sign of a block."""
OWN_WORDS = re.compile(
    r"""name["']?\s*:\s*["']?[^\s"']{0,300}(?:featureViews|channelConfigs)/"""
    r"""|["']?\b(?:(?:warehouse|featureRegistry|rag)Source|operationsConfig|upsellStrategy)["']?\s*:"""
)
"""The name of a resource of ours, or a field that no other program has."""
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def may_be_ours(data: bytes) -> bool:
    """Whether a file may contain one of our documents: a fast scan of its bytes without false negatives in usual files.

    UTF-16 files always pass. A kind that is written with escapes or an alias is missed.
    """
    for common_part, words in MARKER_WORDS.items():
        if common_part in data and any(word in data for word in words):
            return True
    if b"\x00" in data[:4] or data[:2] in UTF16_MARKS:
        return True
    return b"kind" in data and any(_is_our_kind(kind.decode()) for kind in set(KIND_FIELD.findall(data)))


def is_recognizable(text: str) -> bool:
    """Whether a text that could not be read has a document of ours in it: it says its kind, name or own fields."""
    if OWN_WORDS.search(text):
        return True
    words = {word.decode().strip() for word in KIND_FIELD.findall(text.encode("utf-8", "replace"))}
    kinds = {word if word in KINDS else near_kind(word) for word in words if "apiVersion" not in text} - {None}
    return not kinds.isdisjoint(MISSPELLABLE_KINDS) or any(
        field in text for kind in kinds for field in TELLING_FIELDS[str(kind)]
    )


def _is_our_kind(kind: str) -> bool:
    kind = kind.strip()
    return kind in KINDS or near_kind(kind) is not None


@lru_cache(maxsize=4096)
def near_kind(kind: str) -> str | None:
    """The kind that a misspelt one is similar to, such as `ChannelConfig` for `ChanelConfig`; None if there is none."""
    letters = re.sub(r"[^a-z]", "", kind.lower())
    if kind in KINDS or len(letters) < 8:
        return None
    from trialrun.values.suggest import closest_name

    return closest_name(letters, MISSPELLABLE_KINDS, min_similarity=MIN_KIND_SIMILARITY)


def kind_of(value: Any, *, by_path: str | None = None) -> str | None:
    """The kind of a resource: its `kind`, else from its `name`, else that of its path (`by_path`), else from its
    fields.

    None if it is not ours: not a mapping, a kind of another system, or nothing but words that other programs use, too.
    """
    if not isinstance(value, Mapping):
        return None
    kind = value.get("kind")
    if isinstance(kind, str) and kind:
        declared = declared_kind(value)
        return declared if declared == by_path or (declared and _is_of_kind(value, declared)) else None
    return _by_name(value.get("name")) or by_path or _by_fields(value)


def declared_kind(value: Mapping[str, Any]) -> str | None:
    """The kind that a mapping says it is, whatever its other fields; None for one of another system."""
    kind = value.get("kind")
    if not isinstance(kind, str):
        return None
    our_kind = kind if kind in KINDS else near_kind(kind)
    return None if "apiVersion" in value and our_kind not in RESOURCES else our_kind


def begun_kind(value: Mapping[str, Any]) -> str | None:
    """The kind of a document that is being written: nothing confirms it yet."""
    begun = (kind for kind in RESOURCES if not TELLING_FIELDS[kind].isdisjoint(value))
    return declared_kind(value) if "kind" in value else next(begun, None)


def _is_of_kind(value: Mapping[str, Any], kind: str) -> bool:
    """Whether the fields confirm a kind."""
    telling = TELLING_FIELDS.get(kind)
    if telling is None:
        return True
    is_told = not telling.isdisjoint(value) or _by_name(value.get("name")) == kind
    name = value.get("name")
    is_named = kind == "Brand" and isinstance(name, str) and BRAND_NAME.match(name) is not None
    if "apiVersion" not in value and (is_named or (kind in RESOURCES and is_told)):
        return True
    from trialrun.model.unknown_field import count_fields

    own, strange = count_fields(value, model_of(kind))
    if "apiVersion" in value:
        return own > strange or not strange
    if kind in RESOURCES:  # a single unknown field is a mistake
        return own > 0 or strange < 2
    return not strange or (is_told and strange <= own)


def _by_name(name: Any) -> str | None:
    found = RESOURCE_NAME.search(name) if isinstance(name, str) else None
    return found and ("FeatureView" if found[1] == "featureViews" else "ChannelConfig")


def _by_fields(value: Mapping[str, Any]) -> str | None:
    for kind in RESOURCES:
        if not TELLING_FIELDS[kind].isdisjoint(value):
            from trialrun.model.unknown_field import count_fields

            own, strange = count_fields(value, model_of(kind))
            return kind if own > strange or not strange else None
    config_type = value.get("type")
    return "ChannelConfig" if isinstance(config_type, str) and config_type in CHANNEL_CONFIG_TYPES else None


def model_of(kind: str) -> type[Resource]:
    """The model class of a kind, imported on demand."""
    if kind == "FeatureView":
        from trialrun.model.feature_view import FeatureView

        return FeatureView
    if kind == "ChannelConfig":
        from trialrun.model.channel_config import ChannelConfig

        return ChannelConfig
    from trialrun.model import companion

    model: type[Resource] = getattr(companion, kind)
    return model


def find_message(name: str) -> tuple[str, type[Node]]:
    """The kind that a message belongs to, and its class, by the class name. Raises KeyError.

    No message belongs to both resources; for a message of a companion document, the kind of a companion is returned.
    """
    from trialrun.model import channel_config, companion, feature_view, menu, scenario

    owners = (
        (feature_view, "FeatureView"),
        (channel_config, "ChannelConfig"),
        (scenario, "Scenario"),
        (menu, "Menu"),
        (companion, "Brand"),
    )
    for module, kind in owners:
        model = getattr(module, name, None)
        if isinstance(model, type):
            return (name if name in KINDS else kind), model
    raise KeyError(name)


ENTRY = re.compile(rb"kind[^A-Za-z].{0,200}?\b(%b)\b" % "|".join(COMPANION_KINDS).encode(), re.DOTALL)
"""A kind, with a line break, comment or anchor before its word."""
RESOURCE = re.compile(rb"""kind["']?: ?["']?(?:%b)["']?,?\r?\n""" % "|".join(RESOURCES).encode())
"""The kind of a resource as it is usually written, with nothing behind it, which is found fastest."""
ALIAS = re.compile(rb"""kind["']?\s*:\s*\*""")
TERRAFORM_TYPES = {
    b"google_vertex_ai_feature_online_store": "FeatureOnlineStore",
    b"google_vertex_ai_feature_group": "FeatureGroupTable",
    b"google_bigquery_table": "Source",
}
"""The types of resources of Terraform that are companion documents; the first is the beginning of that of a view."""
ESCAPED_ASCII = re.compile(rb"\\(?:(?:x|u00|U000000)[2-7]|\r?\n)")
"""An escape that may hide an ASCII letter."""
ESCAPE = re.compile(rb"\\[xuU/\r\n]")
"""An escape in a quoted text that may hide a letter of a name."""


def declared_kinds(data: bytes, *, by_path: str | None = None) -> set[str]:
    """The kinds of companion documents that a file may contain, without false negatives.

    `by_path` is the kind that the settings give to its path.
    """
    found = {by_path} & {*COMPANION_KINDS} if by_path else set[str]()
    if b"google_" in data:
        found |= {kind for word, kind in TERRAFORM_TYPES.items() if word in data}
    is_of_two_bytes = b"\x00" in data
    if is_of_two_bytes or (b"\\" in data and ESCAPED_ASCII.search(data)):
        return {*COMPANION_KINDS}
    at = data.find(b"kind")
    while at >= 0:  # much faster than searching for the whole pattern
        if RESOURCE.match(data, at):
            at = data.find(b"kind", at + 4)
            continue
        if ALIAS.match(data, at):
            return {*COMPANION_KINDS}
        if entry := ENTRY.match(data, at):
            found.add(entry[1].decode())
        if (entry := KIND_FIELD.match(data, at)) and (near := near_kind(entry[1].decode().strip())) in COMPANION_KINDS:
            found.add(near)
        at = data.find(b"kind", at + 4)
    return found


def may_hide_a_name(data: bytes) -> bool:
    """Whether a name may occur in a file in another spelling, or come from a file beside it."""
    return isinstance(data, ModuleFile) or b"\x00" in data or (b"\\" in data and ESCAPE.search(data) is not None)
