"""What the other files of a folder say counts for a file of Terraform, and no result is older than they are."""

import os
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cases import number_of_cases
from tests.changes.git_workspace import commit
from tests.program import Run
from tests.workspace.test_kept_results import report, tick
from trialrun.guarded_path import allow_folder
from trialrun.lint.settings import Profiles, Settings
from trialrun.parser.terraform.resources import siblings
from trialrun.workspace import CheckRequest, check
from trialrun.workspace.open_workspace import OpenWorkspace
from trialrun.workspace.terraform_module import MAX_FILES

__all__ = ["tick"]

NOW = datetime(2026, 11, 20, tzinfo=UTC)
VIEWS = """\
resource "google_vertex_ai_feature_online_store_featureview" "orders" {
  name                 = local.name
  feature_online_store = google_vertex_ai_feature_online_store.main.name
  labels               = local.labels
  sync_config {
    cron = var.cron
  }
  big_query_source {
    uri               = "bq://acme.serving.orders"
    entity_id_columns = ["id", "day"]
  }
  vector_search_config {
    embedding_column = "vector"
  }
}
"""
TABLE = """\
resource "google_bigquery_table" "orders" {
  project    = "acme"
  dataset_id = "serving"
  table_id   = "orders"
  schema     = file("${path.module}/schemas/orders.json")
}
"""
STORE = """\
resource "google_vertex_ai_feature_online_store" "main" {
  name = "main"
  bigtable {
  }
}
"""
FILES: dict[str, list[str]] = {
    "views.tf": [VIEWS, VIEWS + TABLE, VIEWS + VIEWS.replace('"orders" {', '"more" {')],
    "again.tf": ["", VIEWS.replace('"orders" {', '"again" {'), TABLE],
    "names.tf": [
        'locals {\n  name = "orders"\n  labels = { A = "b" }\n}\n',
        'locals {\n  name = "a/b"\n}\n',
        "locals {",
    ],
    "more.tofu": ["", 'locals {\n  labels = { c = "D" }\n}\n', 'locals {\n  name = "twice"\n}\n'],
    "variables.tf.json": ['{"variable": {"cron": {"default": "0 25 * * *"}}}', '{"variable": {"cron": {}}}', "{"],
    "provider.tf": ['provider "google" {\n  project = "acme"\n  region = "us"\n}\n', 'provider "google" {\n}\n'],
    "stores.tf": [STORE, STORE.replace("bigtable", "optimized"), ""],
    "main_override.tf": ["", VIEWS.splitlines()[0] + '\n  labels = { E = "f" }\n}\n', STORE],
    "terraform.tfvars": ['cron = "0 26 * * *"\n', 'cron = "0 1 * * *"\n', "cron = ["],
    "prod.auto.tfvars.json": ['{"cron": "0 27 * * *"}', '{"other": 1}'],
    "calls.tf": [
        'module "a" {\n  source = "./inner"\n  cron = "0 29 * * *"\n}\n',
        'module "a" {\n  source = "./inner"\n  cron = "0 29 * * *"\n}\nmodule "b" {\n  source = "./inner"\n}\n',
        "",
    ],
    "inner/more.tf": [VIEWS + 'variable "cron" {\n  default = "0 30 * * *"\n}\n', ""],
    "schemas/orders.json": ['[{"name": "id", "type": "STRING"}]', '[{"name": "day", "type": "STRING"}]', "["],
}
"""Texts of the files of a folder; the first are those of a module with something to find in each."""


def write_module(folder: Path, **others: str) -> None:
    for name, texts in FILES.items():
        write(folder / name, texts[0])
    for name, text in others.items():
        write(folder / f"{name}.tf", text)


def write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A folder with all the files."""
    write_module(tmp_path, again=TABLE)
    return tmp_path


def found(run: Run, *words: str) -> list[str]:
    """The places and messages of findings, but for that of the imported one."""
    return run("check", "--output-format", "concise", *words).out.splitlines()[:-1]


def test_what_other_files_say_is_checked_at_the_reference_to_it(run: Run, module: Path) -> None:
    assert found(run, "views.tf") == [
        'views.tf:4:26: error invalid-label in local.labels of names.tf: capital "A" in a label; write "a"',
        "views.tf:6:12: error cron-syntax in var.cron of prod.auto.tfvars.json: hour 27 is outside 0-23; write 0 to 23",
        'views.tf:10:32: error unknown-column there is no column "day" in "bq://acme.serving.orders"; it has "id"',
        "views.tf:12:3: error store-type-mismatch vector_search_config is for views of optimized stores, and the store "
        '"main" is of type bigtable; remove it, or move the view',
        'views.tf:13:24: error unknown-column there is no column "vector" in "bq://acme.serving.orders"; it has "id"',
    ]


def test_values_of_variables_win_over_defaults_in_the_order_of_terraform(run: Run, module: Path) -> None:
    def cron() -> str:
        return "".join(line for line in found(run, "views.tf", "--select", "cron-syntax"))

    assert "in var.cron of prod.auto.tfvars.json: hour 27" in cron()
    (module / "prod.auto.tfvars.json").unlink()
    assert "in var.cron of terraform.tfvars: hour 26" in cron()
    (module / "terraform.tfvars").rename(module / "by_hand.tfvars")
    assert "in the default of var.cron of variables.tf.json: hour 25" in cron()
    write(module / "variables.tf.json", '{"variable": {"cron": {"default": "0 25 * * *", "sensitive": true}}}')
    write(module / "terraform.tfvars", 'cron = "0 26 * * *"\n')
    assert cron() == ""


def test_a_name_of_two_files_is_that_of_none(run: Run, module: Path) -> None:
    assert "invalid-label" in "".join(found(run, "views.tf"))
    write(module / "more.tofu", "locals {\n  labels = {}\n}\n")
    assert "invalid-label" not in "".join(found(run, "views.tf"))


def test_what_another_file_overrides_is_unknown(run: Run, module: Path) -> None:
    write(module / "views.tf", VIEWS.replace("local.labels", '{ A = "b" }'))
    assert "invalid-label" in "".join(found(run, "views.tf"))
    write(module / "override.tf", FILES["main_override.tf"][1])
    assert "invalid-label" not in "".join(found(run, "views.tf"))
    assert "store-type-mismatch" in "".join(found(run, "views.tf"))
    write(module / "main_override.tf", STORE.replace("bigtable", "optimized"))
    assert "store-type-mismatch" not in "".join(found(run, "views.tf"))


CALL = 'module "{}" {{\n  source = "{}"\n  {}\n}}\n'


@pytest.mark.parametrize(
    "calls, told",
    [
        ("", "in the default of var.cron: hour 30"),
        (CALL.format("a", "./inner", 'cron = "0 29 * * *"'), "in var.cron of ../calls.tf: hour 29"),
        (CALL.format("a", "./inner/", "cron = local.cron"), "in var.cron of ../calls.tf: hour 28"),
        (CALL.format("a", "./inner", ""), "in the default of var.cron: hour 30"),
        (CALL.format("a", "./inner", 'cron = "0 1 * * *"'), ""),
        (CALL.format("a", "./inner", "cron = var.cron"), ""),  # a default of the caller
        (CALL.format("a", "./inner", 'cron = "0 29 * * *"') + CALL.format("b", "./inner", ""), ""),
        (CALL.format("a", "./inner", 'cron = "0 29 * * *"') * 2, "in var.cron of ../calls.tf: hour 29"),
        (CALL.format("a", "./other", 'cron = "0 29 * * *"'), "in the default of var.cron: hour 30"),
    ],
)
def test_a_call_gives_values_to_a_module_where_all_calls_agree(calls: str, told: str, run: Run, tmp_path: Path) -> None:
    write(tmp_path / "inner/more.tf", FILES["inner/more.tf"][0])
    write(
        tmp_path / "locals.tf", 'locals {\n  cron = "0 28 * * *"\n}\nvariable "cron" {\n  default = "0 27 * * *"\n}\n'
    )
    write(tmp_path / "calls.tf", calls)
    hours = found(run, "inner/more.tf", "--select", "cron-syntax")
    assert ["error cron-syntax " + told in line for line in hours] == ([True] if told else [])


@pytest.mark.parametrize("how", ["link", "path"])
def test_nothing_outside_of_the_workspace_is_read(how: str, run: Run, module: Path) -> None:
    assert "unknown-column" in "".join(found(run, "views.tf"))
    outside = module.parent / f"{module.name}-outside.json"
    (module / "schemas/orders.json").rename(outside)
    if how == "link":
        (module / "schemas/orders.json").symlink_to(outside)
    else:
        write(module / "again.tf", TABLE.replace("schemas/orders.json", f"../{outside.name}"))
    (module / "trialrun.toml").touch()
    assert "column" not in "".join(found(run, "views.tf"))


def test_of_too_many_files_none_counts(run: Run, module: Path) -> None:
    for number in range(MAX_FILES):
        write(module / f"more-{number}.tf", "")
    assert found(run, "views.tf", "--select", "cron-syntax,invalid-label") == []


CIRCLE = "locals {\n  labels = local.b\n}\n", "locals {\n  b = local.labels\n}\n"
DOUBLED = [
    "locals {\n" + "".join(f"  a{n} = [local.a{n + 1}, local.a{n + 1}]\n" for n in range(first, 40, 2)) + "}\n"
    for first in (0, 1)
]


@pytest.mark.parametrize("locals_", [CIRCLE, DOUBLED], ids=["circle", "doubled"])
def test_work_in_several_files_is_bounded(locals_: Sequence[str], run: Run, module: Path) -> None:
    (module / "names.tf").unlink()
    write(module / "views.tf", VIEWS.replace("local.labels", "{ a = local.a0, b = local.labels }"))
    for name, text in zip("bc", locals_, strict=True):
        write(module / f"{name}.tf", text)
    assert "labels" in "".join(run("check", "views.tf").out)


def test_what_a_value_of_a_variable_changes_is_a_change_of_the_view(run: Run, module: Path) -> None:
    write(module / "prod.auto.tfvars.json", '{"cron": "0 3 * * *"}')
    commit(module)
    assert "schedule-changed" not in run("plan", "HEAD").out
    assert run("check", "--since", "HEAD").code == 0
    write(module / "prod.auto.tfvars.json", '{"cron": "0 28 * * *"}')
    assert "schedule-changed" in run("plan", "HEAD").out
    assert "hour 28" in run("check", "--since", "HEAD").out


def test_a_name_that_another_file_gives_is_compared_with_all_files(run: Run, module: Path) -> None:
    write(module / "names.tf", 'locals {\n  name = "nightly"\n}\n')
    write(module / "again.tf", FILES["again.tf"][1])
    assert "duplicate-resource-name" in "".join(found(run, "views.tf"))


def test_each_file_of_a_folder_is_read_once_for_all_others() -> None:
    beside = tuple((f"{number}.tf", b"locals {}\n") for number in range(MAX_FILES))
    first, other = (siblings(files)[0] for files in (beside[1:], beside[:-1]))
    assert [one.source for one in first[:-1]] == [one.source for one in other[1:]]
    assert all(one.source is same.source for one, same in zip(first[:-1], other[1:], strict=True))


# ---- after any edits


def edit(folder: Path, dice: random.Random) -> Path:
    """Write or remove a file of the module."""
    name = dice.choice([*FILES])
    if dice.random() < 0.2:
        (folder / name).unlink(missing_ok=True)
    else:
        write(folder / name, dice.choice(FILES[name]))
    return folder / name


@pytest.mark.generated
@pytest.mark.parametrize("seed", range(number_of_cases(16)))
def test_after_any_edits_the_kept_report_is_the_fresh_one(
    run: Run, module: Path, tick: Callable[[], None], seed: int
) -> None:
    dice = random.Random(seed)
    for _ in range(12):
        tick()
        for words in ((), sorted(file.name for file in module.glob("*.tf"))[:1]):
            fresh = report(run, "--no-cache", *words)
            assert [report(run, *words), report(run, *words)] == [fresh, fresh]
        edit(module, dice)


@pytest.mark.generated
@pytest.mark.parametrize("seed", range(number_of_cases(16)))
def test_after_any_edits_an_editor_shows_what_a_check_finds(
    module: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.chdir(module)
    allow_folder(str(module))
    dice, overlay = random.Random(seed), dict[str, bytes | None]()
    live = OpenWorkspace(CheckRequest(str(module), NOW, Profiles(Settings()), jobs=1, cache=False))
    for _ in range(12):
        live.files_changed(str(edit(module, dice)))
        name = dice.choice([name for name in FILES if name.endswith(".tf")])
        opened = str(module / name)
        if os.path.exists(opened):
            overlay[opened] = dice.choice(FILES[name]).encode()
            live.set_overlay(opened, overlay[opened] or b"")
        live.run_all_tasks()
        expected = check(CheckRequest(str(module), NOW, Profiles(Settings()), [], overlay=overlay, cache=False))
        shown = [diagnostic for of_file in live.all_diagnostics().values() for diagnostic in of_file]
        assert {(one.path, one.range, one.message) for one in shown} == {
            (one.path, one.range, one.message) for one in expected.diagnostics
        }
