"""Configuration files of Terraform: literal values become documents, other expressions are named by their lines."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run

LITERAL = """\
# Views of the kitchen.
variable "unused" {}

resource "google_vertex_ai_feature_online_store_featureview" "menu" {
  provider             = google-beta
  name                 = "menu"
  project              = "acme"
  region               = "us-central1"
  feature_online_store = "kitchen"
  labels = {
    team   = "menu"
    "tier" : "gold",
  }
  sync_config {
    cron = "CRON_TZ=America/Chicago 0 4 * * *"   # nightly
  }
  big_query_source {
    uri               = "bq://acme.kitchen.menu"
    entity_id_columns = [
      "item_id", # the key
      "store\\u005fid",
    ]
  }
  vector_search_config {
    embedding_column    = "embedding"
    embedding_dimension = 768
    brute_force_config {}
  }
  lifecycle { prevent_destroy = true }
}
"""
TEXT = """\
kind: FeatureView
name: projects/acme/locations/us-central1/featureOnlineStores/kitchen/featureViews/menu
labels:
  team: menu
  tier: gold
syncConfig:
  cron: CRON_TZ=America/Chicago 0 4 * * *
indexConfig:
  embeddingColumn: embedding
  bruteForceConfig: {}
  embeddingDimension: 768
warehouseSource:
  uri: bq://acme.kitchen.menu
  entityIdColumns:
    - item_id
    - store_id
"""


def imported(run: Run, folder: Path, text: str, *options: str) -> dict[str, Any]:
    (folder / "main.tf").write_text(text, encoding="utf-8")
    ran = run("import", "main.tf", "--output-format", "json", *options)
    assert ran.err == "", ran.err
    result: dict[str, Any] = json.loads(ran.out)
    return result


def test_literal_values_become_a_document(run: Run, tmp_path: Path) -> None:
    result = imported(run, tmp_path, LITERAL)
    assert (tmp_path / "feature-views/menu.yaml").read_text(encoding="utf-8") == TEXT
    assert result["notes"] == []
    (finding,) = result["findings"]
    assert (finding["rule"], finding["place"]) == ("brute-force-index", {"file": "main.tf", "line": 27})


@pytest.mark.parametrize(
    ("literal", "text"),
    [("true", "  continuous: true\n"), ("false", "  continuous: false\n"), ("null", "syncConfig: {}\n")],
)
def test_words_of_hcl(run: Run, tmp_path: Path, literal: str, text: str) -> None:
    cron = 'cron = "CRON_TZ=America/Chicago 0 4 * * *"'
    imported(run, tmp_path, LITERAL.replace(cron, f"continuous = {literal}"))
    assert text in (tmp_path / "feature-views/menu.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["main.tf", "-"])
def test_neither_line_ends_nor_the_way_to_the_file_matter(run: Run, tmp_path: Path, name: str, ending: str) -> None:
    data = LITERAL.replace("\n", ending).encode()
    (tmp_path / "main.tf").write_bytes(data)
    assert run("import", "terraform", name, stdin=data).code == 0
    assert (tmp_path / "feature-views/menu.yaml").read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize(
    ("literal", "expression", "line", "name"),
    [
        ('project              = "acme"', "project = var.project", 7, "project"),
        ('region               = "us-central1"', "region = local.regions[0]", 8, "region"),
        ('"kitchen"', "google_vertex_ai_feature_online_store.kitchen.name", 9, "feature_online_store"),
        ('team   = "menu"', 'team = "${var.team}-menu"', 11, "team"),
        ('team   = "menu"', "(var.key) = 1", 11, "(expression)"),
        ('"CRON_TZ=America/Chicago 0 4 * * *"', 'join(" ", ["0", "4", "*", "*", "*"])', 15, "cron"),
        ('"bq://acme.kitchen.menu"', '"bq://${var.project}.kitchen.menu"', 18, "uri"),
        ('"item_id"', "var.key", 20, "entity_id_columns"),
        ("768", "var.big ? 768 : 256", 26, "embedding_dimension"),
        (
            "brute_force_config {}",
            'dynamic "brute_force_config" {\nfor_each = [1]\ncontent {}\n}',
            27,
            "brute_force_config",
        ),
        ("768", "256 * 3", 26, "embedding_dimension"),
        ('"embedding"', 'upper("embedding")', 25, "embedding_column"),
    ],
)
def test_an_expression_is_unresolved_at_its_line(
    run: Run, tmp_path: Path, literal: str, expression: str, line: int, name: str
) -> None:
    assert literal in LITERAL
    (note,) = imported(run, tmp_path, LITERAL.replace(literal, expression))["notes"]
    assert (note["kind"], note["place"]) == ("unresolved", {"file": "main.tf", "line": line})
    assert note["message"].startswith(f"{name}, which is an expression")


def test_resources_with_count_or_for_each_are_unresolved(run: Run, tmp_path: Path) -> None:
    result = imported(run, tmp_path, LITERAL + LITERAL.replace('"menu" {', '"copies" {\n  count = 2'))
    assert [(note["kind"], note["place"]["line"]) for note in result["notes"]] == [("unresolved", 34)]
    assert len(result["files"]) == 1


def test_the_last_of_two_equal_keys_counts(run: Run, tmp_path: Path) -> None:
    text = 'resource "google_vertex_ai_feature_online_store_featureview" "u" {\n  labels = { a = "b", a = "c" }\n}\n'
    (tmp_path / "main.tf").write_text(text, encoding="utf-8")
    assert run("import", "main.tf", "--to", "config").err == ""
    (written,) = (tmp_path / "config" / "feature-views").iterdir()
    assert "labels:\n  a: c\n" in written.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("resource {", "main.tf:1: is not valid HCL"),
        ('resource "a" "b" {\n  x = \n}\n', "main.tf:2: is not valid HCL"),
        ("x = " + "[" * 5000 + "]" * 5000, "main.tf:1: nested deeper than 100 levels; flatten it"),
        ("x = 1\nx = 2\n", "main.tf:2: is not valid HCL; trialrun check says why"),
        (
            'resource "google_vertex_ai_feature_group" "g" {\nx = ' + "[" * 500 + "]" * 500 + "\n}",
            "main.tf:2: nested deeper",
        ),
        ('resource "google_vertex_ai_feature_group" "g" {\n' + "a {\n" * 300 + "}\n" * 300 + "}", "nested"),
        ("\x00", "is not valid HCL"),
        ('password = "hunter2" = 1\n', "is not valid HCL"),
        ("#" * (2**24 + 1), "main.tf has more than 16 MiB; import it in parts\n"),
        ("", "there is nothing to import in main.tf"),
    ],
)
def test_a_file_that_is_not_hcl_is_an_error(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "main.tf").write_text(text, encoding="utf-8")
    ran = run("import", "terraform", "main.tf")
    assert ran.code == 2
    assert message in ran.err
    assert "hunter2" not in ran.out + ran.err


def test_locals_and_a_for_each_that_is_written_out_are_followed(run: Run, tmp_path: Path) -> None:
    text = LITERAL.replace('"menu" {', '"views" {\n  for_each = { lunch = "0 11", dinner = "0 17" }')
    text = text.replace('name                 = "menu"', "name = each.key").replace('"acme"', "local.project")
    text = text.replace('cron = "CRON_TZ=America/Chicago 0 4 * * *"', 'cron = "${each.value} * * *"')
    assert imported(run, tmp_path, text + 'locals {\n  project = "acme"\n}\n')["notes"] == []
    for name, cron in (("lunch", "0 11 * * *"), ("dinner", "0 17 * * *")):
        written = (tmp_path / f"feature-views/{name}.yaml").read_text(encoding="utf-8")
        assert f"cron: {cron}\n" in written
        assert f"name: projects/acme/locations/us-central1/featureOnlineStores/kitchen/featureViews/{name}\n" in written


@pytest.mark.parametrize("provider", ["google", "google-beta"])
def test_the_provider_of_a_resource_says_its_project_and_region(run: Run, tmp_path: Path, provider: str) -> None:
    text = re.sub(r" +(project|region) +=.*\n", "", LITERAL)
    of_provider = f'provider "{provider}" {{\n  project = "acme"\n  region = local.region\n}}\n'
    result = imported(run, tmp_path, text + of_provider + 'locals {\n  region = "us-central1"\n}\n')
    if provider == "google-beta":
        assert result["notes"] == []
        assert (tmp_path / "feature-views/menu.yaml").read_text(encoding="utf-8") == TEXT
    else:
        assert [note["message"] for note in result["notes"]] == [
            "project; give it with --project", "region; give it with --location"
        ]  # fmt: skip


def test_what_only_some_parsers_refuse_is_read(run: Run, tmp_path: Path) -> None:
    cron = "cron = /* nightly */"
    text = LITERAL.replace("cron =", cron) + 'locals {\n  größe = "x${\n  y\n}${~ z ~}"\n}\n'
    assert imported(run, tmp_path, text)["notes"] == []
    assert (tmp_path / "feature-views/menu.yaml").read_text(encoding="utf-8") == TEXT


def test_data_sources_and_the_default_labels_of_a_provider_are_noted_with_their_lines(run: Run, tmp_path: Path) -> None:
    before = """\
provider "google" {
  project        = "acme"
  default_labels = { team = "menu" }
}
data "google_vertex_ai_feature_online_store" "read" {
  name = "read"
}
"""
    (tmp_path / "main.tf").write_text(before + LITERAL, encoding="utf-8")
    result = json.loads(run("import", "main.tf", "--to", "out", "--output-format", "json").out)
    assert [
        (note["kind"], note["place"]["line"], note["message"]) for note in result["notes"] if note["place"]["line"] < 7
    ] == [
        ("unresolved", 3, "the default labels of a provider; import a plan or a state to have them"),
        ("dropped", 5, "a data source, which reads a resource that is managed elsewhere"),
    ]


@pytest.mark.parametrize(
    ("literal", "label"),
    [
        ("2", "2"),
        ("-3", "-3"),
        ("true", "true"),
        ("false", "false"),
        ("1.50", "1.5"),
        ("1e3", "1000"),
        ("0.00001", "0.00001"),
        ("12345678901234567890", "12345678901234567890"),
    ],
)
def test_a_label_is_the_text_that_terraform_makes_of_it(run: Run, tmp_path: Path, literal: str, label: str) -> None:
    result = imported(run, tmp_path, LITERAL.replace('"menu"\n    "tier"', f'{literal}\n    "tier"'))
    assert f'  team: "{label}"\n' in (tmp_path / "feature-views/menu.yaml").read_text(encoding="utf-8")
    assert result["notes"] == []


def test_the_number_of_a_project_is_found_where_it_stands(run: Run, tmp_path: Path) -> None:
    result = imported(run, tmp_path, LITERAL.replace('"acme"', "123456789012"))
    text = (tmp_path / "feature-views/menu.yaml").read_text(encoding="utf-8")
    assert "name: projects/123456789012/locations/us-central1/" in text
    assert result["notes"] == []


def test_numbers_in_json_syntax_are_texts_too(run: Run, tmp_path: Path) -> None:
    view = {"name": 7, "project": 123456789012, "region": "us-central1", "feature_online_store": "kitchen"}
    source = {"uri": "bq://acme.kitchen.menu", "entity_id_columns": [1]}
    body = {**view, "labels": {"version": 2, "beta": True}, "big_query_source": source}
    resources = {"google_vertex_ai_feature_online_store_featureview": {"menu": body}}
    (tmp_path / "main.tf.json").write_text(json.dumps({"resource": resources}), encoding="utf-8")
    assert run("import", "main.tf.json").code == 0
    text = (tmp_path / "feature-views/7.yaml").read_text(encoding="utf-8")
    assert 'labels:\n  beta: "true"\n  version: "2"\n' in text
    assert "projects/123456789012/" in text
    assert 'entityIdColumns:\n    - "1"\n' in text
