"""Where effective values come from, as scenarios write and show it: configs and files by the ends of their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Place
from trialrun.runtime.scenario.events import Mistake
from trialrun.runtime.scenario.format import did_you_mean, value_text
from trialrun.values.resource_name import is_same, last_id

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedValue
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.channel_config.origin import Origin

LINE = re.compile(r":([0-9]+)\Z")


def origin_text(origin: Origin) -> str:
    """Where a value comes from: `breakfast (channels/dayparts.yaml:11, store-binding of austin-breakfast)`."""
    rule = f" of {last_id(origin.rule)}" if origin.rule else ""
    return f"{last_id(origin.name)} ({origin.path}:{origin.line}, {origin.level}{rule})"


def set_text(origin: Origin) -> str:
    """A value, and where it comes from."""
    return f"{value_text(origin.value)}, set by {origin_text(origin)}"


def set_by(file: str, origin: Origin) -> bool:
    """Whether a file, the end of its path, perhaps with a line, is where a value comes from."""
    line = LINE.search(file)
    return is_end(LINE.sub("", file), origin.path) and (line is None or int(line[1]) == origin.line)


def set_there(text: str, origin: Origin) -> bool:
    """Whether a config by the end of its name, or a file by that of its path, is where a value comes from."""
    return is_same(origin.name, text) or set_by(text, origin)


def is_end(end: str, path: str) -> bool:
    """Whether a path ends with these parts."""
    return f"/{path}".endswith(f"/{end}")


def misnamed(expected: ExpectedValue, brands: BrandCatalog) -> Iterator[Mistake]:
    """The names that no config, no file of one, and no rule of the workspace has."""
    if expected.config is not None and not brands.configs_called(expected.config):
        yield _mistake(expected.at("config"), f'there is no ChannelConfig "{expected.config}"', _configs(brands))
    if expected.file is not None and not _is_file(expected.file, brands):
        files = (one.path for one in brands.configs)
        yield _mistake(expected.at("file"), f'no ChannelConfig is in a file "{expected.file}"', files)
    if expected.rule is not None and not any(is_same(rule, expected.rule) for rule in _rules(brands)):
        yield _mistake(expected.at("rule"), f'no binding has the rule "{expected.rule}"', _rules(brands))
    for index, text in enumerate(expected.overrode or ()):
        if not brands.configs_called(text) and not _is_file(text, brands):
            known = [*_configs(brands), *(one.path for one in brands.configs)]
            yield _mistake(expected.at("overrode", index), f'there is no ChannelConfig and no file "{text}"', known)


def _mistake(place: Place, message: str, known: Iterable[str]) -> Mistake:
    name = message.rpartition(' "')[2].rstrip('"')
    return Mistake(place, message + did_you_mean(name, known))


def _is_file(text: str, brands: BrandCatalog) -> bool:
    return any(is_end(LINE.sub("", text), one.path) for one in brands.configs)


def _configs(brands: BrandCatalog) -> Iterator[str]:
    for one in brands.configs:
        if one.node.name:
            yield last_id(one.node.name)


def _rules(brands: BrandCatalog) -> Iterator[str]:
    for brand in brands.brands:
        yield from (one.rule for one in brand.node.bindings or () if one.rule)
        for store in brand.node.stores or ():
            yield from (one.rule for one in store.bindings or () if one.rule)
