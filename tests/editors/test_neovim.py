"""Neovim with the settings of `editors/neovim` where its page puts them, if `nvim` is on the path."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.program import CONDITION, own_environment, view, write_files

HERE = Path(__file__).parent
SETTINGS = HERE.parent.parent / "editors" / "neovim" / "trialrun.lua"
NEOVIM = shutil.which("nvim")
LIMIT = 600
"""Seconds for a piece, each of whose waits is far shorter and says what was waited for."""
OF_THE_USER = ("NVIM_APPNAME", "VIMINIT", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS")
pytestmark = [pytest.mark.exhaustive, pytest.mark.skipif(NEOVIM is None, reason="needs nvim; run .ci/editors")]
BRAND = """\
kind: Brand
name: projects/p/locations/l/brands/b
defaults:
  - projects/p/locations/l/brands/b/channelConfigs/c
stores:
  - name: projects/p/locations/l/brands/b/stores/s
"""


def launcher_in(folder: Path) -> Path:
    """A program `trialrun` in a new folder."""
    launcher = folder / "trialrun"
    folder.mkdir(parents=True)
    launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m trialrun "$@"\n', encoding="utf-8")
    launcher.chmod(0o755)
    return launcher


def played(piece: str, folder: Path, **variables: str) -> dict[str, Any]:
    """What a piece of `neovim.lua` tells of a folder; `trialrun` is on the path, or another one is given."""
    if "PATH" not in variables:
        variables["PATH"] = f"{launcher_in(folder / 'bin').parent}{os.pathsep}{os.environ['PATH']}"
    (folder / "trialrun.toml").write_text("", encoding="utf-8")
    plugin = folder / ".config" / "nvim" / "plugin"
    plugin.mkdir(parents=True)
    shutil.copy(SETTINGS, plugin)
    out = folder / "told.json"
    own = {name: value for name, value in own_environment(folder).items() if name not in OF_THE_USER}
    environment = own | {
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / ".config"),
        "XDG_DATA_HOME": str(folder / ".local" / "share"),
        "XDG_STATE_HOME": str(folder / ".local" / "state"),
        "XDG_CACHE_HOME": str(folder / ".cache"),
        **variables,
        "TRIED": piece,
        "TRIED_OUT": str(out),
    }
    words = ["--headless", "-i", "NONE", "-n", "-S", HERE / "neovim.lua"]
    assert NEOVIM
    done = subprocess.run(
        [NEOVIM, *words], cwd=folder, env=environment, capture_output=True, timeout=LIMIT, check=False
    )
    assert out.exists(), done.stderr.decode()
    told: dict[str, Any] = json.loads(out.read_bytes())
    assert "failed" not in told, f"{told['failed']}\n{done.stderr.decode()}"
    return told


def places(findings: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    return [(finding["line"], finding["column"], finding["last"]) for finding in findings]


def test_findings_appear_and_a_safe_fix_is_made_on_save(tmp_path: Path) -> None:
    text = view(cron="5/15 * * * *") + "labels: {team: '🍔', answer: yes}\n"
    (tmp_path / "view.yaml").write_text(text, encoding="utf-8")
    told = played("saved", tmp_path)
    assert places(told["before"]) == [(4, 8, 12), (8, 15, 21), (8, 31, 34)]
    assert [one["line"] for one in told["after"]] == [8]
    assert (tmp_path / "view.yaml").read_text(encoding="utf-8") == text.replace("5/15", "5-59/15").replace(
        "yes", '"yes"'
    )


def test_a_file_with_the_line_ends_of_windows_keeps_them(tmp_path: Path) -> None:
    text = (view(cron="5/15 * * * *") + "labels: {team: '🍔', answer: yes}\n").replace("\n", "\r\n").encode()
    (tmp_path / "view.yaml").write_bytes(text)
    assert places(played("saved", tmp_path)["before"]) == [(4, 8, 12), (8, 15, 21), (8, 31, 34)]
    assert (tmp_path / "view.yaml").read_bytes() == text.replace(b"5/15", b"5-59/15").replace(b"yes", b'"yes"')


def test_a_finding_goes_with_what_is_mended_before_it_is_saved(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"), encoding="utf-8")
    told = played("mended", tmp_path)
    assert [one["code"] for one in told["before"]] == ["cron-syntax"]
    assert told["modified"]


def test_hover_says_when_a_schedule_runs(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 3 * * *"), encoding="utf-8")
    assert "Runs at 03:00 every day" in played("hovered", tmp_path)["shown"]


TERRAFORM = """\
resource "google_vertex_ai_feature_online_store_featureview" "guests" {
  sync_config {
    cron = "CRON_TZ=US/Eastern 1/5 * * * *"
  }
}
"""


def test_a_safe_fix_is_made_in_terraform_and_opentofu(tmp_path: Path) -> None:
    for name in ("main.tf", "main.tofu"):
        (tmp_path / name).write_text(TERRAFORM, encoding="utf-8")
    shown = played("terraform", tmp_path)["shown"]
    assert ["US/Eastern" in text for text in shown] == [True, True]
    fixed = TERRAFORM.replace("US/Eastern 1/5", "America/New_York 1-59/5")
    for name in ("main.tf", "main.tofu"):
        assert (tmp_path / name).read_text(encoding="utf-8") == fixed


def test_fields_are_completed_by_the_keys_of_neovim(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(), encoding="utf-8")
    assert played("completed", tmp_path)["words"][0].startswith("embeddingColumn")


def test_a_completion_of_several_lines_has_its_lines(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(), encoding="utf-8")
    text = played("accepted", tmp_path)["text"]
    assert text == [*view().splitlines(), "optimizedConfig:", "  automaticResources:", "    maxReplicaCount: 4"]


def test_a_code_action_is_chosen_and_made(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(CONDITION.replace("order.total", "order.subTotal"), encoding="utf-8")
    told = played("acted", tmp_path)
    assert told["titles"][0].startswith("write subtotal")
    assert told["text"] == CONDITION.replace("order.total", "order.subtotal").splitlines()


def test_a_name_is_changed_in_every_file(tmp_path: Path) -> None:
    write_files(tmp_path, {"brand.yaml": BRAND, "config.yaml": CONDITION})
    played("renamed", tmp_path)
    assert (tmp_path / "brand.yaml").read_text(encoding="utf-8") == BRAND.replace("Configs/c", "Configs/renamed")
    assert (tmp_path / "config.yaml").read_text(encoding="utf-8") == CONDITION.replace("Configs/c", "Configs/renamed")


def test_a_definition_is_in_another_file(tmp_path: Path) -> None:
    write_files(tmp_path, {"brand.yaml": BRAND, "config.yaml": CONDITION})
    told = played("followed", tmp_path)
    assert (told["line"], told["text"]) == (2, CONDITION.splitlines()[1])


def test_what_is_typed_in_one_file_is_found_in_another(tmp_path: Path) -> None:
    write_files(tmp_path, {"one.yaml": view("one"), "other.yaml": view("other")})
    assert played("across", tmp_path) == {"other": ["duplicate-resource-name"]}


def test_findings_go_on_when_the_process_that_lints_is_killed(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"), encoding="utf-8")
    assert played("survived", tmp_path) == {"server": True, "analysis": False}


class TestProgram:
    """Which program is started, and that nothing is said where there is none."""

    SYSTEM = "/usr/bin:/bin"

    @pytest.fixture(autouse=True)
    def workspace(self, tmp_path: Path) -> None:
        folder = tmp_path / "work" / "configs"
        folder.mkdir(parents=True)
        (folder / "trialrun.toml").touch()
        (folder / "view.yaml").write_text(view(), encoding="utf-8")

    def started(self, folder: Path, **variables: str) -> dict[str, Any]:
        return played("started", folder, OPENED="work/configs/view.yaml", **variables)

    def test_nothing_happens_without_one(self, tmp_path: Path) -> None:
        assert self.started(tmp_path, PATH=self.SYSTEM) == {"program": "", "errors": "", "messages": ""}

    def test_of_the_path(self, tmp_path: Path) -> None:
        assert self.started(tmp_path)["program"] == str(tmp_path / "bin" / "trialrun")

    @pytest.mark.parametrize("above", ["work/configs", "work"])
    @pytest.mark.parametrize("trusted", ["work", "work/", "linked", "work/configs"])
    def test_of_an_environment_in_a_trusted_folder(self, tmp_path: Path, above: str, trusted: str) -> None:
        (tmp_path / "linked").symlink_to("work")
        installed = launcher_in(tmp_path / above / ".venv" / "bin")
        told = self.started(tmp_path, PATH=self.SYSTEM, TRUSTED=f"~/{trusted}")
        is_trusted = (trusted, above) != ("work/configs", "work")
        assert told["program"] == (str(installed) if is_trusted else "")

    def test_an_environment_comes_before_the_path(self, tmp_path: Path) -> None:
        installed = launcher_in(tmp_path / "work" / ".venv" / "bin")
        assert self.started(tmp_path, TRUSTED="~/work")["program"] == str(installed)

    @pytest.mark.parametrize("trusted", ["~/wor", "~/other", "~/work/configs/deeper"])
    def test_the_environment_of_a_stranger_is_not_run(self, tmp_path: Path, trusted: str) -> None:
        launcher_in(tmp_path / "work" / "configs" / ".venv" / "bin")
        told = self.started(tmp_path, PATH=self.SYSTEM, TRUSTED=trusted)
        assert told["program"] == told["errors"] == ""
        assert told["messages"] == (
            f"trialrun: add {tmp_path / 'work/configs'} to vim.g.trialrun_trusted to run its .venv"
        )
