"""Fixes in Terraform files: what each operation writes, what it leaves alone, and when it is refused."""

from pathlib import Path

from tests.cases import each_of
from tests.fix.fix_text import mended, remove, rename, replace, wrap
from tests.program import Run
from trialrun.diagnostic import Operation
from trialrun.fix import Unfixable

TEXT = """\
locals {
  nightly = "0 3 * * *"
}

resource "google_vertex_ai_feature_online_store_featureview" "menu" {
  name                 = "menu"
  project              = "acme"
  region               = var.region # where it is served
  feature_online_store = "kitchen"

  labels = {
    Team   = "a"
    "tier" = "x ${var.tier} y"
    site   = local.nightly
  }

  # how often
  sync_config {
    cron = "1/5 * * * *" // often
  }

  big_query_source {
    uri = <<-EOT
      bq://acme.kitchen.menu
    EOT
    entity_id_columns = ["item_id", "store_id", "\\u00e9"]
  }

  vector_search_config {
    embedding_column    = "embedding"
    embedding_dimension = "768"
    filter_columns = [
      "a", # the first
      "b",
      "c"
    ]
    brute_force_config {}
  }
}
"""
COLUMNS = ("warehouseSource", "entityIdColumns")
FILTERS = ("indexConfig", "filterColumns")

FIXED: list[tuple[Operation, str, str]] = [
    # characters of a text
    (replace(("syncConfig", "cron"), "1-59/5", chars=(0, 3)), '"1/5 *', '"1-59/5 *'),
    # a whole text; what has a meaning in a text is escaped
    (replace(("labels", "Team"), 'a"\\${b}%{c}\n'), '= "a"', '= "a\\"\\\\$${b}%%{c}\\n"'),
    # a number in quotes keeps these
    (replace(("indexConfig", "embeddingDimension"), 512), '"768"', '"512"'),
    # an escaped character
    (replace((*COLUMNS, 2), "e", chars=(0, 1)), '"\\u00e9"', '"e"'),
    # names of labels, with and without quotes
    (rename(("labels", "Team"), "t", (0, 1)), "Team ", "team "),
    (rename(("labels", "tier"), "l.evel"), '"tier"', '"l.evel"'),
    (rename(("labels", "Team"), "a/b"), "Team ", '"a/b" '),
    # an argument with its line
    (remove("labels", "Team"), '    Team   = "a"\n', ""),
    # a block with the comment above it
    (remove("syncConfig"), '  # how often\n  sync_config {\n    cron = "1/5 * * * *" // often\n  }\n', ""),
    # items that share a line, and items with lines of their own
    (remove(*COLUMNS, 0), '"item_id", ', ""),
    (remove(*COLUMNS, 2), ', "\\u00e9"', ""),
    (remove(*FILTERS, 0), '      "a", # the first\n', ""),
    (remove(*FILTERS, 2), '      "c"\n', ""),
]


@each_of(FIXED)
def test_a_fix_changes_its_characters_alone(operation: Operation, before: str, after: str) -> None:
    assert TEXT.count(before) == 1
    for line_break in ("\n", "\r\n"):
        text = TEXT.replace("\n", line_break)
        expected = text.replace(before.replace("\n", line_break), after)
        assert mended(text, operation, path="main.tf") == expected


IN_JSON = """\
{"resource": {"google_vertex_ai_feature_online_store_featureview": {"menu": {
  "name": "menu",
  "labels": {"Team": "a", "tier": "x ${var.tier}"},
  "sync_config": [{"cron": "1/5 * * * *"}],
  "big_query_source": {"uri": "a\\/b", "entity_id_columns": ["item_id", "store_id"]},
  "vector_search_config": {
    "embedding_dimension": "768",
    "filter_columns": [
      "a",
      "b"
    ],
    "brute_force_config": {}
  }
}}}}
"""
FIXED_IN_JSON: list[tuple[Operation, str, str]] = [
    (replace(("syncConfig", "cron"), "1-59/5", chars=(0, 3)), '"1/5 *', '"1-59/5 *'),
    (replace(("labels", "Team"), 'a"${b}\n'), '"Team": "a"', '"Team": "a\\"$${b}\\n"'),
    (replace(("warehouseSource", "uri"), "bq://a/b"), '"a\\/b"', '"bq://a/b"'),
    (replace(("indexConfig", "embeddingDimension"), 512), '"768"', '"512"'),
    (rename(("labels", "Team"), "t", (0, 1)), '"Team"', '"team"'),
    (remove("labels", "Team"), '"Team": "a", ', ""),
    (remove(*COLUMNS, 1), ', "store_id"', ""),
    (remove(*FILTERS, 0), '      "a",\n', ""),
]


@each_of(FIXED_IN_JSON)
def test_a_fix_in_the_json_syntax_changes_its_characters_alone(operation: Operation, before: str, after: str) -> None:
    assert IN_JSON.count(before) == 1
    assert mended(IN_JSON, operation, path="main.tf.json") == IN_JSON.replace(before, after)


REFUSED: list[tuple[Operation, str]] = [
    (replace(("labels", "site"), "x"), "the value is defined elsewhere; correct it there"),
    (replace(("labels", "tier"), "x"), "a part of the value is known to Terraform alone"),
    (replace(("warehouseSource", "uri"), "bq://a.b.c"), "a heredoc is edited by hand"),
    (rename(("indexConfig",), "optimizedConfig"), "the provider of Terraform has no such argument"),
    (rename(("labels", "Team"), "tier"), 'the key "tier" already exists'),
    (wrap("syncConfig", "cron"), "Terraform files are not restructured"),
]


@each_of(REFUSED)
def test_what_cannot_be_fixed_says_why(operation: Operation, reason: str) -> None:
    assert mended(TEXT, operation, path="main.tf") == Unfixable(reason)


def test_a_suppression_above_is_not_left_to_what_follows() -> None:
    for sign in ("#", "//"):
        text = TEXT.replace("# how often", f"{sign} trialrun: ignore[cron-portability] it is read by one scheduler")
        refused = mended(text, remove("syncConfig"), path="main.tf")
        assert isinstance(refused, Unfixable)
        assert refused.reason.startswith("the suppression comment above it")


def test_fixed_files_have_nothing_left_to_fix(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "main.tf"
    file.write_text(TEXT.replace("Team ", "TEAM ").replace('"store_id"', '"item_id"'), encoding="utf-8")
    run("check", "main.tf", "--unsafe-fixes")
    fixed = file.read_text(encoding="utf-8")
    assert fixed == TEXT.replace("Team ", "team ").replace('"store_id", ', "").replace("1/5", "1-59/5")
    run("check", "main.tf", "--unsafe-fixes")
    assert file.read_text(encoding="utf-8") == fixed


def test_added_comments_stand_as_terraform_formats_them(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "main.tf"
    (tmp_path / "trialrun.toml").write_text("", encoding="utf-8")
    file.write_text(TEXT.replace(" // often", ""), encoding="utf-8")
    run("check", "main.tf", "--select", "cron-portability", "--add-ignores", "one scheduler")
    comment = "# trialrun: ignore[cron-portability] one scheduler"
    assert f'    cron = "1/5 * * * *" {comment}\n' in file.read_text(encoding="utf-8")
    assert run("check", "main.tf", "--select", "cron-portability").code == 0
