"""Paths that a repository chose: nothing outside of it is read, printed or written, and nothing is waited for."""

import os
import time
from pathlib import Path

import pytest

from tests.cases import pairs_of
from tests.program import view, write_files
from tests.security.conftest import SECRET, Trialrun, git

SOURCE = """\
kind: Source
uri: bq://p.d.t
{place}
"""
POLICY = "id: {id}\non: FeatureView\ncheck: size(self.name) > 0\nmessage: m\n"
SLOWEST = 10.0


@pytest.fixture(params=["with git", "without git"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A workspace with one sound view."""
    folder = tmp_path / "repository"
    folder.mkdir()
    write_files(folder, {"a.yaml": view("a"), "trialrun.toml": ""})
    if request.param == "with git":
        git(folder, "init", "-q")
    return folder


def refused(text: str) -> bool:
    return "outside of" in " ".join(text.split()) and "--allow-path" in " ".join(text.split())


SETTINGS = {
    "policies of the system": 'policies = ["/proc/self/environ"]',
    "policies outside": 'policies = ["../outside/secret.yaml"]',
    "a folder of policies outside": 'policies = ["../outside"]',
    "policies by a link": 'policies = ["link.yaml"]',
    "session types outside": 'session-schema = "../outside/secret.yaml"',
    "session types of the system": 'session-schema = "/proc/self/environ"',
    "session types by a link": 'session-schema = "link.yaml"',
    "a baseline outside": 'baseline = "../outside/secret.json"',
    "a baseline by a link": 'baseline = "link.yaml"',
    "a baseline of the system": 'baseline = "/dev/zero"',
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_that_names_a_file_outside(repository: Path, outside: Path, trialrun: Trialrun, name: str) -> None:
    (repository / "link.yaml").symlink_to(outside / "secret.yaml")
    (repository / "trialrun.toml").write_text(f'exclude = ["link.yaml"]\n{SETTINGS[name]}\n')
    ran = trialrun("check", folder=repository)
    assert ran.code == 2
    assert refused(ran.text)


@pytest.mark.parametrize("name", ["trialrun.toml", "pyproject.toml"])
@pytest.mark.parametrize("target", ["outside/secret.toml", "/dev/zero", "/dev/ptmx", "/proc/self/environ"])
def test_settings_that_are_a_link(repository: Path, outside: Path, trialrun: Trialrun, name: str, target: str) -> None:
    (repository / "trialrun.toml").unlink()
    (repository / name).symlink_to(outside.parent / target)
    started = time.monotonic()
    ran = trialrun("check", folder=repository)
    assert time.monotonic() - started < SLOWEST
    assert ran.code == 2
    assert refused(ran.text)


PLACES = {
    "a file outside": "files: ../outside/secret.csv",
    "files outside by a glob": "files: ../outside/*.csv",
    "files outside at any depth": "files: ../**/*.csv",
    "a link": "files: link.csv",
    "a link that a glob meets": "files: '*.csv'",
    "a folder that is a link": "files: linked/secret.csv",
    "a database outside": "database: ../outside/secret.txt\ntable: t",
    "a database by a link": "database: link.csv\ntable: t",
    "a device": "files: zero.csv",
    "a terminal": "files: ptmx.csv",
    "a pipe": "files: pipe.csv",
    "what git keeps": "files: .git/config\nformat: CSV",
}


@pytest.mark.parametrize("name", PLACES)
def test_a_source_outside(repository: Path, outside: Path, trialrun: Trialrun, name: str) -> None:
    links = {"link.csv": outside / "secret.csv", "linked": outside, "zero.csv": "/dev/zero", "ptmx.csv": "/dev/ptmx"}
    for link, target in links.items():
        (repository / link).symlink_to(target)
    os.mkfifo(repository / "pipe.csv")
    (repository / ".git").mkdir(exist_ok=True)
    (repository / ".git" / "config").write_text(f"[http]\n  extraheader = {SECRET}\n")
    (repository / "source.yaml").write_text(SOURCE.format(place=PLACES[name]))
    started = time.monotonic()
    ran = trialrun("check", "--fail-on", "note", folder=repository)
    assert ran.code == 1, ran.text
    trialrun("sync", "--plan", folder=repository)
    assert time.monotonic() - started < SLOWEST


@pytest.mark.parametrize("target", ["secret.yaml", "/dev/zero", "/dev/ptmx", "/proc/self/environ", "/dev/tty"])
@pytest.mark.parametrize("words", [("check",), ("check", "link.yaml"), ("check", "--discovered", "link.yaml")])
def test_a_file_to_check_that_is_a_link(
    repository: Path, outside: Path, trialrun: Trialrun, target: str, words: tuple[str, ...]
) -> None:
    (repository / "link.yaml").symlink_to(outside / target)
    started = time.monotonic()
    trialrun(*words, folder=repository)
    assert time.monotonic() - started < SLOWEST


@pytest.mark.parametrize("words", [(), ("link.yaml",), ("--fix",), ("--fix", "--unsafe-fixes", "link.yaml")])
def test_a_file_outside_is_not_fixed_through_a_link(
    repository: Path, outside: Path, trialrun: Trialrun, words: tuple[str, ...]
) -> None:
    text = view("b").replace("syncConfig", "sync_config")
    (outside / "b.yaml").write_text(text)
    (repository / "link.yaml").symlink_to(outside / "b.yaml")
    ran = trialrun("check", *words, folder=repository)
    assert ran.code == 1
    assert refused(ran.text)
    assert (outside / "b.yaml").read_text() == text


@pytest.mark.parametrize(
    ("named", "made"),
    pairs_of(["away", "away/", "away/below", "away/below/b.yaml"], ["a folder", "a workspace", "a repository"]),
)
@pytest.mark.parametrize("words", [("check",), ("check", "--fix"), ("check", "--discovered", "--fix")], ids=" ".join)
def test_nothing_is_read_or_fixed_in_a_folder_that_a_link_leads_to(
    repository: Path, outside: Path, trialrun: Trialrun, words: tuple[str, ...], named: str, made: str
) -> None:
    text = f"kind: FeatureView\nname: {SECRET}\nsync_config: {{cron: 0 3 * * 7}}\n"
    write_files(outside, {"below/b.yaml": text})
    if made == "a workspace":
        (outside / "trialrun.toml").write_text(f"exclude = ['{SECRET}']\n")
    if made == "a repository":
        git(outside, "init", "-q")
    (repository / "away").symlink_to(outside)
    ran = trialrun(*words, "--", named, folder=repository)
    assert refused(ran.text)
    assert ran.code == (0 if "--discovered" in words and not named.endswith(".yaml") else 1)
    assert (outside / "below" / "b.yaml").read_text() == text


def test_a_folder_that_a_link_leads_to_is_not_searched(repository: Path, trialrun: Trialrun) -> None:
    (repository / "away").symlink_to("/")
    started = time.monotonic()
    ran = trialrun("check", "--output-format", "concise", "away", folder=repository)
    assert time.monotonic() - started < 2
    assert ran.text.splitlines()[:1] == [
        "away:1:1: error unreadable-file the file cannot be read: it leads to /, outside of "
        f"{repository}; allow it with --allow-path FOLDER"
    ]
    assert ran.text.splitlines()[1] == "1 error in 1 file (1 not checked)"


def test_a_workspace_that_a_link_leads_to_may_be_allowed(repository: Path, tmp_path: Path, trialrun: Trialrun) -> None:
    write_files(tmp_path, {"other/b.yaml": view("b", cron="0 25 * * *"), "other/trialrun.toml": ""})
    (repository / "away").symlink_to(tmp_path / "other")
    ran = trialrun("check", "--allow-path", str(tmp_path / "other"), "away", folder=repository)
    assert (ran.code, "away/b.yaml" in ran.text, "cron-syntax" in ran.text) == (1, True, True)


@pytest.mark.parametrize(
    "words", [("check", "--output-format", "json=out.json"), ("baseline", "write", "out.json")], ids=" ".join
)
def test_no_report_is_written_through_a_link(
    repository: Path, outside: Path, trialrun: Trialrun, words: tuple[str, ...]
) -> None:
    (repository / "out.json").symlink_to(outside / "made")
    assert trialrun(*words, folder=repository).code == 2
    assert not (outside / "made").exists()


def test_a_list_of_ignored_files_that_is_a_device(tmp_path: Path, trialrun: Trialrun) -> None:
    (tmp_path / "a.yaml").write_text(view("a"))
    (tmp_path / ".gitignore").symlink_to("/dev/zero")
    started = time.monotonic()
    assert trialrun("check", "a.yaml", ".", folder=tmp_path).code == 0
    assert time.monotonic() - started < SLOWEST


def test_text_of_a_file_that_has_no_policy_is_not_shown(repository: Path, trialrun: Trialrun) -> None:
    write_files(repository, {".env": f"TOKEN={SECRET}\n", "trialrun.toml": 'policies = [".env"]\n'})
    ran = trialrun("check", folder=repository)
    assert ran.code == 2
    assert ".env has no policy" in ran.text


def test_a_glob_looks_at_a_bounded_number_of_entries(
    repository: Path, trialrun: Trialrun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trialrun.guarded_path.MAX_ENTRIES", 20)
    for number in range(30):
        (repository / f"{number}.txt").write_text("")
    (repository / "source.yaml").write_text(SOURCE.format(place="files: '**/*.csv'"))
    ran = trialrun("check", "--fail-on", "note", folder=repository)
    assert "searches more than" in " ".join(ran.text.split())


@pytest.mark.parametrize("words", [("--allow-path", "../outside"), ("--allow-path", "..")])
def test_a_folder_that_the_user_allows(
    repository: Path, outside: Path, trialrun: Trialrun, words: tuple[str, ...]
) -> None:
    (outside / "p.yaml").write_text(POLICY.format(id="allowed"))
    (repository / "trialrun.toml").write_text('policies = ["../outside/p.yaml"]\n')
    assert refused(trialrun("check", folder=repository).text)
    assert trialrun("check", *words, folder=repository).code == 0


def test_a_path_outside_that_the_user_names(repository: Path, outside: Path, trialrun: Trialrun) -> None:
    (outside / "b.yaml").write_text(view("b"))
    assert trialrun("check", "a.yaml", "../outside/b.yaml", folder=repository).code == 0


def test_settings_of_the_user_allow_folders(
    repository: Path, outside: Path, trialrun: Trialrun, monkeypatch: pytest.MonkeyPatch
) -> None:
    (outside / "p.yaml").write_text(POLICY.format(id="allowed"))
    (repository / "trialrun.toml").write_text('policies = ["../outside/p.yaml"]\n')
    own = repository.parent / "config" / "trialrun" / "settings.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f'allow-paths = ["{outside}"]\n[limits]\nthreads = 2\nmemory-limit = "1GB"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own.parent.parent))
    assert trialrun("check", folder=repository).code == 0
    monkeypatch.setenv("TRIALRUN_USER_SETTINGS", str(repository / "own.toml"))
    own.rename(repository / "own.toml")
    assert refused(trialrun("check", folder=repository).text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("allow-path = []", 'there is no setting "allow-path"; did you mean "allow-paths"?'),
        ("allow-paths = 'x'", "allow-paths must be a list of folders"),
        ("allow-paths = ['x']", 'allow-paths must be an absolute path, or start with ~, not "x"'),
        ("[limits]\nthread = 1", 'own.toml:2: limits: there is no setting "thread"; did you mean "threads"?'),
        ("threads = 1", 'there is no setting "threads"; it belongs in [limits]'),
        ("[limits]\nthreads = -1", "own.toml:2: limits: threads must be a number of threads"),
        ("[limits", "Expected"),
    ],
)
def test_settings_of_the_user_that_are_wrong(
    tmp_path: Path, trialrun: Trialrun, monkeypatch: pytest.MonkeyPatch, text: str, problem: str
) -> None:
    (tmp_path / "own.toml").write_text(text)
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("TRIALRUN_USER_SETTINGS", str(tmp_path / "own.toml"))
    ran = trialrun("check", folder=tmp_path / "work")
    assert ran.code == 2
    assert problem in ran.text
    assert trialrun("check", "--isolated", folder=tmp_path / "work").code == 0
