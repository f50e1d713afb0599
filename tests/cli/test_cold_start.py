"""What the check of one sound file does without: its start is most of what a hook waits for."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cases import each_of
from tests.program import SOURCE

VALID = Path(__file__).parent.parent.parent / "fixtures" / "valid"
CHECK = (
    "import sys\n"
    "from trialrun.cli.main import main\n"
    "code = main(['check', '--no-cache', sys.argv[1]])\n"
    "print(code, *sys.modules)"
)
NEVER = (
    "asyncio",
    "click",
    "difflib",
    "json",
    "logging",
    "pathspec",
    "pickle",
    "sqlite3",
    "subprocess",
    "cel_expr_python",
    "google.protobuf",
    "yaml",
    "trialrun.cli.fix",
    "trialrun.fix",
    "trialrun.importers",
    "trialrun.lint.rule_docs",
    "trialrun.lint.suppression",
    "trialrun.model.companion",
    "trialrun.model.misfit",
    "trialrun.model.lenient",
    "trialrun.report.code_frame",
    "trialrun.report.diff",
    "trialrun.report.json",
    "trialrun.parser.json",
    "trialrun.parser.spans",
    "trialrun.parser.error_recovery",
    "trialrun.values.cel",
    "trialrun.workspace.worker_pool",
    "trialrun.workspace.fix_loop",
    "trialrun.workspace.result_cache",
    "trialrun.workspace.write_files",
)
OF_THE_OTHER = {
    "view-names.yaml": ("trialrun.model.channel_config", "trialrun.values.language_tag"),
    "config-languages.yaml": ("trialrun.model.feature_view", "trialrun.values.cron", "trialrun.values.time_zone"),
}


def last_line(folder: Path, program: str, *arguments: str, **variables: str) -> list[str]:
    """The exit code of a check, and the modules that it imported."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCE, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(("file", "of_the_other"), OF_THE_OTHER.items())
def test_a_sound_file_imports_nothing_it_has_no_use_for(
    file: str, of_the_other: tuple[str, ...], tmp_path: Path
) -> None:
    shutil.copy(VALID / file, tmp_path)
    code, *imported = last_line(tmp_path, CHECK, file)
    assert code == "0"
    assert sorted({*NEVER, *of_the_other} & {*imported}) == []


@each_of([*NEVER, *(name for names in OF_THE_OTHER.values() for name in names)])
def test_what_is_not_imported_exists(name: str) -> None:
    assert find_spec(name) is not None


def test_known_verdicts_need_no_models(tmp_path: Path) -> None:
    for name in OF_THE_OTHER:
        (tmp_path / name).write_bytes((VALID / name).read_bytes())
    known = CHECK.replace("'--no-cache', sys.argv[1]", "'--isolated'")
    first, second = (last_line(tmp_path, known, TRIALRUN_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2))
    models = {"pydantic", "trialrun.model.node", "trialrun.lint.engine"}
    assert models <= {*first}
    assert not models & {*second}


MISTAKES = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
sync_config: {corn: 0 0 * * *, continuous: "yes"}
optimizedConfig: {automaticResources: {minReplicaCount: 0}}
"""


def test_mistakes_are_reported_without_the_command_line_library(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(MISTAKES)
    code, *imported = last_line(tmp_path, CHECK, "view.yaml")
    assert (code, "trialrun.model.lenient" in imported) == ("1", True)
    assert "click" not in imported


SETTINGS = """\
edition = "2026.4"
exclude = ["drafts/"]
[severity]
cron-dst = "note"
[options]
min-sync-interval = "15m"
[runtime]
memory-limit = "1GB"
[[overrides]]
paths = ["legacy/**"]
ignore = ["cron-syntax"]
[[suppress]]
path = "a.json"
rule = "cron-dst"
reason = "old"
"""


def test_settings_that_were_valid_are_read_without_the_model(tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text(SETTINGS)
    (tmp_path / "user.toml").write_text('[limits]\nmemory-limit = "4GB"\n')
    (tmp_path / "view.yaml").write_bytes((VALID / "view-names.yaml").read_bytes())
    known = CHECK.replace("'--no-cache', sys.argv[1]", "'view.yaml'")
    variables = {"TRIALRUN_CACHE_DIR": str(tmp_path / "cache"), "TRIALRUN_USER_SETTINGS": str(tmp_path / "user.toml")}
    for _ in range(2):
        imported = {*last_line(tmp_path, known, **variables)}
    assert "trialrun.lint.settings.loader" in imported
    assert sorted({"pydantic", "trialrun.lint.settings.model", "trialrun.lint.settings.json_schema"} & imported) == []
