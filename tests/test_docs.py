"""Every document that these pages show is one that the linter finds nothing in: companions, scenarios, suppressions."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scripts import settings_page
from tests.cases import each_of
from tests.lint.workspace_findings import silenced
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.selection import default_selection
from trialrun.lint.settings.loader import settings_of
from trialrun.model.companion import COMPANIONS, Scenario
from trialrun.model.node import Node, message_fields

PAGE = Path(__file__).parent.parent / "docs" / "companions.md"
PAGES = PAGE, PAGE.parent / "scenarios.md"
BLOCKS = [block for page in PAGES for block in re.findall(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)]


@each_of(BLOCKS)
def test_a_companion_document_is_sound(block: str) -> None:
    linter = Linter(default_selection(), now=EXAMPLE_TIME, session_types=lambda: session_types(()))
    assert linter.lint(block.encode(), "companion.yaml", is_explicit=True).diagnostics == []


def test_every_kind_of_companion_has_its_section() -> None:
    sections = re.findall(r"^## (\w+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(sections) == {model.__name__ for model in COMPANIONS}


def test_every_field_of_a_scenario_is_on_its_page() -> None:
    text = (PAGE.parent / "scenarios.md").read_text(encoding="utf-8")
    fields = {name for part in [Scenario, *messages_in(Scenario)] for name in part.model_fields}
    assert {name for name in fields - {"kind"} if not re.search(rf"\b{name}\b", text)} == set()


def messages_in(model: type[Node]) -> Iterator[type[Node]]:
    for _, _, part in message_fields(model):
        yield part
        yield from messages_in(part)


def test_the_suppressions_shown_silence_what_they_name() -> None:
    text = (PAGE.parent / "checking.md").read_text(encoding="utf-8").partition("\n## Suppressions\n")[2]
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    found = silenced(block)
    assert found.kept == []
    assert sorted({suppressed.diagnostic.rule for suppressed in found.suppressed}) == sorted(found_names(block))


def test_the_suppression_in_terraform_silences_what_it_names() -> None:
    (block,) = re.findall(r"```hcl\n(.*?)```", (PAGE.parent / "terraform.md").read_text("utf-8"), re.DOTALL)
    resource = f'resource "google_vertex_ai_feature_online_store_featureview" "v" {{\n{block}}}\n'
    found = silenced(resource, path="views.tf")
    assert [suppressed.diagnostic.rule for suppressed in found.suppressed] == found_names(block)


def found_names(block: str) -> list[str]:
    return [name.strip() for names in re.findall(r"ignore\[(.*?)\]", block) for name in names.split(",")]


def test_the_table_shown_is_one_of_the_settings() -> None:
    text = (PAGE.parent / "checking.md").read_text(encoding="utf-8").partition("\n## Suppressions\n")[2]
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert settings_of(tomllib.loads(block), "trialrun.toml").ignore_tables


def test_the_page_of_the_settings_is_made_from_the_model() -> None:
    assert settings_page.PAGE.read_text(encoding="utf-8") == settings_page.page(), "run python scripts/settings_page.py"


MODULE_PATH = re.compile(r"`(?:src/trialrun/)?([a-z_]+(?:/[a-z_]+)*\.py|[a-z_]+(?:/[a-z_]+)+)`")
"""A module or a folder in the text of a page, relative to src/trialrun or with the end of its path."""


@cache
def paths_of_repository() -> tuple[str, ...]:
    """The files and folders of everything that is code, each after a slash."""
    root = PAGE.parent.parent
    tops = ("src", "tests", "rules", "scripts", "benchmarks")
    return tuple(f"/{path.relative_to(root).as_posix()}" for top in tops for path in (root / top).rglob("*"))


@each_of(["architecture.md", *sorted(f"decisions/{p.name}" for p in PAGE.parent.glob("decisions/*"))])
def test_the_modules_that_a_page_names_exist(page: str) -> None:
    named = set(MODULE_PATH.findall((PAGE.parent / page).read_text(encoding="utf-8")))
    assert sorted(name for name in named if not any(path.endswith(f"/{name}") for path in paths_of_repository())) == []


def test_the_benchmarks_that_their_page_names_exist() -> None:
    folder = PAGE.parent.parent / "benchmarks"
    text = (folder / "README.md").read_text(encoding="utf-8")
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    named = set(re.findall(r"benchmarks\.(\w+)", text))
    listed = set(re.findall(r"\w+", " ".join(re.findall(r"^\| ([a-z_, ]+) \|", text, re.MULTILINE)))) - {
        "command",
        "modules",
    }
    assert named - modules == set()
    assert modules - named - listed == set()


def test_every_page_of_decisions_is_named_by_a_module() -> None:
    modules = [path for top in ("src", "scripts") for path in (PAGE.parent.parent / top).rglob("*.py")]
    named = {page for path in modules for page in re.findall(r"docs/decisions/([a-z-]+)\.md", path.read_text("utf-8"))}
    assert named == {path.stem for path in PAGE.parent.glob("decisions/*.md")} - {"README"}


def test_the_table_of_lowest_versions_is_that_of_the_package() -> None:
    root = PAGE.parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = {"test", "client-tests"}
    extras = [needs for extra, needs in project["optional-dependencies"].items() if extra not in tools]
    needed = [need for needs in (project["dependencies"], *extras) for need in needs if not need.startswith("trialrun")]
    bounds = {re.sub(r"\[.*?\]", "", need).partition(",")[0] for need in needed}
    table = (
        (root / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .partition("## Versions of libraries")[2]
        .partition("\n## ")[0]
    )
    rows = re.findall(r"^\| ([a-z0-9-]+) \| ([\d.]+) \|", table, re.MULTILINE)
    assert {f"{library}>={lowest}" for library, lowest in rows} == bounds
