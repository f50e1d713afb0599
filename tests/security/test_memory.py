"""A repository of some megabytes may unpack to many gigabytes: what git writes of it is bounded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import SOURCE, view
from tests.security.conftest import Trialrun, git
from trialrun.workspace import revision, since

MEMORY = 3 * 2**30
"""The address space of a run."""
SECONDS = 40.0
LIMITED = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
from trialrun.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one sound view in its first commit."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.yaml").write_text(view("a"))
    (folder / "trialrun.toml").write_text("")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


def run_limited(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command under a limit of memory; a fault of ours fails the test."""
    own = {"PYTHONPATH": SOURCE, "HOME": str(folder.parent), "TRIALRUN_CACHE_DIR": str(folder.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(MEMORY), *words],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode in (0, 1, 2), done.stderr.decode()
    return done


def feed(folder: Path, given: bytes, *words: str) -> None:
    """Run git with an input, as the author of a hostile repository would."""
    subprocess.run(["git", "-C", str(folder), *words], input=given, check=True, capture_output=True)


@pytest.mark.exhaustive
def test_an_index_whose_names_are_very_long(repository: Path) -> None:
    """Version 4 of the format writes of each name only how it differs from that before."""
    blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    feed(repository, b"", "hash-object", "-w", "--stdin")
    folder = "/".join(["d" * 200] * 19)
    lines = (f"100644 {blob} 0\t{folder}/{number:06}.yaml\n" for number in range(30_000))
    git(repository, "update-index", "--index-version", "4")
    feed(repository, "".join(lines).encode(), "update-index", "--index-info")
    assert (repository / ".git" / "index").stat().st_size < 4_000_000
    done = run_limited(repository, "check")
    assert (done.returncode, done.stdout) == (0, b"1 file checked, nothing found\n")
    git(repository, "commit", "-qm", "two")
    git(repository, "read-tree", "HEAD~1")
    done = run_limited(repository, "check", "--since", "HEAD")
    assert done.returncode == 2
    assert b"git wrote more than 64 MB" in done.stderr


@pytest.mark.exhaustive
def test_files_of_a_revision_that_are_very_large(repository: Path) -> None:
    large = [repository / f"{number}.yaml" for number in range(40)]
    for number, file in enumerate(large):
        file.write_bytes(b"%d\n" % number + b"# kind: Menu\n" * 1_150_000)
    git(repository, "-c", "core.compression=1", "add", "-A")
    git(repository, "commit", "-qm", "two")
    for file in large:
        file.unlink()
    for words in (("--since", "HEAD"), ("--since", "HEAD", "a.yaml")):
        done = run_limited(repository, "check", *words)
        assert done.returncode == 2
        assert b"have more than 512 MB; check without --since" in done.stderr


def test_the_texts_of_a_revision_are_bounded(
    repository: Path, trialrun: Trialrun, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (repository / f"{name}.yaml").write_text(view(name, cron="0 25 * * *"))
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")
    for name in ("a", "b", "c"):
        (repository / f"{name}.yaml").write_text("# changed\n" + view(name, cron="0 25 * * *"))
    monkeypatch.setattr(revision, "MAX_BLOBS", 1)
    assert "nothing found" in trialrun("check", "--since", "HEAD", folder=repository).text
    for module, name, settings in ((revision, "MAX_TEXTS", ""), (since, "MAX_SNAPSHOT", 'ignore = ["cron-syntax"]\n')):
        (repository / "trialrun.toml").write_text(settings)
        monkeypatch.setattr(module, name, 100)
        ran = trialrun("check", "--since", "HEAD", folder=repository)
        assert ran.code == 2
        assert "have more than 0 MB; check without --since" in " ".join(ran.text.split())
