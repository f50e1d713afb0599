"""Brands as rules across files see them: which configs apply at which stores, out of facts that each file tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.lint.file_result import Fact, facts_of
from trialrun.lint.rule_support.references import indexed
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.values.resource_name import ResourceIndex, is_of_other_brand, last_id

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from trialrun.diagnostic import Path
    from trialrun.lint.rule import Context, Gathered
    from trialrun.lint.workspace_rules import WorkspaceFindings
    from trialrun.model.node import Node


class DeclaredConfig(NamedTuple):
    """A config: its name and type, what it sets, and whether some of it was refused."""

    name: str
    type: str | None
    summary: dict[str, Any]
    is_partial: bool


class BrandWithStores(NamedTuple):
    """A brand with all of its stores, in one fact since there may be thousands, and whether some of it was refused.

    `names` are its own, and those that it has for configs. A default is its index and the name of a config; so is a
    binding of a store. A binding of the brand has the tags and the names of its stores beside; one whose stores could
    not be read is left out. A store is its index, its name, its tags, and its own defaults and bindings.
    """

    names: list[str]
    defaults: list[Any]
    bindings: list[Any]
    stores: list[Any]
    is_partial: bool


SUBJECTS = ("ChannelConfig", "Brand")
"""The messages that facts are gathered of."""
FACTS = (DeclaredConfig, BrandWithStores)
KEYS = ("name", "names")
"""The fields of these with the names that one has for configs, or is known by."""


def gather_facts(part: Any, context: Context) -> Gathered[DeclaredConfig | BrandWithStores]:
    """A config with its outline, or a brand."""
    if type(part).__name__ == "Brand":
        yield from brand_with_stores(part, context)
    elif part.name:
        summary = context.shared("config summary", lambda: summarize(part, without=CHANNEL_CONFIG_IDENTITY))
        is_partial = summary.is_partial or part.type is None
        yield part.location("name"), DeclaredConfig(part.name, part.type, summary.value, is_partial)


def brand_with_stores(brand: Any, context: Context) -> Gathered[BrandWithStores]:
    """A brand: the same for all rules that ask."""
    yield brand.location(), context.shared("brand", lambda: _brand_with_stores(brand))


def _brand_with_stores(brand: Any) -> BrandWithStores:
    refused = any(brand.is_partial(field) for field in ("defaults", "bindings", "stores", "name"))
    defaults, bindings, stores = indexed(brand.defaults), list[Any](), list[Any]()
    used = [name for _, name in defaults]
    for index, binding in indexed(brand.bindings):
        config, where = binding.channelConfig or "", binding.stores
        is_unclear = binding.is_partial("stores") or (where and (where.is_partial("tags") or where.is_partial("names")))
        refused = refused or is_unclear or binding.is_partial("channelConfig")
        used.append(config)
        if not is_unclear:
            bindings.append([index, config, where and where.tags, where and where.names])
    for index, store in indexed(brand.stores):
        refused = refused or any(store.is_partial(field) for field in ("name", "tags", "defaults", "bindings"))
        refused = refused or any(binding.is_partial("channelConfig") for binding in store.bindings or ())
        own, bound = indexed(store.defaults), [[at, one.channelConfig or ""] for at, one in indexed(store.bindings)]
        used += (name for _, name in (*own, *bound))
        stores.append([index, store.name or "", store.tags or [], own, bound])
    names = [brand.name or "", *dict.fromkeys(filter(None, used))]
    return BrandWithStores(names, defaults, bindings, stores, bool(refused))


def is_complete(brand: Fact[BrandWithStores]) -> bool:
    """Whether all that a brand says could be read."""
    return brand.is_complete and not brand.value.is_partial


AppliedConfigs = tuple[list[Any], list[Any], list[Any]]
"""The defaults, the bindings and the stores of a brand as plain values: a use is its level, the number of the config,
and the steps that lead to it from the brand; a binding has the tags and names of its stores beside; a store has a name,
tags, and uses of its own."""


def applied_configs(brand: BrandWithStores, configs: ConfigCatalog) -> AppliedConfigs:
    """What a brand applies, without names that mean no config, several, or one of another brand."""

    def uses(level: str, named: Iterable[Any], *steps: str | int) -> list[Any]:
        meant = ((configs.resolve(name, brand.names[0]), (*steps, index)) for index, name in named)
        return [
            (level, numbers[0], place)
            for numbers, place in meant
            if len(numbers) == 1 and not is_of_other_brand(configs.all[numbers[0]].value.name, brand.names[0])
        ]

    bindings = [
        (use, tags, names)
        for index, config, tags, names in brand.bindings
        for use in uses("brand-binding", [(index, config)], "bindings")
    ]
    stores = [
        (
            name,
            tags,
            [
                *uses("store-default", own, "stores", index, "defaults"),
                *uses("store-binding", bound, "stores", index, "bindings"),
            ],
        )
        for index, name, tags, own, bound in brand.stores
    ]
    return uses("brand-default", brand.defaults, "defaults"), bindings, stores


class ConfigCatalog:
    """The configs of a workspace by their numbers, and by the names that brands have for them."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.all = list(facts_of(facts, DeclaredConfig))
        self._names = ResourceIndex((fact.value.name, number) for number, fact in enumerate(self.all))

    def type(self, number: int) -> str | None:
        """The type of a config, None if that was refused."""
        return self.all[number].value.type

    def summary(self, number: int) -> dict[str, Any]:
        """What a config sets."""
        return self.all[number].value.summary

    def resolve(self, name: str, brand: str) -> Sequence[int]:
        """The numbers of the configs that a name of a brand may mean: one, where it is clear."""
        return self._names.resolve(name, brand) if name else ()


def defaults_of_one_type(
    brand: Fact[BrandWithStores], applied: AppliedConfigs, configs: ConfigCatalog
) -> WorkspaceFindings:
    """What to say of a default of the same type as one of its level before it, which may set other fields."""
    from trialrun.lint.workspace_rules import WorkspaceFinding

    defaults, _, stores = applied
    for uses in (defaults, *(uses for _, _, uses in stores)):
        first: dict[str, tuple[int, Path]] = {}
        for level, number, where in uses:
            config_type = configs.type(number) if level.endswith("-default") else None
            earlier, place = first.setdefault(config_type, (number, where)) if config_type else (number, where)
            if earlier != number:
                names = (last_id(configs.all[each].value.name) for each in (earlier, number))
                what = " and ".join(f'"{name}"' for name in names)
                message = f"{what} are both defaults of type {config_type}; have one default for each type"
                related = (("the earlier default", brand.item(*place)),)
                yield WorkspaceFinding(brand.item(*where), message, related)


def bindings_by_config(
    brands: Iterable[Fact[BrandWithStores]], configs: ConfigCatalog
) -> dict[int, list[Fact[BrandWithStores]]]:
    """The bindings of each config that has some."""
    facts_by_config: dict[int, list[Fact[BrandWithStores]]] = {}
    for brand in brands:
        bindings: list[tuple[str, Path]] = [(name, ("bindings", index)) for index, name, *_ in brand.value.bindings]
        for store, *_, bound in brand.value.stores:
            bindings += ((name, ("stores", store, "bindings", index)) for index, name in bound)
        for name, steps in bindings:
            for number in configs.resolve(name, brand.value.names[0]):
                facts_by_config.setdefault(number, []).append(brand.item(*steps))
    return facts_by_config


def unclear_configs(brands: Iterable[Fact[BrandWithStores]], configs: ConfigCatalog) -> set[int]:
    """The configs of which nothing is certain: they share a name with others, or a brand without stores uses them, or a
    binding with an unknown tag or store, which `unknown-store` reports.
    """
    numbers: set[int] = set()
    for (own, *used), _, bindings, stores, _ in (fact.value for fact in brands):
        all_tags, all_names = {tag for _, _, tags, *_ in stores for tag in tags}, {name for _, name, *_ in stores}
        unclear = {
            config
            for _, config, tags, names in bindings
            if not (all_tags.issuperset(tags or ()) and all_names.issuperset(names or ()))
        }
        for name in used:
            meant = configs.resolve(name, own)
            numbers.update(meant if len(meant) > 1 or not stores or name in unclear else ())
    return numbers


MAX_LENGTH = 40
PREFIX_LENGTH = 24
ELLIPSIS = "…"
ITEMIZED_LISTS = ("upsells", "greetings")
"""The lists whose items are distinguished; every other list is one value."""
LABELS = {"operationsConfig": ("displayName", "description")}
"""Fields that people know a strategy by, and that change nothing, by the field that has the message."""


@dataclass(slots=True)
class ConfigSummary:
    """What a config sets; `is_partial` says that some of its values were refused, so that there may be more."""

    value: Any
    is_partial: bool = False


def summarize(config: Node, *, without: Collection[str] = ()) -> ConfigSummary:
    """The outline of a config, without some of its fields."""
    config_summary = ConfigSummary({})
    config_summary.value = _summarize_message(config, config_summary, without)
    return config_summary


def _summarize_message(node: Node, config_summary: ConfigSummary, without: Collection[str] = ()) -> dict[str, Any]:
    values: dict[str, Any] = {}
    stand = node.model_fields_set
    for name, value in node.__dict__.items():
        if name not in stand or name in without:
            continue
        if value is None:
            config_summary.is_partial = True
        elif name not in LABELS or not value.model_fields_set or not value.model_fields_set <= {*LABELS[name]}:
            values[name] = _summarize_value(name, value, config_summary)
    return values


def _summarize_value(name: str, value: Any, config_summary: ConfigSummary) -> Any:
    if isinstance(value, list):
        return _summarize_list(name, value, config_summary)
    if isinstance(value, str):
        return value if len(value) <= MAX_LENGTH else _abbreviate(value)
    return value if isinstance(value, int | float) else _summarize_message(value, config_summary, LABELS.get(name, ()))


def _summarize_list(name: str, items: list[Any], config_summary: ConfigSummary) -> list[Any]:
    import json  # a workspace without brands needs none of this

    if type(items) is not list:  # a `TruncatedList`, of which some items were refused
        config_summary.is_partial = True
    if name in ITEMIZED_LISTS:
        return [_summarize_message(item, config_summary) for item in items]
    plain = [item if isinstance(item, str) else _full_value(item, config_summary) for item in items]
    text = json.dumps(plain, ensure_ascii=True)
    return [text if len(text) <= MAX_LENGTH else _abbreviate(text)] if items else []


def _full_value(node: Node, config_summary: ConfigSummary) -> Any:
    """A message inside of a list that is one value."""
    values: dict[str, Any] = {}
    for name, value in node.__dict__.items():
        if name not in node.model_fields_set:
            continue
        if value is None:
            config_summary.is_partial = True
        elif isinstance(value, list):
            config_summary.is_partial |= type(value) is not list
            values[name] = [item if isinstance(item, str) else _full_value(item, config_summary) for item in value]
        else:
            values[name] = value if isinstance(value, str | int | float) else _full_value(value, config_summary)
    return values


def _abbreviate(text: str) -> str:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{text[:PREFIX_LENGTH]}{ELLIPSIS}{digest}"


def format_value(value: Any) -> str:
    """A value of an outline, for a message."""
    import json

    if isinstance(value, str):
        beginning, is_short, _ = value.partition(ELLIPSIS) if len(value) > PREFIX_LENGTH else (value, "", "")
        return json.dumps(f"{beginning.rstrip()}{is_short}", ensure_ascii=False)
    return json.dumps(value)


def format_settings(settings: Sequence[tuple[str, Any, Any]]) -> str:
    """The first of some fields that two configs set differently, with both values, and how many more there are."""
    field, one, other = settings[0]
    is_scalar = not isinstance(one, dict | list) and not isinstance(other, dict | list)
    values = f"to {format_value(one)} and {format_value(other)}" if is_scalar else "to different values"
    return f"{field} {values}{format_more(settings, 'field', ' ({})')}"


def format_more(items: Sequence[Any], noun: str, form: str) -> str:
    """How many items there are beyond the first, in a form; empty if there are none."""
    count = len(items) - 1
    return form.format(f"{count} more {noun}{'s' if count > 1 else ''}") if count else ""
