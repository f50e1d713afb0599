"""Write docs/json.md: what commands print with `--output-format json`, from the schemas of these outputs.

python scripts/json_page.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from trialrun.outputs.schema import OUTPUTS, output_schema  # noqa: E402

PAGE = ROOT / "docs" / "json.md"
HEAD = """# JSON output

The output of commands with `--output-format json`: one object on standard output, always in UTF-8. This page is written
by `python scripts/json_page.py` from the schemas that `trialrun schema NAME` prints. Tests validate the outputs against
them.

**Versions.** While `version` is 1, no key is removed, and none changes its meaning or type. Keys may be added, so
readers must ignore unknown keys. Keys marked `?` are omitted if they do not apply. With the same `--at`, the same input
gives the same bytes on every machine, except for the `estimate` of `sync --plan`.

Lines and columns start at 1, columns count Unicode code points, and ends are exclusive. Paths are relative to the
working directory, with `/`. Times are RFC 3339.
"""


def page() -> str:
    """The text of the page."""
    return HEAD + "".join("".join(_section(name)) for name in OUTPUTS)


def _section(name: str) -> Iterator[str]:
    schema, title = output_schema(name), OUTPUTS[name][0]
    yield f"\n## {name}\n\n{f'`{title}`' if title.startswith('trialrun') else title}\n"
    shapes = [schema]
    if "properties" not in schema:
        shapes = [schema["$defs"][reference["$ref"].rpartition("/")[2]] for reference in schema["anyOf"]]
        yield f"\nOne of {len(shapes)}:\n"
    for shape in shapes:
        yield from _shape(shape, f"\n{shape['description']}\n" if len(shapes) > 1 else "")
    for title, shape in schema.get("$defs", {}).items():
        if shape not in shapes:
            yield from _shape(shape, f"\n**{title}**: {shape['description']}\n")


def _shape(shape: dict[str, Any], title: str) -> Iterator[str]:
    yield f"{title}\n| key | type | meaning |\n|---|---|---|\n"
    for key, value in shape["properties"].items():
        mark = "" if key in shape.get("required", ()) else "?"
        yield f"| `{key}`{mark} | {_type(value)} | {value.get('description', '')} |\n"


def _type(value: dict[str, Any]) -> str:
    """A type in words."""
    if "$ref" in value:
        return value["$ref"].rpartition("/")[2]
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return ", ".join(f"`{choice}`" for choice in value["enum"])
    if "anyOf" in value:
        return " or ".join(_type(schema_) for schema_ in value["anyOf"])
    match value.get("type"):
        case "array":
            return f"list of {_type(value.get('items', {}))}"
        case "object":
            values = value.get("additionalProperties")
            return "map" if values in (True, None) else f"map of {_type(values)}"
        case str(name):
            return name
    return "any value"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
