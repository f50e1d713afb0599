"""Names of files that read as options: a repository chooses them, and a hook passes them on."""

from pathlib import Path

import pytest

from tests.program import Run, view

NAMES = (
    "--fix.yaml",
    "-x.yaml",
    "--output-format=json=stolen.json",
    "--allow-path=/etc.yaml",
    "--ignore=all",
    "-q.json",
)


def write(file: Path) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(view(cron="0 25 * * *"))


@pytest.mark.parametrize("name", NAMES)
def test_a_discovered_file_is_no_option(run: Run, tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    ran = run("check", "--discovered", "--no-cache", name)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f'error: "{name}" is a file that looks like an option; write -- between the options and the paths'
        " (args: [--] in a hook)\n"
    )
    assert not (tmp_path / "stolen.json").exists()


@pytest.mark.parametrize("name", ["--fix.yaml", "-x.yaml", "--allow-path=/etc.yaml", "--output-format=json=a.json"])
def test_behind_two_dashes_it_is_a_path(run: Run, tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    ran = run("check", "--discovered", "--no-cache", "--", name)
    assert ran.code == 1
    assert f"--> {name}:" in ran.out


def test_a_name_that_leads_nowhere_is_refused_as_well(run: Run, tmp_path: Path) -> None:
    (tmp_path / "--fix.yaml").symlink_to("nowhere")
    assert "is a file that looks like an option" in run("check", "--discovered", "--fix.yaml").err


def test_options_that_no_file_is_named_like_are_options(run: Run, tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text(view())
    assert run("check", "--discovered", "--fix", "--ignore", "all", "v.yaml").code == 0


def test_a_person_who_names_options_is_not_asked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "--fix").write_text("")
    (tmp_path / "v.yaml").write_text(view())
    assert run("check", "--fix", "v.yaml").code == 0
