"""Write docs/json.md: what commands print with `--output-format json`, from the schemas of these outputs.

python scripts/json_page.py
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from trialrun.cli.schema import OUTPUTS, output_schema  # noqa: E402

PAGE = ROOT / "docs" / "json.md"
SAID_ONCE = ("relative to the working directory, with /", "counted from 1", "RFC 3339")
"""Meanings that the head of the page has."""
HEAD = """# JSON output

What commands print with `--output-format json`: one object on standard output, in UTF-8. `trialrun schema NAME` prints
the JSON Schema of each. Written by `python scripts/json_page.py`; tests validate the outputs against the schemas.

**Versions.** While `version` is 1, no key is removed, and none changes its meaning or type. Keys may be added, so
readers must ignore unknown keys. Keys marked `?` are omitted if they do not apply; a key without a type is a string.
With the same `--at`, the same input gives the same bytes on every machine, except for the `estimate` of `sync --plan`.

Lines and columns start at 1, columns count Unicode code points, and ends are exclusive. Paths are relative to the
working directory, with `/`. Times are RFC 3339.
"""


def page() -> str:
    """The text of the page: a section for each output, and one for the parts that several have."""
    schemas = {name: output_schema(name) for name in OUTPUTS}
    counts = Counter(title for schema in schemas.values() for title in schema.get("$defs", {}))
    shared = {title: shape for schema in schemas.values() for title, shape in schema.get("$defs", {}).items()}
    sections = ["".join(_section(name, schema, counts)) for name, schema in schemas.items()]
    parts = ["".join(_shape(shared[title], title)) for title, count in sorted(counts.items()) if count > 1]
    return HEAD + "".join(sections) + "\n## Parts of several outputs\n" + "".join(parts)


def _section(name: str, schema: dict[str, Any], counts: Counter[str]) -> Iterator[str]:
    title = OUTPUTS[name][0]
    yield f"\n## {name}\n\n{f'`{title}`' if title.startswith('trialrun') else title}\n"
    if "properties" in schema:
        yield from _shape(schema)
    else:
        yield f"\nOne of {len(schema['anyOf'])}: {', '.join(map(_type, schema['anyOf']))}.\n"
    for part, shape in schema.get("$defs", {}).items():
        if counts[part] == 1:
            yield from _shape(shape, part)


def _shape(shape: dict[str, Any], title: str = "") -> Iterator[str]:
    """A list of the keys, in their order; those without a meaning are on one line where they follow each other."""
    yield f"\n**{title}**: {shape['description']}\n\n" if title else "\n"
    required = shape.get("required", ())
    keys = [
        (f"`{key}{'' if key in required else '?'}{_typed(value)}`", value.get("description", ""))
        for key, value in shape["properties"].items()
    ]
    for is_plain, group in groupby(keys, lambda key: key[1] in ("", *SAID_ONCE)):
        if is_plain:
            yield f"- {'; '.join(key for key, _ in group)}\n"
        else:
            yield from (f"- {key}: {meaning}\n" for key, meaning in group)


def _typed(value: dict[str, Any]) -> str:
    """The type of a key as it stands after its name; a text has none."""
    return "" if (name := _type(value)) == "string" else f": {name}"


def _type(value: dict[str, Any]) -> str:
    """A type in the notation of TypeScript."""
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2]
    if "const" in value:
        return json.dumps(value["const"])
    if "enum" in value:
        return " | ".join(map(json.dumps, value["enum"]))
    if "anyOf" in value:
        return " | ".join(map(_type, value["anyOf"]))
    match value.get("type"):
        case "array":
            item = _type(value.get("items", {}))
            return f"({item})[]" if " | " in item else f"{item}[]"
        case "object":
            values = value.get("additionalProperties")
            return "object" if values in (True, None) else f"Record<string, {_type(values)}>"
        case str(name):
            return name
    return "any"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
