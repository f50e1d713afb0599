"""Origins of effective values in scenarios: configs and files by the ends of their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import SymbolicLocation
from trialrun.runtime.scenario.events import ScenarioMistake
from trialrun.runtime.scenario.format import format_value
from trialrun.values.resource_name import is_same_resource, last_id
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedValue
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.channel_config.effective import Origin

LINE = re.compile(r":([0-9]+)\Z")


def format_origin(origin: Origin) -> str:
    """Where a value comes from: `breakfast (channels/dayparts.yaml:11, store-binding of austin-breakfast)`."""
    rule = f" of {last_id(origin.rule)}" if origin.rule else ""
    return f"{last_id(origin.name)} ({origin.path}:{origin.line}, {origin.level}{rule})"


def format_set_value(origin: Origin) -> str:
    """A value, and where it comes from."""
    return f"{format_value(origin.value)}, set by {format_origin(origin)}"


def is_set_in_file(file: str, origin: Origin) -> bool:
    """Whether a file, the end of its path, perhaps with a line, is where a value comes from."""
    line = LINE.search(file)
    return is_path_suffix(LINE.sub("", file), origin.path) and (line is None or int(line[1]) == origin.line)


def is_set_by(text: str, origin: Origin) -> bool:
    """Whether a config by the end of its name, or a file by that of its path, is where a value comes from."""
    return is_same_resource(origin.name, text) or is_set_in_file(text, origin)


def is_path_suffix(end: str, path: str) -> bool:
    """Whether a path ends with these parts."""
    return f"/{path}".endswith(f"/{end}")


def unknown_names(expected: ExpectedValue, brands: BrandCatalog) -> Iterator[ScenarioMistake]:
    """The names that no config, no file of one, and no rule of the workspace has."""
    if expected.config is not None and not brands.configs_named(expected.config):
        yield _mistake(expected.location("config"), f'there is no ChannelConfig "{expected.config}"', _configs(brands))
    if expected.file is not None and not _is_file(expected.file, brands):
        files = (config.path for config in brands.configs)
        yield _mistake(expected.location("file"), f'no ChannelConfig is in a file "{expected.file}"', files)
    if expected.rule is not None and not any(is_same_resource(rule, expected.rule) for rule in _rules(brands)):
        yield _mistake(expected.location("rule"), f'no binding has the rule "{expected.rule}"', _rules(brands))
    for index, text in enumerate(expected.overrode or ()):
        if not brands.configs_named(text) and not _is_file(text, brands):
            names = [*_configs(brands), *(config.path for config in brands.configs)]
            yield _mistake(
                expected.location("overrode", index), f'there is no ChannelConfig and no file "{text}"', names
            )


def _mistake(place: SymbolicLocation, message: str, candidates: Iterable[str]) -> ScenarioMistake:
    name = message.rpartition(' "')[2].rstrip('"')
    return ScenarioMistake(place, message + did_you_mean(name, candidates))


def _is_file(text: str, brands: BrandCatalog) -> bool:
    return any(is_path_suffix(LINE.sub("", text), config.path) for config in brands.configs)


def _configs(brands: BrandCatalog) -> Iterator[str]:
    for config in brands.configs:
        if config.node.name:
            yield last_id(config.node.name)


def _rules(brands: BrandCatalog) -> Iterator[str]:
    for brand in brands.brands:
        yield from (binding.rule for binding in brand.node.bindings or () if binding.rule)
        for store in brand.node.stores or ():
            yield from (binding.rule for binding in store.bindings or () if binding.rule)
