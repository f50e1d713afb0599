"""A plan of Terraform fills what files leave open, by address, at the places of the files."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from tests.program import Run

VIEW = "google_vertex_ai_feature_online_store_featureview"
STORE = "google_vertex_ai_feature_online_store"
MAIN = f"""\
resource "{VIEW}" "orders" {{
  for_each             = var.views
  name                 = each.key
  feature_online_store = var.store
  labels               = var.labels
  sync_config {{
    cron = var.cron
  }}
  dynamic "big_query_source" {{
    for_each = var.sources
    content {{
      uri               = big_query_source.value
      entity_id_columns = ["id", "id"]
    }}
  }}
}}
"""
VALUES = {
    "name": "orders",
    "project": "acme",
    "region": "us",
    "feature_online_store": "main",
    "labels": {"A": "b"},
    "sync_config": [{"cron": "0 25 * * *", "continuous": None}],
    "big_query_source": [{"uri": "bq://acme.serving.orders", "entity_id_columns": ["id", "id"]}],
}


def resource(values: dict[str, Any], index: str | None = None, **more: Any) -> dict[str, Any]:
    own = {"mode": "managed", "type": VIEW, "name": "orders", "values": values, **more}
    return own if index is None else {**own, "index": index}


def plan(*resources: dict[str, Any], **more: Any) -> str:
    planned = {"root_module": {"resources": resources, **more.pop("root_module", {})}}
    return json.dumps({"format_version": "1.2", "planned_values": planned, **more})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file, where `run` works."""
    monkeypatch.chdir(tmp_path)
    Path("main.tf").write_text(MAIN)
    return tmp_path


def found(run: Run, text: str, file: str = "plan.json") -> list[str]:
    Path(file).write_text(text)
    ran = run("check", "--output-format", "concise", "--terraform-plan", file)
    assert ran.err == ""
    return ran.out.splitlines()[:-1]


def test_what_is_unknown_is_filled_at_its_place(run: Run) -> None:
    sure = 'main.tf:13:34: error duplicate-item duplicate entity id column "id"; remove one of the two'
    assert sure in run("check", "--output-format", "concise").out.splitlines()
    more = resource({**VALUES, "name": "a/b", "labels": None}, "a/b")
    assert found(run, plan(resource(VALUES, "orders"), more)) == [
        'main.tf:2:26: error invalid-resource-name in the plan: "/b" after the name; it ends with name',
        'main.tf:5:26: error invalid-label in the plan: capital "A" in a label; write "a"',
        "main.tf:7:12: error cron-syntax in the plan: hour 25 is outside 0-23; write 0 to 23",
        sure,
    ]


def test_what_a_plan_does_not_know_or_hides_stays_unknown(run: Run) -> None:
    secret = resource(VALUES, "orders", sensitive_values={"sync_config": [{"cron": True}], "labels": True})
    told = "".join(found(run, plan(secret)))
    assert "cron" not in told
    assert "label" not in told
    assert "cron" not in "".join(found(run, plan(resource({**VALUES, "sync_config": [{"cron": None}]}, "orders"))))


def test_one_hidden_label_hides_no_other(run: Run) -> None:
    values = {**VALUES, "labels": {"a": "secret value", "B": "b"}}
    told = "".join(found(run, plan(resource(values, "orders", sensitive_values={"labels": {"a": True}}))))
    assert "secret value" not in told
    assert 'in the plan: capital "B" in a label; write "b"' in told


def test_what_a_plan_makes_is_not_excluded_by_a_condition(run: Run) -> None:
    first = MAIN.replace("for_each             = var.views", "count = var.first ? 1 : 0").replace(
        "each.key", "var.name"
    )
    Path("main.tf").write_text(first + first.replace('"orders"', '"again"').replace("? 1 : 0", "? 0 : 1"))
    both = [{**resource(VALUES), "name": name, "index": 0} for name in ("orders", "again")]
    assert "already taken" in "".join(found(run, plan(*both)))
    assert "already taken" not in "".join(found(run, plan(both[0])))


def test_a_module_is_in_the_folder_of_its_call_and_calls_may_differ(run: Run, folder: Path) -> None:
    (folder / "views").mkdir()
    Path("main.tf").rename("views/main.tf")
    Path("main.tf").touch()
    calls = {"module_calls": {"views": {"source": "./views"}, "other": {"source": "registry/views"}}}

    def called(*crons: str) -> str:
        children = [
            {
                "address": f'module.views["a.{cron}"]',
                "resources": [resource({**VALUES, "sync_config": [{"cron": cron}]}, "orders")],
            }
            for cron in crons
        ]
        return plan(root_module={"child_modules": children}, configuration={"root_module": calls})

    assert "views/main.tf:7:12: error cron-syntax" in "".join(found(run, called("0 25 * * *")))
    told = "".join(found(run, called("0 25 * * *", "0 26 * * *")))
    assert "cron-syntax" not in told
    assert "invalid-label" in told


def test_a_plan_elsewhere_is_that_of_the_working_folder(run: Run, folder: Path) -> None:
    (folder / "plans").mkdir()
    assert "cron-syntax" in "".join(found(run, plan(resource(VALUES, "orders")), "plans/plan.json"))


def test_a_result_without_the_plan_is_no_result_with_it(run: Run) -> None:
    first, other = (plan(resource({**VALUES, "sync_config": [{"cron": cron}]})) for cron in ("0 25 * * *", "0 1 * * *"))
    Path("main.tf").write_text(MAIN.replace("  for_each             = var.views\n", ""))
    for text, is_wrong in ((first, True), (other, False), (first, True)):
        assert ("cron-syntax" in "".join(found(run, text))) == is_wrong
        assert "cron-syntax" not in run("check").out


@each_of(
    [
        ("{", "is not JSON"),
        ("[]", "is not a plan in JSON of format version 1"),
        (
            '{"format_version": "2.0", "planned_values": {"root_module": {}}}',
            "is not a plan in JSON of format version 1",
        ),
        ("[" * 100_000, "is not JSON"),
    ]
)
def test_another_file_is_refused(text: str, told: str) -> None:
    from trialrun.errors import UsageError
    from trialrun.workspace.terraform_plan import read_plan

    Path("plan.json").write_text(text)
    with pytest.raises(UsageError, match=told):
        read_plan("plan.json")


@each_of(
    [
        {"resources": 1},
        {"resources": [1, {"mode": "managed", "type": VIEW}]},
        {"resources": [resource(VALUES, sensitive_values=True)]},
        {"resources": [resource({"big_query": "a", "sync_config": 1, "labels": [[[]]], "name": 1, "region": []})]},
        {"child_modules": [{"address": 1}, [], {"address": "module.a", "child_modules": 1}]},
    ]
)
def test_a_plan_of_other_shapes_is_no_crash(module: dict[str, Any]) -> None:
    from trialrun.parser import parse
    from trialrun.terraform import PLAN, ModuleFile
    from trialrun.workspace.terraform_plan import read_plan

    Path("plan.json").write_text(json.dumps({"format_version": "1.0", "planned_values": {"root_module": module}}))
    for text in read_plan("plan.json").values():
        assert len(parse(ModuleFile.of(MAIN.encode(), ((PLAN, text),)), "main.tf").documents) == 1
