"""The schema in yaml-language-server, where `.ci/editors` installed it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editors.wire import Wire, talking
from tests.program import CONDITION, Run, view

HERE = Path(__file__).parent
SERVER = HERE / "npm" / "node_modules" / ".bin" / "yaml-language-server"
pytestmark = pytest.mark.skipif(not SERVER.exists(), reason="yaml-language-server is not there: .ci/editors")
BURGERS = HERE.parent.parent / "fixtures" / "workspaces" / "burger-brand"
SOUND = sorted(path for path in BURGERS.rglob("*.yaml") if "broken" not in path.parts and "scenarios" not in path.parts)


@pytest.fixture
def yaml(tmp_path: Path, run: Run) -> Iterator[Wire]:
    """The server with the schema of all kinds for every file, and nothing from the network."""
    schema = tmp_path / "schema.json"
    schema.write_text(run("schema").out, encoding="utf-8")
    settings = {"schemas": {schema.as_uri(): "*.yaml"}, "schemaStore": {"enable": False}, "validate": True}
    settings |= {"hover": True, "completion": True}
    capabilities = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
    words = [str(SERVER), "--stdio"]
    with talking(*words, folder=tmp_path, capabilities=capabilities, settings={"yaml": settings}) as wire:
        yield wire


def opened(wire: Wire, text: str, name: str = "a.yaml") -> tuple[str, list[str]]:
    """The address of a text, and what the server finds in it: line, from 1, and message."""
    uri = f"file:///workspace/{name}"
    wire.tell("textDocument/didOpen", textDocument={"uri": uri, "languageId": "yaml", "version": 1, "text": text})
    told = wire.wait(
        lambda message: message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri
    )
    return uri, [f"{one['range']['start']['line'] + 1}: {one['message']}" for one in told["params"]["diagnostics"]]


def place(uri: str, text: str, before: str) -> dict[str, Any]:
    """The place behind the first occurrence of some characters."""
    above, _, _ = (text[: text.index(before)] + before).rpartition("\n")
    line = above.count("\n") + 1 if above else 0
    column = text.index(before) + len(before) - (len(above) + 1 if above else 0)
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": column}}


def test_it_finds_nothing_in_sound_files(yaml: Wire) -> None:
    found = {path.name: opened(yaml, path.read_text(encoding="utf-8"), path.name)[1] for path in SOUND}
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (view().replace("entityIdColumns: [id]", "entityIdColumns: id"), ['7: Incorrect type. Expected "array".']),
        (view().replace("uri:", "url:"), ['5: Missing property "uri".', "6: Property url is not allowed."]),
        (CONDITION.replace("priority: 1", "priority: first"), ['7: Incorrect type. Expected "integer".']),
        (
            view() + "---\n" + CONDITION.replace("UPSELL_STRATEGY", "UPSELL"),
            ['11: Value is not accepted. Valid values: "UPSELL_STRATEGY", "AGENT_CUSTOMIZATION".'],
        ),
    ],
)
def test_it_finds_what_a_schema_can_say(yaml: Wire, text: str, told: list[str]) -> None:
    assert opened(yaml, text)[1] == told


def test_it_completes_fields(yaml: Wire) -> None:
    text = view().replace("  entityIdColumns: [id]\n", "  ent\n")
    answer = yaml.ask("textDocument/completion", **place(opened(yaml, text)[0], text, "  ent"))
    assert "entityIdColumns" in [item["label"] for item in answer["items"]]


def test_it_completes_values(yaml: Wire) -> None:
    text = CONDITION.replace("UPSELL_STRATEGY", "")
    answer = yaml.ask("textDocument/completion", **place(opened(yaml, text)[0], text, "type: "))
    assert "UPSELL_STRATEGY" in [item["label"] for item in answer["items"]]


def test_it_shows_what_a_field_is(yaml: Wire) -> None:
    text = view()
    shown = yaml.ask("textDocument/hover", **place(opened(yaml, text)[0], text, "entityIdCol"))
    assert "Columns used to construct the entity id" in shown["contents"]["value"]
