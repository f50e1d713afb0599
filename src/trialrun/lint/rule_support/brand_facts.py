"""Brands as rules across files see them: which configs apply at which stores, out of facts that each file tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.lint.file_result import Fact, facts_of
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.values.resource_name import ResourceIndex, is_of_other_brand, last_id

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from trialrun.lint.rule import Context, Gathered
    from trialrun.lint.workspace_rules import WorkspaceFindings
    from trialrun.model.node import Node


class DeclaredConfig(NamedTuple):
    """A config: its name and type, what it sets, and whether some of it was refused."""

    name: str
    type: str | None
    summary: dict[str, Any]
    is_partial: bool


class BrandLevel(NamedTuple):
    """A brand: its name, followed by those of its default configs, and whether some of it was refused."""

    names: list[str]
    is_partial: bool


class BrandRule(NamedTuple):
    """A binding of a brand: its config, the tags and names of its stores, and whether some of it was refused."""

    name: str
    tags: list[str] | None
    stores: list[str] | None
    is_partial: bool


class StoreLevel(NamedTuple):
    """A store: its name, followed by those of its default configs, its tags, and whether some of it was refused."""

    names: list[str]
    tags: list[str]
    is_partial: bool


class StoreRule(NamedTuple):
    """A binding of a store: its config, and whether that was refused."""

    name: str
    is_partial: bool


FACTS = (DeclaredConfig, BrandLevel, BrandRule, StoreLevel, StoreRule)
KEYS = ("name", "names")
"""The fields of these with the names that one has for configs, or is known by."""
BrandPart = BrandLevel | BrandRule | StoreLevel | StoreRule


def gather_facts(part: Node, context: Context) -> Gathered[Any]:
    """The facts of a config, or of a part of a brand."""
    message = type(part).__name__
    yield from _config_facts(part, context) if message == "ChannelConfig" else FACTS_BY_MESSAGE[message](part)


def _config_facts(config: Any, context: Context) -> Gathered[DeclaredConfig]:
    """The name and the type of a config, its outline, and whether some of it was refused."""
    if config.name:
        summary = context.shared("config summary", lambda: summarize(config, without=CHANNEL_CONFIG_IDENTITY))
        is_partial = summary.is_partial or config.type is None
        yield config.location("name"), DeclaredConfig(config.name, config.type, summary.value, is_partial)


def _brand_facts(brand: Any) -> Gathered[BrandLevel]:
    """The name of a brand and of its default configs, and whether some of it was refused."""
    is_partial = any(brand.is_partial(field) for field in ("defaults", "bindings", "stores", "name"))
    yield brand.location(), BrandLevel([brand.name or "", *(brand.defaults or ())], is_partial)


def _binding_facts(binding: Any) -> Gathered[BrandRule]:
    """The config of a binding of a brand, the tags and names of its stores, and whether some of it was refused."""
    stores = binding.stores
    is_partial = binding.is_partial("channelConfig") or binding.is_partial("stores")
    if stores is not None:
        is_partial = is_partial or stores.is_partial("tags") or stores.is_partial("names")
    tags, names = (stores.tags, stores.names) if stores else (None, None)
    yield binding.location(), BrandRule(binding.channelConfig or "", tags, names, is_partial)


def _store_facts(store: Any) -> Gathered[StoreLevel]:
    """The name of a store and of its default configs, its tags, and whether some of it was refused."""
    is_partial = any(store.is_partial(field) for field in ("name", "tags", "defaults", "bindings"))
    yield store.location(), StoreLevel([store.name or "", *(store.defaults or ())], store.tags or [], is_partial)


def _store_binding_facts(binding: Any) -> Gathered[StoreRule]:
    """The config of a binding of a store, and whether it was refused."""
    yield binding.location(), StoreRule(binding.channelConfig or "", binding.is_partial("channelConfig"))


FACTS_BY_MESSAGE = {
    "Brand": _brand_facts,
    "BrandBinding": _binding_facts,
    "Store": _store_facts,
    "StoreBinding": _store_binding_facts,
}
SUBJECTS = ("ChannelConfig", *FACTS_BY_MESSAGE)
"""The messages that facts are gathered of."""


@dataclass(slots=True)
class BrandFacts:
    """What the facts tell of one brand: its own, its bindings, and each store with its bindings."""

    brand: Fact[BrandLevel]
    bindings: list[Fact[BrandRule]]
    stores: list[tuple[Fact[StoreLevel], list[Fact[StoreRule]]]]

    @property
    def name(self) -> str:
        """The name of the brand, empty without one."""
        return self.brand.value.names[0]

    @property
    def is_complete(self) -> bool:
        """Whether all that the brand says could be read."""
        return all(fact.is_complete and not fact.value.is_partial for fact in self.uses())

    def uses(self) -> Iterator[Fact[BrandPart]]:
        """The facts that have names of configs: the names that a brand has for them."""
        yield self.brand
        yield from self.bindings
        for store, bindings in self.stores:
            yield store
            yield from bindings

    def as_data(self, configs: ConfigCatalog) -> tuple[list[Any], list[Any], list[Any]]:
        """The defaults, the bindings and the stores as plain values: a use is its level, the number of the config, and
        the fact where it is; a binding has the tags and names of its stores beside; a store has a name, tags, and uses
        of its own.

        Names that mean no config, several, or one of another brand are left out; so is a binding whose stores could not
        be read.
        """
        bindings = [
            (use, fact.value.tags, fact.value.stores)
            for fact in self.bindings
            if not fact.value.is_partial
            for use in self._uses_of_name("brand-binding", fact.value.name, fact, configs)
        ]
        stores = [
            (fact.value.names[0], fact.value.tags, self._store_uses(fact, bound, configs))
            for fact, bound in self.stores
        ]
        return self._defaults("brand-default", self.brand, configs), bindings, stores

    def _store_uses(
        self, store: Fact[StoreLevel], bindings: list[Fact[StoreRule]], configs: ConfigCatalog
    ) -> list[Any]:
        bound = (
            use for fact in bindings for use in self._uses_of_name("store-binding", fact.value.name, fact, configs)
        )
        return [*self._defaults("store-default", store, configs), *bound]

    def _defaults(self, level: str, fact: Fact[BrandLevel | StoreLevel], configs: ConfigCatalog) -> list[Any]:
        """The defaults of a level, each with its place; of a level that lost some that of all of it."""
        defaults = enumerate(fact.value.names[1:])
        named = ((name, fact if fact.value.is_partial else fact.item("defaults", index)) for index, name in defaults)
        return [use for name, where in named for use in self._uses_of_name(level, name, where, configs)]

    def _uses_of_name(self, level: str, name: str, where: Fact, configs: ConfigCatalog) -> list[Any]:
        meant = configs.resolve(name, self.name)
        is_clear = len(meant) == 1 and not is_of_other_brand(configs.all[meant[0]].value.name, self.name)
        return [(level, meant[0], where)] if is_clear else []


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


def group_by_brand(facts: Iterable[Fact]) -> list[BrandFacts]:
    """The brands of a workspace, in the order of path, document and place."""
    brands: dict[Hashable, BrandFacts] = {}
    stores: dict[Hashable, list[Fact[StoreRule]]] = {}
    for fact in sorted(facts, key=lambda fact: len(fact.steps)):  # a brand before its parts
        # the document that a fact is from: a list of resources has several
        root = (fact.path, fact.document, fact.steps[:1] if fact.steps and isinstance(fact.steps[0], int) else ())
        match fact.value:
            case BrandLevel():
                brands[root] = BrandFacts(fact, [], [])
            case BrandRule():
                brands[root].bindings.append(fact)
            case StoreLevel():
                stores[root, fact.steps] = []
                brands[root].stores.append((fact, stores[root, fact.steps]))
            case StoreRule():
                stores[root, fact.steps[:-2]].append(fact)
    return list(brands.values())


def defaults_of_one_type(data: tuple[list[Any], list[Any], list[Any]], configs: ConfigCatalog) -> WorkspaceFindings:
    """What to say of a default of the same type as one of its level before it, which may set other fields.

    `data` is that of `BrandFacts.as_data`.
    """
    from trialrun.lint.workspace_rules import WorkspaceFinding

    defaults, _, stores = data
    for uses in (defaults, *(uses for _, _, uses in stores)):
        first: dict[str, tuple[int, Fact]] = {}
        for level, number, where in uses:
            config_type = configs.type(number) if level.endswith("-default") else None
            earlier, place = first.setdefault(config_type, (number, where)) if config_type else (number, where)
            if earlier != number:
                names = (last_id(configs.all[each].value.name) for each in (earlier, number))
                what = " and ".join(f'"{name}"' for name in names)
                message = f"{what} are both defaults of type {config_type}; have one default for each type"
                yield WorkspaceFinding(where, message, related=(("the earlier default", place),))


def bindings_by_config(brands: Iterable[BrandFacts], configs: ConfigCatalog) -> dict[int, list[Fact]]:
    """The bindings of each config that has some."""
    facts_by_brand: dict[int, list[Fact]] = {}
    for brand in brands:
        for fact in brand.uses():
            if isinstance(fact.value, BrandRule | StoreRule):
                for number in configs.resolve(fact.value.name, brand.name):
                    facts_by_brand.setdefault(number, []).append(fact)
    return facts_by_brand


def unclear_configs(brands: Iterable[BrandFacts], configs: ConfigCatalog) -> set[int]:
    """The configs of which nothing is certain: they share a name with others, or a brand without stores uses them, or a
    binding with an unknown tag or store, which `unknown-store` reports.
    """
    numbers: set[int] = set()
    for brand in brands:
        tags = {tag for store, _ in brand.stores for tag in store.value.tags}
        names = {name for store, _ in brand.stores for name in store.value.names[:1]}
        for fact in brand.uses():
            value, is_clear = fact.value, bool(brand.stores)
            if isinstance(value, BrandRule):
                is_clear = is_clear and tags.issuperset(value.tags or ()) and names.issuperset(value.stores or ())
            for name in [value.name] if isinstance(value, BrandRule | StoreRule) else value.names:
                meant = configs.resolve(name, brand.name)
                numbers.update(meant if len(meant) > 1 or not is_clear else ())
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
