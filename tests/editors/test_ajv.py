"""The plain schemas in Ajv with its defaults, which refuse keywords that JSON Schema has not."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.lint.test_settings_model import drawn_content, is_accepted
from tests.program import Run
from tests.test_schema import RIGHT, WRONG, sound
from trialrun.cli.schema import OUTPUTS
from trialrun.lint.settings.json_schema import TITLES as SETTINGS
from trialrun.model.kinds import KINDS, kind_of

HERE = Path(__file__).parent
NODE = shutil.which("node")
IS_INSTALLED = NODE is not None and (HERE / "npm" / "node_modules" / "ajv-formats").is_dir()
NAMES = ["", *KINDS, *SETTINGS, *OUTPUTS]
pytestmark = [pytest.mark.exhaustive, pytest.mark.skipif(not IS_INSTALLED, reason="needs ajv of npm; run .ci/editors")]


def schema(run: Run, name: str, *options: str) -> dict[str, Any]:
    ran = run("schema", *filter(None, [name]), *options)
    assert (ran.code, ran.err) == (0, "")
    read: dict[str, Any] = json.loads(ran.out)
    return read


def tried(*schemas: tuple[dict[str, Any], list[Any]]) -> list[tuple[str | None, list[bool]]]:
    """Why Ajv refuses each schema, None if it does not, and which of its documents are valid."""
    asked = json.dumps([{"schema": schema, "documents": documents} for schema, documents in schemas])
    assert NODE
    done = subprocess.run([NODE, HERE / "ajv.js"], input=asked, capture_output=True, text=True, check=True)
    return [(one["refused"], one["valid"]) for one in json.loads(done.stdout)]


def test_every_plain_schema_compiles(run: Run) -> None:
    answers = tried(*((schema(run, name, "--plain"), []) for name in NAMES))
    assert dict(zip(NAMES, answers, strict=True)) == {name: (None, []) for name in NAMES}


def test_the_schemas_of_outputs_and_settings_compile_as_they_are(run: Run) -> None:
    names = [*SETTINGS, *OUTPUTS]
    assert [refused for refused, _ in tried(*((schema(run, name), []) for name in names))] == [None] * len(names)


def test_the_words_for_editors_are_why_the_others_do_not(run: Run) -> None:
    refused = {answer for answer, _ in tried(*((schema(run, name), []) for name in ("", *KINDS)))}
    assert refused
    assert all(answer and answer.startswith("strict mode: unknown keyword") for answer in refused)


def test_ajv_judges_documents_as_others_do(run: Run) -> None:
    right = [*(param.values[0] for param in sound()), *RIGHT.values()]
    wrong = [document for document, _ in WRONG.values()]
    documents = [*right, *wrong]
    plain = {name: schema(run, name, "--plain") for name in ("", *KINDS)}
    own = tried(*((plain[kind_of(document) or ""], [document]) for document in documents))
    ((_, combined),) = tried((plain[""], documents))
    assert [valid for _, (valid,) in own] == combined == [True] * len(right) + [False] * len(wrong)


def test_ajv_judges_settings_as_the_program_does(run: Run) -> None:
    contents = [drawn_content(seed) for seed in range(3000)]
    ((refused, valid),) = tried((schema(run, "settings"), contents))
    assert refused is None
    assert [one for one, is_valid in zip(contents, valid, strict=True) if is_valid != is_accepted(one)] == []
