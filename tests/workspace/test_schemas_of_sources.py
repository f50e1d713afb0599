"""Rules that need tables go by what a Source declares, else by the schema of its files: always as it is now."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run, own_environment, view, write_files
from trialrun.runtime.feature_view.source.columns import columns_of

SOURCE = "kind: Source\nuri: bq://p.d.t\nfiles: rows/*.csv\n"
WHOLE_NUMBERS = "columns: [{name: id, type: STRING}, {name: e, type: INT64, mode: REPEATED}]\n"
DECLARED = SOURCE + "columns: [{name: id, type: STRING}, {name: visits, type: INT64}]\n"


def told(run: Run, *arguments: str, **environment: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("check", "--output-format", "json", *arguments, **environment).out)[
        "diagnostics"
    ]
    return [file for file in found if file["rule"] in ("unknown-column", "column-type", "rag-columns")]


def shown(found: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(file["path"], file["rule"], file["severity"]) for file in found]


def rows(folder: Path, text: str) -> None:
    write_files(folder, {"rows/a.csv": text})


def test_without_declared_columns_the_schema_of_the_files_is_read(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    write_files(tmp_path, {"view.yaml": view(), "source.yaml": SOURCE})
    rows(tmp_path, "ID,visits\n1,2\n")
    assert [diagnostic["message"] for diagnostic in told(run)] == [
        'there is no column "id" in "bq://p.d.t"; did you mean "ID"?'
    ]


def test_what_is_kept_of_a_file_does_not_hold_the_schema_of_another(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    write_files(tmp_path, {"view.yaml": view(), "source.yaml": SOURCE})
    found = []
    for text in ("nr,spend\n1,2\n", "id,spend\n1,2\n", "id,spend\n2024-01-01,2\n"):
        rows(tmp_path, text)
        assert told(run) == told(run, "--no-cache")
        found.append(shown(told(run)))
    assert found == [[("view.yaml", "unknown-column", "error")], [], [("view.yaml", "column-type", "error")]]


def test_declared_columns_count_whatever_the_files_have(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"view.yaml": view(), "source.yaml": DECLARED})
    assert told(run) == []
    rows(tmp_path, "nr\n1\n")
    assert told(run) == []


def test_a_table_that_is_not_there_is_noted_once(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"views.yaml": view("a") + "---\n" + view("b"), "source.yaml": SOURCE})
    found = told(run)
    assert shown(found) == [("source.yaml", "unknown-column", "note")]
    assert found[0]["message"] == (
        'the columns of "bq://p.d.t" are unknown, so unknown-column, column-type and rag-columns skip it: '
        'no file matches "rows/*.csv" relative to the file of the Source; create the data, or fix `files`'
    )


@pytest.mark.parametrize(("declared", "rules"), [("", []), (WHOLE_NUMBERS, ["column-type"])])
def test_whole_numbers_in_rows_of_json_may_be_floats(run: Run, tmp_path: Path, declared: str, rules: list[str]) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "view.yaml").write_text(view() + "indexConfig: {embeddingColumn: e}\n")
    (tmp_path / "source.yaml").write_text(SOURCE.replace("*.csv", "a.json") + declared)
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "a.json").write_text('{"id": "x", "e": [1, 0]}')
    assert [diagnostic["rule"] for diagnostic in told(run)] == rules


def test_a_source_that_nothing_names_is_not_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "source.yaml").write_text(SOURCE)
    assert told(run) == []


def test_a_base_install_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    rows(tmp_path, "id\n1\n")
    assert columns_of({"files": "rows/*.csv"}, str(tmp_path)) == (
        "that needs duckdb, which is not installed; run pip install 'trialrun[runtime]'"
    )


def test_a_reason_tells_no_path_of_the_machine(tmp_path: Path) -> None:
    rows(tmp_path, "")
    (tmp_path / "rows" / "a.parquet").write_text("no Parquet")
    reason = columns_of({"files": "rows/*.parquet"}, str(tmp_path))
    assert isinstance(reason, str)
    assert str(tmp_path) not in reason


def test_one_file_says_nothing_that_the_rest_of_the_workspace_refutes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "both.yaml").write_text(view() + "---\n" + DECLARED.replace("p.d.t", "p.d.others"))
    assert shown(told(run, "both.yaml")) == [("both.yaml", "unknown-column", "note")]
    (tmp_path / "source.yaml").write_text(DECLARED)
    assert told(run, "both.yaml") == []


def test_a_file_that_cannot_be_read_may_have_the_source_but_not_the_column(run: Run, tmp_path: Path) -> None:
    other = view("other").replace("p.d.t", "p.d.others")
    write_files(tmp_path, {"views.yaml": view().replace("[id]", "[nr]") + "---\n" + other, "source.yaml": DECLARED})
    assert shown(told(run)) == [("views.yaml", "unknown-column", "error"), ("views.yaml", "unknown-column", "note")]
    (tmp_path / "unread.yaml").write_text("kind: Source\nuri: " + "[" * 200)
    assert shown(told(run)) == [("views.yaml", "unknown-column", "error")]


def test_judging_known_columns_imports_no_model_and_no_engine(tmp_path: Path) -> None:
    write_files(tmp_path, {"view.yaml": view(), "source.yaml": DECLARED})
    code = (
        "import sys\n"
        "from trialrun.cli.main import main\n"
        "main(['check', '--isolated'])\n"
        "print(*sorted({'duckdb', 'numpy', 'pydantic', 'trialrun.model.companion'} & {*sys.modules}))"
    )
    first, second = (
        subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=own_environment(tmp_path), capture_output=True, text=True
        ).stdout.splitlines()[-1]
        for _ in range(2)
    )
    assert first == "pydantic trialrun.model.companion"
    assert second == ""
