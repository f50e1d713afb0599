"""Every run, however odd, gives what the owner of a format calls valid."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator
from xmlschema import XMLSchema

from tests.report.runs import RUNS
from trialrun.diagnostic import Range
from trialrun.outputs.test_report import Failure, PlayedScenario, junit_report
from trialrun.report.interface import Run, load_report
from trialrun.text import Position

SCHEMAS = Path(__file__).parents[3] / "shared" / "schemas"
pytestmark = pytest.mark.skipif(not SCHEMAS.is_dir(), reason=f"the schemas of the formats are not at {SCHEMAS}")
OF_JSON = {"sarif": "sarif-2.1.0.json", "rdjson": "rd-DiagnosticResult.json"}
Validators = dict[str, Draft4Validator]


@pytest.fixture(scope="module")
def validators() -> Validators:
    texts = {name: (SCHEMAS / file).read_text(encoding="utf-8") for name, file in OF_JSON.items()}
    return {name: Draft4Validator(json.loads(text)) for name, text in texts.items()}


@pytest.fixture(scope="module")
def junit() -> XMLSchema:
    return XMLSchema(str(SCHEMAS / "junit-10.xsd"))


def written(name: str, run: Run) -> str:
    return "".join(load_report(name)(run)).encode("utf-8").decode("utf-8")


EACH_RUN = pytest.mark.parametrize(
    "run",
    [pytest.param(run, id=id, marks=[pytest.mark.exhaustive] if id == "many" else []) for id, run in RUNS.items()],
)


@pytest.mark.parametrize("name", OF_JSON)
@EACH_RUN
def test_json_is_valid(validators: Validators, name: str, run: Run) -> None:
    whole: Any = json.loads(written(name, run))
    assert [error.message for error in validators[name].iter_errors(whole)] == []


@EACH_RUN
def test_junit_is_valid(junit: XMLSchema, run: Run) -> None:
    assert [error.reason for error in junit.iter_errors(written("junit", run))] == []


def test_junit_of_scenarios_is_valid(junit: XMLSchema) -> None:
    place = Range(Position(1, 2), Position(1, 3))
    failed = PlayedScenario("<a> \x07", "a.yaml", 1, "failed", (Failure(place, "]]>", "\ud800", ("one\ntwo",)),))
    whole = "".join(junit_report([PlayedScenario("b", "a.yaml", 9, "passed", ()), failed]))
    assert [error.reason for error in junit.iter_errors(whole)] == []


def test_1000_findings_are_1000_results() -> None:
    assert len(json.loads(written("sarif", RUNS["many"]))["runs"][0]["results"]) == 1000


def test_what_is_not_valid_is_seen(validators: Validators, junit: XMLSchema) -> None:
    whole = written("sarif", RUNS["many"])
    assert not validators["sarif"].is_valid(json.loads(whole.replace('"level": "error"', '"level": "fatal"', 1)))
    assert not validators["rdjson"].is_valid({"diagnostics": [{"severity": "FATAL"}]})
    assert not junit.is_valid(written("junit", RUNS["many"]).replace(' name="', ' label="'))
