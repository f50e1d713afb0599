"""Files of Terraform: what is found in them at which character, and what is left to Terraform."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from tests.program import Run
from tests.workspace.terraform_files import ROOT_PARTS, NotInProvider, view_in_terraform
from trialrun.diagnostic import Diagnostic
from trialrun.lint import registry
from trialrun.lint.engine import PARSER_RULES
from trialrun.lint.examples import lint_example
from trialrun.lint.positions import in_words_of_terraform
from trialrun.lint.rule import Rule
from trialrun.lint.rule_docs import Example, parse_docs
from trialrun.lint.settings import Profiles, Settings
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import Node
from trialrun.model.proto_json import FieldType, field_type, item_type
from trialrun.parser import parse
from trialrun.parser.hcl import read_hcl
from trialrun.parser.hcl_syntax import Body
from trialrun.parser.terraform.schema import FEATURE_VIEW, Argument, ArgumentType, convert
from trialrun.terraform import Unknown
from trialrun.workspace import CheckRequest, check

CASES = Path(__file__).parent / "terraform"
NOW = datetime(2026, 11, 20, tzinfo=UTC)
VIEW = 'resource "google_vertex_ai_feature_online_store_featureview"'
FOUND = {
    "01_literal": [
        "8:5 invalid-label", "12:16 unknown-time-zone", "12:35 cron-syntax", "16:25 suspicious-uri",
        "17:38 duplicate-item",
    ],
    "02_refs": [],
    "04_var_default": ["6:20 cron-syntax"],
    "05_for_each_set": ["2:46 invalid-resource-name"],
    "07_dynamic": ["27:31 unknown-enum-value"],
    "09_heredoc_schema": ["31:26 unknown-column", "42:26 unknown-column"],
    "11_types_and_null": ["22:5 brute-force-index", "22:5 union-conflict"],
    "13_crlf_bom_unicode": ["6:25 invalid-label", "7:32 cron-syntax", "10:40 duplicate-item"],
    "15_module_call": ["8:12 cron-syntax", "12:32 duplicate-item"],
    "16_tf_json": ["8:37 cron-syntax", "9:93 duplicate-item"],
    "18_wrong_type_name": [
        "1:10 unknown-kind", "14:5 unknown-field", "16:3 unknown-field", "20:3 output-only-field",
    ],
    "20_escapes": [
        "5:34 invalid-label", "8:9 cron-syntax", "13:34 duplicate-item", "13:46 unfilled-placeholder",
    ],
    "21_store_type": ["19:3 store-type-mismatch"],
    "23_public_faults": ["22:13 cron-portability", "28:3 store-type-mismatch", "43:26 invalid-resource-name"],
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work where `run` does."""
    monkeypatch.chdir(tmp_path)


def findings(folder: Path) -> list[Diagnostic]:
    return check(CheckRequest(str(folder), NOW, Profiles(Settings()), [], jobs=1, cache=False)).diagnostics


def shown(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.range.start.line}:{diagnostic.range.start.column} {diagnostic.rule}"


@each_of(sorted(FOUND))
def test_what_is_found_in_the_forms_of_public_files(case: str) -> None:
    assert [shown(diagnostic) for diagnostic in findings(CASES / case)] == FOUND[case]


@each_of(sorted(FOUND))
def test_the_same_code_in_two_folders_gives_nothing_across_them(case: str) -> None:
    for folder in "development", "production":
        shutil.copytree(CASES / case, Path(case, folder))
    found = Counter(re.split("development|production", one.path)[1] + shown(one) for one in findings(Path(case)))
    assert {*found.values()} <= {2}
    assert len(found) == len(FOUND[case])


def run_on(run: Run, text: str, name: str = "main.tf") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return run("check", "--output-format", "concise", name).out


IDENTITY = """\
  name                 = "orders"
  project              = "acme"
  region               = "us"
  feature_online_store = "kitchen"
"""
SOURCE = """\
  big_query_source {
    uri               = "bq://acme.serving.orders"
    entity_id_columns = ["id"]
  }
"""


def view(*lines: str, identity: str = IDENTITY, label: str = "orders") -> str:
    return f'{VIEW} "{label}" {{\n{identity}{SOURCE}' + "".join(f"  {line}\n" for line in lines) + "}\n"


WRONG_CRON = 'sync_config {{\n    {}cron = "0 25 * * *"{}\n  }}'


def test_suppressions_of_both_sorts_of_comments(run: Run) -> None:
    assert "error cron-syntax" in run_on(run, view(WRONG_CRON.format("", "")))
    for before, behind in (
        ("// trialrun: ignore[cron-syntax] known\n    ", ""),
        ("# trialrun: ignore[cron-syntax] known\n    ", ""),
        ("", " # trialrun: ignore[cron-syntax] known"),
        ("", " // trialrun: ignore[cron-syntax] known"),
    ):
        suppressed = run_on(run, view(WRONG_CRON.format(before, behind)))
        assert suppressed == "1 file checked, nothing found (1 suppressed)\n"
    whole = run_on(run, "# trialrun: ignore[cron-syntax] known\n" + view(WRONG_CRON.format("", "")))
    assert whole == "1 file checked, nothing found (1 suppressed)\n"
    in_text = view(WRONG_CRON.format("", ""), 'labels = { a = "# trialrun: ignore[cron-syntax] no" }')
    assert "error cron-syntax" in run_on(run, in_text)


def test_a_default_is_named_and_a_secret_one_is_not_read(run: Run) -> None:
    declared = 'variable "cron" {{\n  default = "0 25 * * *"\n  sensitive = {}\n}}\n'
    use = view("sync_config {\n    cron = var.cron\n  }")
    told = "main.tf:2:16: error cron-syntax in the default of var.cron: hour 25 is outside 0-23; write 0 to 23\n"
    assert told in run_on(run, declared.format("false") + use)
    assert run_on(run, declared.format("true") + use) == "1 file checked, nothing found (1 not checked)\n"


def test_what_only_terraform_knows_is_listed_once_for_a_file(run: Run) -> None:
    Path("main.tf").write_text(view("labels = var.labels", identity=IDENTITY.replace('"us"', "var.region")))
    ran = run("check", "main.tf")
    told = "main.tf: 2 values (labels, region): known to Terraform alone; check a plan for them"
    assert (ran.code, told in " ".join(ran.out.split())) == (0, True)
    assert run("check", "main.tf").out == ran.out  # from the cache


def test_what_is_nested_too_deeply_has_one_finding_and_hides_what_depends_on_it(run: Run) -> None:
    assert run_on(run, f'{VIEW} "a" {{\n  name = {"[" * 200}{"]" * 200}\n}}\n').splitlines()[:-1] == [
        "main.tf:2:109: error resource-limit nested deeper than 100 levels; flatten it"
    ]


def test_equal_expressions_are_equal_in_one_module_alone(run: Run) -> None:
    same = IDENTITY.replace('"us"', "var.region")
    taken = 'the name "orders" is already taken by the feature view in this file'
    assert taken in run_on(run, view(identity=same) + view(identity=same, label="again"))
    other = same.replace("var.region", "var.other")
    assert "taken" not in run_on(run, view(identity=same) + view(identity=other, label="again"))
    in_quotes = same.replace("var.region", '"${var.region}"')
    assert taken in run_on(run, view(identity=same) + view(identity=in_quotes, label="again"))
    each = same.replace('"orders"', "each.key")
    instances = view("for_each = var.a", identity=each) + view("for_each = var.a", identity=each, label="again")
    assert "taken" not in run_on(run, instances)


def test_resources_of_which_one_excludes_the_other_may_share_a_name(run: Run) -> None:
    first, other = "count = var.first ? 1 : 0", "count = var.first ? 0 : 1"
    assert "taken" not in run_on(run, view(first) + view(other, label="again"))
    assert "taken" not in run_on(run, view() + view(other, label="again"))
    assert "taken" in run_on(run, view(first) + view(first, label="again"))
    assert "taken" in run_on(run, view("count = 1") + view(label="again"))


def test_a_file_that_opentofu_reads_instead_has_no_second_resource(run: Run) -> None:
    Path("main.tofu").write_text(view())
    assert "taken" in run_on(run, view(), "other.tf")
    Path("other.tf").rename("main.tf")
    assert "taken" not in run("check").out


DYNAMIC = """\
dynamic "{}" {{
    for_each = {}
    content {{
      {}
    }}
  }}"""
INDEX = 'embedding_column = "e"\n      distance_measure_type = {}'


@each_of(
    [
        ("vector_search_config", "[]", INDEX.format('"no"'), []),  # there is none
        ("vector_search_config", '["no"]', INDEX.format("vector_search_config.value"), ["11:17 unknown-enum-value"]),
        ("vector_search_config", '{ a = "no" }', INDEX.format("x[0]"), []),
        ("vector_search_config", "var.some", INDEX.format('"no"'), ["14:31 unknown-enum-value"]),
        (
            "sync_config",
            '["0 25 * * *", "0 26 * * *"]',
            "cron = sync_config.value",
            ["10:11 duplicate-key", "11:20 cron-syntax"],
        ),
    ]
)
def test_a_dynamic_block_is_made_for_each_item(name: str, items: str, content: str, told: list[str]) -> None:
    Path("main.tf").write_text(view(DYNAMIC.format(name, items, content)))
    assert [shown(one) for one in findings(Path())] == told


@each_of(
    [
        ('labels = { team = "a", "team" : "b" }', ["10:26 duplicate-key"]),
        ('labels = { team = "a", (team) = "b" }', []),
    ]
)
def test_a_key_that_is_there_twice_counts_last(text: str, told: list[str]) -> None:
    foreign = 'resource "other" "o" {\n  tags = { a = 1, a = 2 }\n}\n'  # Terraform reads it, and it is not ours
    Path("main.tf").write_text(view(text) + foreign)
    assert [shown(one) for one in findings(Path())] == told


@pytest.mark.parametrize("name", ["override.tf", "more_override.tofu"])
def test_what_a_resource_of_an_override_leaves_out_is_elsewhere(name: str, run: Run) -> None:
    Path("main.tf").write_text(view())
    part = f'{VIEW} "orders" {{\n  {WRONG_CRON.format("", "")}\n}}\n'
    assert "missing-name" in run_on(run, part, "part.tf")
    Path("part.tf").unlink()
    found = re.findall(r"(\S+:\d+): (?:error|warning) (\S+)", run_on(run, part, name))
    assert found == [(f"{name}:3:15", "cron-syntax")]
    assert run_on(run, view(), name).startswith("1 file checked, nothing found")


@pytest.mark.parametrize("text", ["{}", '"${{{}}}"'])
def test_the_id_of_a_store_is_no_place_for_its_name(text: str, run: Run) -> None:
    def with_store(store: str) -> str:
        return run_on(run, view(identity=IDENTITY.replace('"kitchen"', text.format(store))))

    store = "google_vertex_ai_feature_online_store.kitchen"
    assert f"error invalid-resource-name {store}.id is the full name" in with_store(f"{store}.id")
    for unknown in (f"{store}.name", "module.store.id", "var.store.id", "each.value.id"):
        assert "nothing found" in with_store(unknown)


@pytest.mark.parametrize("name", ["name", "region", "project", "feature_online_store"])
def test_a_misspelt_part_of_the_name_is_read_as_that_part(name: str, run: Run) -> None:
    misspelt = name.replace("e", "", 1) if "e" in name else f"{name}s"
    identity = re.sub(rf"\b{name}(\s+=)", rf"{misspelt}\1", IDENTITY)
    assert identity != IDENTITY
    told = run_on(run, view(identity=identity)).splitlines()
    assert [line for line in told if misspelt in line and f'did you mean "{name}"?' in line] == told[:1]
    assert run_on(run, view(identity=identity) + view(label="other")).count("duplicate-resource-name") == 1


def test_a_file_without_resources_of_ours_is_silent(run: Run) -> None:
    assert run_on(run, 'resource "google_storage_bucket" "a" {\n  name = \n}\n').startswith("no files checked")


def test_caches_of_terraform_are_not_read(run: Run) -> None:
    for folder in (".terraform/modules/a", ".terragrunt-cache/b"):
        Path(folder).mkdir(parents=True)
        Path(folder, "main.tf").write_text(view(WRONG_CRON.format("", "")))
    Path("main.tofu").write_text(view())
    assert run("check").out == "1 file checked, nothing found\n"


def test_imported_documents_do_not_clash_with_their_resources(run: Run) -> None:
    Path("main.tf").write_text(view())
    name = "projects/acme/locations/us/featureOnlineStores/kitchen/featureViews/orders"
    source = "warehouseSource: {uri: bq://acme.serving.orders, entityIdColumns: [id]}"
    Path("orders.yaml").write_text(f"kind: FeatureView\nname: {name}\n{source}\n")
    assert "taken" not in run("check").out


def test_a_group_has_the_features_of_its_file_and_perhaps_more() -> None:
    text = """\
resource "google_vertex_ai_feature_group" "users" {
  name = "users"
  big_query {
    entity_id_columns = ["id"]
    big_query_source {
      input_uri = "bq://acme.serving.users"
    }
  }
}
resource "google_vertex_ai_feature_group_feature" "age" {
  name          = "age"
  feature_group = google_vertex_ai_feature_group.users.name
}
"""
    value = parse(text.encode(), "main.tf").documents[0].value
    assert (value["kind"], value["featureGroupId"], value["uri"]) == (
        "FeatureGroupTable",
        "users",
        "bq://acme.serving.users",
    )
    assert value["entityIdColumns"] == ["id"]
    assert [value["features"][0], type(value["features"][1])] == [{"id": "age"}, Unknown]


@each_of(
    [
        (
            "locals {\n"
            + "".join(f"  a{n} = [local.a{n + 1}, local.a{n + 1}]\n" for n in range(30))
            + "  a30 = 1\n}\n",
            "local.a0",
        ),
        ("locals {\n  a = local.a\n}\n", "local.a"),
        ("locals {\n  a = " + "[" * 90 + "local.a" + "]" * 90 + "\n}\n", "local.a"),
    ]
)
def test_work_is_bounded(locals_: str, value: str) -> None:
    [document] = parse((locals_ + view(f"labels = {value}")).encode(), "main.tf").documents
    assert document.unknown == ("labels",)


# ---- the schema


def arguments_and_fields(
    arguments: Mapping[str, Argument], model: type[Node]
) -> Iterator[tuple[str, Argument, FieldType]]:
    for name, argument in arguments.items():
        shape = field_type(model, argument.field)
        yield name, argument, shape
        inner = (item_type(shape) if shape.is_list else shape).model
        if inner is not None:
            yield from arguments_and_fields(argument.arguments, inner)


def test_the_schema_has_the_fields_of_the_models() -> None:
    for name, argument, shape in arguments_and_fields(FEATURE_VIEW, FeatureView):
        item = item_type(shape) if shape.is_list else shape
        assert shape.is_list == (argument.type in ("texts", "blocks")), name
        assert (item.model is not None) == (argument.type in ("block", "blocks")), name
        assert (item.values is not None) == (argument.type == "text map"), name


@each_of(
    [
        ("1536", "integer", 1536),
        (1000, "text", "1000"),
        ("true", "boolean", True),
        ("1", "boolean", True),
        ("0", "boolean", False),
        ("True", "boolean", "True"),
        ("1536.0", "integer", 1536),
        ("1536.5", "integer", "1536.5"),
        ("9" * 400, "integer", "9" * 400),
        (True, "text", "true"),
        ([1, "a"], "texts", ["1", "a"]),
        ({"a": 1}, "text map", {"a": "1"}),
        ("many", "integer", "many"),
    ]
)
def test_values_are_converted_as_terraform_does(written: Any, type_: ArgumentType, value: Any) -> None:
    assert convert(written, type_) == value


# ---- examples of rules

EXCEPTIONS = {
    ("union-conflict", 3): "the provider writes `continuous = false` beside a cron",
    ("cron-syntax", 13): "an empty text is unset",
    ("unfilled-placeholder", 2): "`$${PROJECT}` in a name is a text",
    ("unportable-label", 1): "texts are in NFC",
    ("unportable-label", 3): "texts are in NFC",
    ("unportable-label", 4): "texts are in NFC, so the second key replaces the first",
}
"""Examples of which other things are found, by rule and number, and why."""
OF_YAML = {*PARSER_RULES, "ambiguous-scalar"}
"""Rules about the syntax of YAML and JSON."""


def examples() -> Iterator[tuple[str, int, Rule, Example, str]]:
    """The examples about views that Terraform can express, with their text in Terraform."""
    for rule_id, (group, _) in registry.files().items():
        if group not in ("document", "feature_view") or rule_id in OF_YAML:
            continue
        rule = registry.load(rule_id)
        for number, example in enumerate(parse_docs(rule.doc).examples):
            text = in_terraform(example)
            if text is not None:
                yield rule_id, number, rule, example, text


def in_terraform(example: Example) -> str | None:
    documents = parse(example.data, example.file).documents
    if example.kind == "fixed" or len(documents) != 1 or not isinstance(documents[0].value, dict):
        return None
    value = documents[0].value
    if example.model in ROOT_PARTS:
        value = {ROOT_PARTS[example.model]: value}
    elif example.model != "FeatureView" and not (example.model is None and value.get("kind") == "FeatureView"):
        return None
    try:
        return view_in_terraform(value)
    except NotInProvider:
        return None


def found_by(rule: Rule, example: Example, text: str) -> list[Diagnostic]:
    return lint_example(rule, replace(example, text=text, file="main.tf", model=None, bytes_escaped=False)).diagnostics


EXAMPLES = [*examples()]


def test_the_same_is_found_in_yaml_and_in_terraform() -> None:
    different = set()
    for rule_id, number, rule, example, text in EXAMPLES:
        in_yaml = [one.rule for one in lint_example(rule, example).diagnostics if one.rule == rule_id]
        if in_yaml != [one.rule for one in found_by(rule, example, text) if one.rule == rule_id]:
            different.add((rule_id, number))
    assert different == EXCEPTIONS.keys()
    assert len(EXAMPLES) > 180


def fields_and_messages(model: type[Node] = FeatureView) -> Iterator[str]:
    for name in model.model_fields:
        shape = field_type(model, name)
        yield name
        inner = (item_type(shape) if shape.is_list else shape).model
        if inner is not None:
            yield inner.__name__
            yield from fields_and_messages(inner)


def test_messages_speak_the_words_of_the_file() -> None:
    words = {word for word in fields_and_messages() if re.search("[a-z][A-Z]", word)} | {"KEY_VALUE", "FeatureView"}
    texts = [
        text
        for _, _, rule, example, text_of_example in EXAMPLES
        for one in found_by(rule, example, text_of_example)
        for text in (one.message, one.help or "", *(related.message for related in one.related))
    ]
    texts += [one.message for case in FOUND for one in findings(CASES / case)]
    assert {text for text in texts if words.intersection(re.findall(r"\w+", text))} == set()
    assert [text for text in texts if "@" in text and "${" in text] == []


def test_no_message_of_any_rule_has_a_field_that_is_an_argument() -> None:
    fields = {argument.field for _, argument, _ in arguments_and_fields(FEATURE_VIEW, FeatureView)}
    fields |= {"timestampColumn", "featureGroupId", "entityIdColumns", "featureOnlineStore"}
    words = {field for field in fields if re.search("[a-z][A-Z]", field)}
    left = set()
    for rule_id in registry.files():
        rule = registry.load(rule_id)
        for example in parse_docs(rule.doc).examples:
            for one in map(in_words_of_terraform, lint_example(rule, example).diagnostics):
                texts = (one.message, one.help or "", *(related.message for related in one.related))
                left |= {text for text in texts if words.intersection(re.findall(r"(?<!\")\b\w+", text))}
    assert left == set()


# ---- unknown values


def places(body: Body) -> Iterator[tuple[int, int]]:
    """The characters of every value of a body."""
    for attribute in body.attributes.values():
        yield attribute.expression.start, attribute.expression.end
    for block in body.blocks:
        yield from places(block.body)


def nested_blocks(body: Body) -> Iterator[tuple[int, int, int, str]]:
    """Where the blocks of a body start, open and stop, and their types."""
    for block in body.blocks:
        yield block.start, block.open, block.stop, block.type
        yield from nested_blocks(block.body)


def less_known(text: str) -> Iterator[str]:
    """The text with one value that nobody knows, or one block that may not exist."""
    for resource in read_hcl(text).body.blocks:
        if resource.type != "resource":
            continue
        for start, end in places(resource.body):
            yield text[:start] + "data.other.one.value" + text[end:]
        for start, opened, stop, type_ in nested_blocks(resource.body):
            if type_ not in ("dynamic", "content", "timeouts", "bigtable", "auto_scaling", "embedding_management"):
                dynamic = f'dynamic "{type_}" {{\nfor_each = var.some\ncontent {text[opened:stop]}\n}}'
                yield text[:start] + dynamic + text[stop:]


def test_what_is_not_known_is_never_wrong() -> None:
    new = []
    for _, _, rule, example, text in EXAMPLES:
        before = Counter(one.rule for one in found_by(rule, example, text))
        for changed in less_known(text):
            more = Counter(one.rule for one in found_by(rule, example, changed)) - before
            new += [(changed, more)] if more else []
    assert new == []


@pytest.mark.parametrize("case", sorted(FOUND.keys() - {"16_tf_json"}))
def test_what_is_not_known_in_public_forms_is_never_wrong(case: str, tmp_path: Path) -> None:
    text = (CASES / case / "main.tf").read_bytes().decode("utf-8-sig")
    before = Counter(rule.partition(" ")[2] for rule in FOUND[case])
    for changed in less_known(text):
        (tmp_path / "main.tf").write_text(changed, encoding="utf-8", newline="")
        assert Counter(one.rule for one in findings(tmp_path)) - before == Counter(), changed


GROUP = """\
resource "google_vertex_ai_feature_group" "users" {
  name = "users"
  big_query {
    big_query_source {
      input_uri = "bq://acme.serving.users"
    }
    entity_id_columns = ["id"]
  }
}
resource "google_vertex_ai_feature_group_feature" "age" {
  name          = "age"
  feature_group = google_vertex_ai_feature_group.users.name
}
resource "google_vertex_ai_feature_online_store_featureview" "users" {
  name                 = "users"
  region               = "us"
  feature_online_store = "kitchen"
  feature_registry_source {
    feature_groups {
      feature_group_id = google_vertex_ai_feature_group.users.name
      feature_ids      = ["age"]
    }
    feature_groups {
      feature_group_id = "guests"
      feature_ids      = [google_vertex_ai_feature_group_feature.age.name]
    }
  }
  sync_config {
    # trialrun: ignore[cron-syntax] known
    cron = "0 25 * * *"
  }
}
"""


def test_what_is_not_known_of_groups_and_suppressed_values_is_never_wrong() -> None:
    Path("main.tf").write_text(GROUP)
    before = Counter(one.rule for one in findings(Path()))
    assert before == {"duplicate-item": 1, "unknown-feature": 1}
    for changed in less_known(GROUP):
        Path("main.tf").write_text(changed)
        assert Counter(one.rule for one in findings(Path())) - before == Counter(), changed


TABLE = """\
variable "type" {{
  default = "STRING"
}}
resource "google_bigquery_table" "orders" {{
  project    = "acme"
  dataset_id = "serving"
  table_id   = "orders"
  schema     = {}
}}
"""


@each_of(
    [
        ('jsonencode([{ name = "number", type = "STRING" }])', ["unknown-column"]),
        ('jsonencode([{ name = "number", type = "STRING" }, var.more])', []),
        ('jsonencode([{ name = "number", type = "STRING" }, { name = var.more, type = "STRING" }])', []),
        ('jsonencode([{ name = "number", type = var.type }])', []),
    ]
)
def test_a_schema_that_is_known_in_part_says_nothing(schema: str, rules: list[str]) -> None:
    Path("main.tf").write_text(TABLE.format(schema) + view())
    assert [one.rule for one in findings(Path())] == rules


@each_of(["0", "local.none", "local.on ? 1 : 0", '"0"'])
def test_what_is_made_zero_times_is_not_checked(count: str) -> None:
    with_count = f"locals {{\n  none = 0\n  on = false\n}}\n{view(f'count = {count}', WRONG_CRON.format('', ''))}"
    Path("main.tf").write_text(with_count)
    assert findings(Path()) == []
    Path("main.tf").write_text(with_count.replace("none = 0", "none = 1").replace("on = false", "on = true"))
    assert len(findings(Path())) == ("local" in count)


def test_numbers_and_null_in_labels_are_what_terraform_makes_of_them() -> None:
    [document] = parse(view("labels = { a = 1.0, b = 1e3, c = 1.5, d = null, e = true }").encode(), "main.tf").documents
    assert document.value["labels"] == {"a": "1", "b": "1000", "c": "1.5", "e": "true"}
