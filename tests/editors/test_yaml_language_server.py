"""The schema in yaml-language-server, where `.ci/editors` installed it."""

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.editors.json_rpc import Wire, talking
from tests.program import CONDITION, Run, own_environment, run_here, view
from trialrun.model.kinds import KINDS, kind_of
from trialrun.parser import parse

HERE = Path(__file__).parent
SERVER = HERE / "npm" / "node_modules" / ".bin" / "yaml-language-server"
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(not SERVER.exists(), reason="needs yaml-language-server; run .ci/editors"),
]
FIXTURES = HERE.parent.parent / "fixtures"
BURGERS = FIXTURES / "workspaces" / "burger-brand"
NOT_SOUND = {"broken", "failing", "data", "ramen-yaml"}


def files(*folders: Path) -> list[Path]:
    found = (path for folder in folders for path in sorted(folder.rglob("*")))
    return [path for path in found if path.suffix in (".yaml", ".json") and not NOT_SOUND & {*path.parts}]


SOUND = files(FIXTURES / "valid", FIXTURES / "workspaces", FIXTURES / "scenarios")
EMOJI = {
    "config-limits.yaml": [
        "4: String is longer than the maximum length of 63.",
        "10: String is longer than the maximum length of 100.",
    ]
}
"""What is told of sound files, since the server counts an emoji as two characters where JSON Schema has one."""


PAGE = (HERE.parent.parent / "docs" / "editors.md").read_text(encoding="utf-8")
WRONG = view().replace("uri:", "url:")
OPENED = count()
"""Folders for opened files, since the server is that of the module."""


@pytest.fixture(scope="module")
def yaml(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """The server with the schema of all kinds for every file, and nothing from the network."""
    folder = tmp_path_factory.mktemp("yaml")
    schema = folder / "schema.json"
    schema.write_text(run_here(("schema",), folder, own_environment(folder)).out, encoding="utf-8")
    settings = {"schemas": {schema.as_uri(): ["*.yaml", "*.json"]}, "schemaStore": {"enable": False}, "validate": True}
    settings |= {"hover": True, "completion": True}
    capabilities = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
    words = [str(SERVER), "--stdio"]
    with talking(*words, folder=folder, capabilities=capabilities, settings={"yaml": settings}) as wire:
        yield wire


def opened(wire: Wire, text: str, name: str | Path = "a.yaml") -> tuple[str, list[str]]:
    """The address of a text, and what the server finds in it: line, from 1, and message."""
    uri, told = diagnosed(wire, text, name)
    return uri, [f"{diagnostic['range']['start']['line'] + 1}: {diagnostic['message']}" for diagnostic in told]


def text_of(path: Path) -> str:
    """The text of a file as an editor reads it."""
    data = path.read_bytes()
    return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")


def diagnosed(wire: Wire, text: str, name: str | Path) -> tuple[str, list[dict[str, Any]]]:
    uri = (Path("/workspace") / str(next(OPENED)) / name).as_uri()
    wire.tell("textDocument/didOpen", textDocument={"uri": uri, "languageId": "yaml", "version": 1, "text": text})
    told = wire.wait(
        lambda message: message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri
    )
    return uri, told["params"]["diagnostics"]


def place(uri: str, text: str, before: str) -> dict[str, Any]:
    """The place behind the first occurrence of some characters."""
    above, _, _ = (text[: text.index(before)] + before).rpartition("\n")
    line = above.count("\n") + 1 if above else 0
    column = text.index(before) + len(before) - (len(above) + 1 if above else 0)
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": column}}


def test_it_finds_nothing_in_sound_files(yaml: Wire) -> None:
    found = {path.name: opened(yaml, text_of(path), path.name)[1] for path in SOUND}
    assert {name: told for name, told in found.items() if told} == EMOJI


def test_the_sound_files_are_of_every_kind_and_form() -> None:
    kinds = {kind_of(document.value) for path in SOUND for document in parse(path.read_bytes(), path.name).documents}
    assert set(KINDS) - kinds == set()
    assert {path.suffix for path in SOUND} == {".yaml", ".json"}


def test_what_the_schema_finds_is_where_check_finds_something(yaml: Wire, run: Run) -> None:
    checked = json.loads(run("check", FIXTURES / "invalid", "--output-format", "json", "--isolated").out)
    lines = {
        (Path(diagnostic["path"]).name, diagnostic["range"]["start"]["line"]) for diagnostic in checked["diagnostics"]
    }
    elsewhere = {}
    for path in files(FIXTURES / "invalid"):
        _, found = diagnosed(yaml, text_of(path), path.name)
        told = [
            (diagnostic["range"]["start"]["line"] + 1, diagnostic["message"])
            for diagnostic in found
            if "schema" in diagnostic["source"]
        ]
        elsewhere |= {(path.name, line): message for line, message in told if (path.name, line) not in lines}
    assert {place for place, message in elsewhere.items() if not message.startswith("Missing property")} == {
        ("document-reading.yaml", 5),  # the first value of a key that stands twice
        ("document-repeats.yaml", 8),
        ("document-service.yaml", 8),  # below a field that the service sets, which is to be removed
        ("document-types.yaml", 7),  # a block that is no text begins below its key
        ("document-types.yaml", 33),
        ("document-unions.yaml", 4),  # a member that stands before the others, and is named after them
        ("document-unions.yaml", 30),
        ("document-unions.yaml", 38),  # a null member, which check reports at the upsell that lacks one
    }


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("combo-week.yaml", []),
        ("lunch-forecast.yaml", []),
        (
            "night-voice.yaml",
            [
                '13: Incorrect type. Expected "OrderPickup".',
                '6: Value is not accepted. Valid values: "TONE_UNSPECIFIED", "CONCISE_AND_DIRECT", '
                '"PROFESSIONAL_AND_FORMAL", "FRIENDLY".',
            ],
        ),
        ("store-opening.json", ['14: Incorrect type. Expected "boolean".', "18: Value is above the maximum of 1."]),
    ],
)
def test_it_finds_less_than_check_in_the_example(yaml: Wire, name: str, told: list[str]) -> None:
    assert opened(yaml, text_of(BURGERS / "broken" / name), name)[1] == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (view().replace("entityIdColumns: [id]", "entityIdColumns: id"), ['7: Incorrect type. Expected "array".']),
        (view().replace("uri:", "url:"), ['5: Missing property "uri".', "6: Property url is not allowed."]),
        (CONDITION.replace("priority: 1", "priority: first"), ['7: Incorrect type. Expected "integer".']),
        (view(cron="0 3 * * *\n  continuous: true"), ["5: only one of cron, continuous is set"]),
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


def test_it_completes_beside_the_member_of_a_union(yaml: Wire) -> None:
    text = view() + "indexConfig:\n  treeAhConfig: {}\n  \n"
    answer = yaml.ask("textDocument/completion", **place(opened(yaml, text)[0], text, "treeAhConfig: {}\n  "))
    assert "embeddingColumn" in [item["label"] for item in answer["items"]]


def test_it_completes_values(yaml: Wire) -> None:
    text = CONDITION.replace("UPSELL_STRATEGY", "")
    answer = yaml.ask("textDocument/completion", **place(opened(yaml, text)[0], text, "type: "))
    assert "UPSELL_STRATEGY" in [item["label"] for item in answer["items"]]


def test_it_shows_what_a_field_is(yaml: Wire) -> None:
    text = view()
    shown = yaml.ask("textDocument/hover", **place(opened(yaml, text)[0], text, "entityIdCol"))
    assert "Columns used to construct the entity id" in shown["contents"]["value"]


def test_it_goes_by_the_settings_of_the_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.schema.json").write_text(run("schema").out, encoding="utf-8")
    shown = next(
        block for block in re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) if "yaml." in block
    )
    settings = {"schemas": json.loads(shown)["yaml.schemas"], "schemaStore": {"enable": False}, "validate": True}
    words = [str(SERVER), "--stdio"]
    with talking(*words, folder=tmp_path, capabilities={}, settings={"yaml": settings}) as wire:
        told = {
            name: opened(wire, text, tmp_path / name)[1] != []
            for name, text in {
                "channels/a.yaml": CONDITION.replace("type:", "typ:"),
                "feature-views/a.yaml": WRONG,
                "feature-views/other.yaml": "kind: Deployment\nsyncConfig: 1\n",
                "elsewhere/a.yaml": WRONG,
            }.items()
        }
    assert told == {
        "channels/a.yaml": True,
        "feature-views/a.yaml": True,
        "feature-views/other.yaml": False,
        "elsewhere/a.yaml": False,
    }


def test_a_comment_that_names_the_schema_is_for_the_first_document(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.schema.json").write_text(run("schema").out, encoding="utf-8")
    comment = "# yaml-language-server: $schema=trialrun.schema.json\n"
    settings = {"schemaStore": {"enable": False}, "validate": True}
    words = [str(SERVER), "--stdio"]
    with talking(*words, folder=tmp_path, capabilities={}, settings={"yaml": settings}) as wire:
        told = opened(wire, comment + WRONG + "---\n" + WRONG, tmp_path / "a.yaml")[1]
    assert told == ['6: Missing property "uri".', "7: Property url is not allowed."]
