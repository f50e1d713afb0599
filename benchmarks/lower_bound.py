"""The lower bound: libyaml nodes with marks, plain values, the same pydantic models, and nothing else.

`python -m benchmarks.lower_bound PATH…` does the least that a linter with positions must do to each file; `--read` only
walks the folders and reads the bytes. What a linter takes on top of that is its own.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from typing import Any

SUFFIXES = (".yaml", ".yml", ".json")


def files(paths: list[str]) -> Iterator[str]:
    """The YAML and JSON files at and below the paths."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, _, names in os.walk(path):
            yield from (os.path.join(folder, name) for name in names if name.endswith(SUFFIXES))


def contents(paths: list[str]) -> Iterator[bytes]:
    """The bytes of each file."""
    for path in files(paths):
        with open(path, "rb") as file:
            yield file.read()


def nodes(raw: bytes) -> Iterator[Any]:
    """The documents of a text as nodes that know their marks; a broken document ends the text."""
    import yaml

    loader = yaml.CSafeLoader(raw.removeprefix(b"\xef\xbb\xbf"))
    try:
        while loader.check_node():
            yield loader.get_node()
    except yaml.YAMLError:
        return
    finally:
        loader.dispose()


def value(node: Any) -> Any:
    """The plain value of a node."""
    if node.id == "scalar":
        return scalar(node)
    if node.id == "sequence":
        return [value(item) for item in node.value]
    found: dict[Any, Any] = {}
    for key, item in node.value:
        if key.tag == "tag:yaml.org,2002:merge":
            found = value(item) | found
        else:
            found[key.value] = value(item)
    return found


def scalar(node: Any) -> Any:
    """The value of a scalar by its resolved tag; what is neither number, truth value nor null stays text."""
    tag = node.tag.rpartition(":")[2]
    if tag == "null":
        return None
    if tag == "bool" and node.value in ("true", "false"):
        return node.value == "true"
    if tag in ("int", "float"):
        return int(node.value) if tag == "int" else float(node.value)
    return node.value


def validate(paths: list[str]) -> tuple[int, int]:
    """Files read, and resources that their model refuses."""
    from pydantic import ValidationError

    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.feature_view import FeatureView

    models: dict[str, type[FeatureView] | type[ChannelConfig]] = {
        "/featureOnlineStores/": FeatureView,
        "/channelConfigs/": ChannelConfig,
    }
    read = refused = 0
    for raw in contents(paths):
        read += 1
        for resource in resources(raw):
            model = next((model for part, model in models.items() if part in str(resource.get("name"))), None)
            if model is None:
                continue
            try:
                model.model_validate(resource)
            except ValidationError:
                refused += 1
    return read, refused


def resources(raw: bytes) -> Iterator[dict[str, Any]]:
    """The mappings of a text's documents, those in lists too."""
    for document in nodes(raw):
        found = value(document)
        yield from (item for item in (found if isinstance(found, list) else [found]) if isinstance(item, dict))


def main(arguments: list[str]) -> None:
    """Validate, or with `--read` only read, the files at the paths."""
    gc.disable()
    if arguments[:1] == ["--read"]:
        print(f"{sum(1 for _ in contents(arguments[1:]))} files read")
        return
    read, refused = validate(arguments)
    print(f"{read} files read, {refused} resources refused")


if __name__ == "__main__":
    main(sys.argv[1:])
