"""What commands say of values in files of Terraform that only Terraform knows."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.changes.git_workspace import commit, plan
from tests.program import Run

AT = ("--at", "2026-11-20T12:00:00Z")
VIEW = """\
resource "google_vertex_ai_feature_online_store_featureview" "orders" {{
  name                 = "orders"
  project              = {project}
  region               = "us"
  feature_online_store = "kitchen"
{blocks}}}
"""
CRON = "sync_config {{\n  cron = {}\n}}"
DYNAMIC = 'dynamic "{}" {{\n  for_each = {}\n  content {{\n    {}\n  }}\n}}'
BEHIND = 'dynamic "sync_config" {{\n  content {{\n    continuous = true\n  }}\n  for_each = {}\n}}'
SOURCE = "big_query_source {{\n  uri = {}\n  entity_id_columns = {}\n}}"
TABLE = '"bq://acme.serving.orders"'
GROUPS = "feature_registry_source {{\n  feature_groups {{\n    feature_group_id = {}\n    feature_ids = {}\n  }}\n}}"
INDEX = "vector_search_config {{\n  embedding_column = {}\n  embedding_dimension = {}\n}}"
GROUP = """\
resource "google_vertex_ai_feature_group" "users" {{
  name = "users"
  big_query {{
    entity_id_columns = {columns}
    big_query_source {{
      input_uri = {uri}
    }}
  }}
}}
"""
KNOWN_SOURCE = SOURCE.format(TABLE, '["id"]')


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work where `run` does."""
    monkeypatch.chdir(tmp_path)


def rows(names: str, table: Mapping[str, tuple[Any, ...]]) -> pytest.MarkDecorator:
    """The rows of a table, each by what it is about."""
    return pytest.mark.parametrize(names, [*table.values()], ids=[*table])


def view(*blocks: str, project: str = '"acme"') -> str:
    lines = [f"  {line}\n" for block in blocks for line in block.splitlines()]
    return VIEW.format(project=project, blocks="".join(lines))


def write(text: str) -> None:
    Path("views.tf").write_text(text, encoding="utf-8")


def write_rows() -> None:
    """The table of the view, which a Source of YAML names."""
    Path("rows.json").write_text(
        '{"id": "a", "price": 2.5, "vector": [1.0, 0.5], "feature_timestamp": "2026-11-01T00:00:00Z"}\n',
        encoding="utf-8",
    )
    Path("rows.yaml").write_text(f"kind: Source\nuri: {TABLE}\nfiles: rows.json\n", encoding="utf-8")


@rows(
    "text, told",
    {
        "a uri": (view(SOURCE.format("var.uri", '["id"]')), "its uri is known to Terraform alone (views.tf:7)"),
        "a column of several": (
            view(SOURCE.format(TABLE, '["id", var.column]')),
            "its entity_id_columns are known to Terraform alone (views.tf:8)",
        ),
        "whether there is a source": (
            view(DYNAMIC.format("big_query_source", "var.tables", f'uri = {TABLE}\n    entity_id_columns = ["id"]')),
            "its big_query_source is known to Terraform alone (views.tf:6)",
        ),
        "a group": (view(GROUPS.format("var.group", '["age"]')), "its feature_group_id is known to Terraform"),
        "features": (view(GROUPS.format('"users"', "var.ids")), "its feature_ids are known to Terraform alone"),
        "the table of a group": (
            view(GROUPS.format('"users"', '["age"]')) + GROUP.format(columns='["id"]', uri="var.uri"),
            'the group "users": its input_uri is known to Terraform alone (views.tf:18)',
        ),
        "the features of a group, of which other files may have more": (
            view(GROUPS.format('"users"', '["age"]')) + GROUP.format(columns='["id"]', uri=TABLE),
            'the group "users" may have the feature "age": its features are known to Terraform alone (views.tf:13)',
        ),
    },
)
def test_a_sync_names_what_it_would_need(text: str, told: str, run: Run) -> None:
    write_rows()
    write(text)
    for arguments in ("sync", "orders"), ("sync", "orders", "--plan"):
        ran = run(*arguments, *AT, COLUMNS="300")
        assert (ran.code, f"error[cannot-sync]: {told}" in ran.err) == (1, True), ran.out + ran.err


def test_a_table_without_rows_asks_for_a_source_that_has_them(run: Run) -> None:
    table = (
        'resource "google_bigquery_table" "a" {\n  project = "acme"\n  dataset_id = "serving"\n  table_id = "orders"\n'
    )
    write(
        view(KNOWN_SOURCE)
        + table
        + '  schema = jsonencode([{ name = "id", type = "STRING" }, { name = "price", type = "FLOAT" }])\n}\n'
    )
    told = (
        'no Source says where the rows of "bq://acme.serving.orders" are; add a document of kind Source with this uri'
    )
    assert told in run("sync", "orders", *AT, COLUMNS="300").err
    write_rows()
    assert run("sync", "orders", *AT).code == 0


@pytest.mark.parametrize(
    "block, told",
    [
        (INDEX.format("var.column", 2), "its embedding_column is known to Terraform alone (views.tf:11)"),
        (
            INDEX.format('"vector"', "var.dimension"),
            "its embedding_dimension is known to Terraform alone (views.tf:12)",
        ),
        (
            DYNAMIC.format("vector_search_config", "var.some", 'embedding_column = "vector"'),
            "its vector_search_config is known to Terraform alone (views.tf:10)",
        ),
    ],
)
def test_an_index_that_is_not_known_is_a_check_that_was_skipped(block: str, told: str, run: Run) -> None:
    write_rows()
    write(view(KNOWN_SOURCE, block))
    ran = run("sync", "orders", *AT, COLUMNS="300")
    assert (ran.code, told in ran.out) == (0, True), ran.out + ran.err


@pytest.mark.parametrize(
    "block, told",
    [
        (CRON.format("var.cron"), "its cron is known to Terraform alone (views.tf:7)"),
        ("sync_config {\n  continuous = var.fast\n}", "its continuous is known to Terraform alone (views.tf:7)"),
        (
            DYNAMIC.format("sync_config", "var.some", 'cron = "0 3 * * *"'),
            "its sync_config is known to Terraform alone (views.tf:6)",
        ),
    ],
)
def test_a_schedule_that_is_not_known_is_no_error(block: str, told: str, run: Run) -> None:
    write(view(block, KNOWN_SOURCE))
    ran = run("schedule", *AT, COLUMNS="200")
    assert (ran.code, ran.err) == (0, "")
    words = " ".join(ran.out.split())
    assert "orders not known its" in words
    assert "cannot be read" not in words
    assert "".join(told.split()) in "".join(words.split())
    [entry] = json.loads(run("schedule", *AT, "--output-format", "json").out)["views"]
    assert (entry["cron"], entry["runs"]) == (None, [])


def test_a_name_that_is_not_known_is_shown_as_its_expression(run: Run, tmp_path: Path) -> None:
    write(view(CRON.format('"0 3 * * *"'), KNOWN_SOURCE).replace('= "orders"', '= "orders-${var.env}"'))
    name = 'projects/acme/locations/us/featureOnlineStores/kitchen/featureViews/${"orders-$ var.env "}'
    assert run("schedule", *AT).out.startswith('${"orders-$ var.env "}  at 03:00 every day')
    assert [each["name"] for each in json.loads(run("schedule", *AT, "--output-format", "json").out)["views"]] == [name]
    run("report", "--output", "page.html", *AT)
    page = (tmp_path / "page.html").read_text()
    assert json.dumps(name)[1:-1] in page
    assert 'var.env \\"@' not in page


def test_an_export_names_what_is_missing(run: Run) -> None:
    write(view("labels = var.labels", CRON.format("var.cron"), SOURCE.format(TABLE, '["id", var.b]'), project="var.p"))
    for form in "api", "yaml":
        ran = run("export", form)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.splitlines() == [
            "error: views.tf: a part of its name is known to Terraform alone; import a plan of it",
            "error: views.tf: labels are known to Terraform alone (views.tf:6); import a plan of it",
            "error: views.tf: cron is known to Terraform alone (views.tf:8); import a plan of it",
            "error: views.tf: entity_id_columns are known to Terraform alone (views.tf:12); import a plan of it",
        ]
    write(view(CRON.format('"0 3 * * *"'), KNOWN_SOURCE))
    assert json.loads(run("export", "api").out)["syncConfig"] == {"cron": "0 3 * * *"}


def not_compared(run: Run, before: str, after: str) -> list[str]:
    """What a plan does not compare, of two texts that have no other difference."""
    write(before)
    commit(Path())
    write(after)
    found: Any = plan(run, "HEAD", *AT)
    assert found["changes"] == []
    return [f"{one['what'].partition(' ')[2]}: {one['why']}" for one in found["not_compared"]]


KNOWN = "{} known to Terraform alone (views.tf:{})"


@rows(
    "before, after, what, line",
    {
        "another variable": (CRON.format("var.a"), CRON.format("var.b"), "/syncConfig/cron: its cron", 7),
        "a value of which one side knows": (
            CRON.format('"0 3 * * *"'), CRON.format("var.b"), "/syncConfig/cron: its cron", 7,
        ),
        "the condition of a block": (
            DYNAMIC.format("sync_config", "var.a", 'cron = "0 3 * * *"'),
            DYNAMIC.format("sync_config", "var.b", 'cron = "0 3 * * *"'),
            "/syncConfig: its sync_config", 6,
        ),
        "the condition of a block behind its content": (
            BEHIND.format("var.a"),
            BEHIND.format("var.b"),
            "/syncConfig: its sync_config",
            6,
        ),
        "an item of a list": (
            GROUPS.format('"a"', "[var.a]"), GROUPS.format('"a"', "[var.b]"),
            "/featureRegistrySource/featureGroups/0/featureIds: its feature_ids", 9,
        ),
        "another known item": (
            GROUPS.format('"a"', '["a", var.a]'), GROUPS.format('"a"', '["b", var.a]'),
            "/featureRegistrySource/featureGroups/0/featureIds: its feature_ids", 9,
        ),
        "an entry of a map": ("labels = { a = var.a }", "labels = { a = var.b }", "/labels: its labels", 6),
        "the end of a long expression": (
            CRON.format(f'join("{"x" * 300}", var.a)'), CRON.format(f'join("{"x" * 300}", var.b)'),
            "/syncConfig/cron: its cron", 7,
        ),
    }
)  # fmt: skip
def test_a_plan_does_not_compare_other_expressions(before: str, after: str, what: str, line: int, run: Run) -> None:
    verb = "are" if what.endswith("s") else "is"
    told = f"{what} {KNOWN.format(verb, line)}"
    assert not_compared(run, view(before, KNOWN_SOURCE), view(after, KNOWN_SOURCE)) == [told]


@pytest.mark.parametrize(
    "block",
    [
        CRON.format("var.a"),
        DYNAMIC.format("sync_config", "var.a", 'cron = "0 3 * * *"'),
        GROUPS.format('"a"', '["a", var.a]'),
        "labels = { a = var.a, b = 1 }",
    ],
)
def test_the_same_expression_has_the_same_value(block: str, run: Run) -> None:
    assert not_compared(run, view(block, KNOWN_SOURCE), "\n\n" + view(block, KNOWN_SOURCE)) == []


def test_a_local_is_compared_by_what_it_is_made_of(run: Run) -> None:
    local, use = "locals {{\n  cron = var.{}\n}}\n", view(CRON.format("local.cron"), KNOWN_SOURCE)
    assert not_compared(run, local.format("a") + use, local.format("b") + use) == [
        "/syncConfig/cron: its cron is known to Terraform alone (views.tf:10)"
    ]


def test_a_view_whose_name_is_not_known_is_called_by_its_id(run: Run) -> None:
    before, after = (view(CRON.format(cron), KNOWN_SOURCE, project="var.p") for cron in ("var.a", "var.b"))
    write(before)
    commit(Path())
    write(after)
    assert [one["what"] for one in plan(run, "HEAD", *AT)["not_compared"]] == ["orders /syncConfig/cron"]


def test_a_view_of_each_key_is_the_same_below_other_lines_and_is_shown_by_its_expression(run: Run) -> None:
    text = view(KNOWN_SOURCE, project="var.p").replace('"orders"\n', "each.key\n  for_each = var.a\n")
    assert not_compared(run, text, f"# more\n{text}") == []
    write(text.replace('"kitchen"', '"other"'))
    found: Any = plan(run, "HEAD", *AT)
    assert [one["resource"] for one in found["changes"]] == [
        "projects/${var.p}/locations/us/featureOnlineStores/other/featureViews/${each.key}"
    ]
    assert "@" not in json.dumps(found["changes"])
