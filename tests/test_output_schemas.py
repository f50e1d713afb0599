"""Every output as JSON is one that its schema describes, and the page of the outputs is made from the schemas."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from scripts.json_page import PAGE, page
from tests.cases import each_of
from tests.changes.git_workspace import EDITS, change_files, write_burgers
from tests.cli.example_workspace import NOON, copied, synced
from tests.program import Run
from trialrun.cli.schema import OUTPUTS, output_schema

BROKEN = Path(__file__).parent.parent / "fixtures" / "workspaces" / "burger-brand" / "broken"
LONG = ("sync --all", "explore --all-stores --sessions 10", "test scenarios --coverage")
"""What takes long, of which another output of the same form is made."""
LINES = (
    ("report", "check"),
    ("report", "check broken"),
    ("files", "check --show-files"),
    ("schedule", "schedule --count 3"),
    ("sync", "sync guest_profile"),
    ("sync", "sync guest_profile menu_prices"),
    ("sync", "sync --all"),
    ("sync", "sync guest_profile --plan"),
    ("fetch", "fetch guest_profile g-00007 nobody"),
    ("search", "search menu_search --entity SW-412 --full --recall"),
    ("search", "search guest_profile --entity g-00007"),
    ("resolve", "resolve austin-lamar"),
    ("resolve", "resolve austin-lamar --field tone"),
    ("resolve", "resolve --all-stores"),
    ("resolve", "resolve --all-stores --field tone"),
    ("languages", "languages chicago-wicker-park --language de"),
    ("languages", "languages"),
    ("session", "session austin-lamar --script order.txt"),
    ("explore", "explore austin-lamar --sessions 20"),
    ("explore", "explore --all-stores --sessions 10"),
    ("prove", "prove austin-lamar --fail-on never"),
    ("test", "test scenarios/upsells.yaml --coverage"),
    ("test", "test scenarios --coverage"),
    ("test", "test broken/breakfast-offer.yaml"),
    ("rules", "rules"),
    ("rules-diff", "rules diff 2026.1"),
    ("suppressions", "suppressions"),
    ("import", "import views.json --to imported"),
    ("settings-in-force", "settings"),
    ("settings-in-force", "settings views"),
)


@cache
def validator(name: str) -> Draft202012Validator:
    schema = output_schema(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example workspace with its broken part, two views synced, and a script of a session."""
    folder = synced(tmp_path_factory.mktemp("outputs"), "guest_profile", "menu_search")
    (folder / "broken").mkdir()
    for file in BROKEN.iterdir():
        (folder / "broken" / file.name).write_bytes(file.read_bytes())
    (folder / "views.json").write_text(json.dumps([{"name": "featureViews/a", "etag": 1}, {"createTime": ""}, {}]))
    (folder / "order.txt").write_text("add Classic Smash\naccept\nfinish\n")
    return folder


@pytest.mark.parametrize(
    ("name", "line"),
    [pytest.param(name, line, id=line, marks=[pytest.mark.exhaustive] if line in LONG else []) for name, line in LINES],
)
def test_an_output_is_as_its_schema_says(run: Run, workspace: Path, name: str, line: str) -> None:
    words = line.split()
    moment = NOON if words[0] not in ("rules", "settings", "fetch", "search") else ()
    ran = run(*words, *moment, "--output-format", "json", cwd=workspace)
    assert ran.code in (0, 1), ran.err
    error = best_match(validator(name).iter_errors(json.loads(ran.out)))
    assert error is None, f"{error.json_path}: {error.message}"


def test_an_exploration_of_all_stores_is_as_its_schema_says(run: Run, tmp_path: Path) -> None:
    write_burgers(tmp_path)
    ran = run("explore", "--all-stores", "--sessions", "10", *NOON, "--output-format", "json")
    error = best_match(validator("explore").iter_errors(json.loads(ran.out)))
    assert error is None, f"{error.json_path}: {error.message}"
    assert json.loads(ran.out)["groups"]


def test_a_baseline_is_as_its_schema_says(run: Run, workspace: Path) -> None:
    assert run("baseline", "write", "known.json", cwd=workspace).code == 0
    content = json.loads((workspace / "known.json").read_text(encoding="utf-8"))
    assert content["findings"]
    assert list(validator("baseline").iter_errors(content)) == []


def test_a_plan_is_as_its_schema_says(run: Run, tmp_path: Path) -> None:
    copied(tmp_path)
    for file in (tmp_path / "scenarios").iterdir():
        if file.name != "upsells.yaml":
            file.unlink()
    change_files(tmp_path, EDITS)
    ran = run("plan", "HEAD", *NOON, "--sessions", "1", "--output-format", "json")
    reaches = [change["reach"] for change in json.loads(ran.out)["changes"]]
    assert all(any(reach[key] for reach in reaches) for key in ("scenarios", "sessions"))
    error = best_match(validator("plan").iter_errors(json.loads(ran.out)))
    assert error is None, f"{error.json_path}: {error.message}"


def test_every_schema_has_an_output_here() -> None:
    assert {name for name, _ in LINES} | {"baseline", "plan"} == set(OUTPUTS)


@each_of([*OUTPUTS])
def test_a_key_that_a_schema_does_not_have_is_refused(name: str) -> None:
    assert list(validator(name).iter_errors({"version": 1, "surprise": True}))


def test_the_command_prints_the_schema(run: Run) -> None:
    ran = run("schema", "session")
    assert json.loads(ran.out) == output_schema("session")
    assert ran.out.startswith('{\n  "$schema"')


def test_a_name_without_a_schema_is_a_usage_error(run: Run) -> None:
    ran = run("schema", "sesion")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        'error: there is no schema "sesion"; did you mean "session"?; choose one of FeatureView, '
    )


def test_the_page_is_made_from_the_schemas() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python scripts/json_page.py"


def test_the_page_has_every_key() -> None:
    shown = set(re.findall(r"`([\w$-]+)\??(?:: [^`]+)?`", page()))
    assert {key for name in OUTPUTS for key in keys(output_schema(name))} - shown == set()


def keys(schema: Any) -> list[str]:
    """The names of all properties of a schema."""
    if isinstance(schema, list):
        return [key for item in schema for key in keys(item)]
    if not isinstance(schema, dict):
        return []
    return [*schema.get("properties", ()), *(key for value in schema.values() for key in keys(value))]
