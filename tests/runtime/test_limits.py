"""What a repository may take: it lowers the limits of the user, and never raises them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.example_workspace import NOON, copied
from tests.program import Run
from trialrun.runtime.options import Limits, Options, cap_options, set_user_limits
from trialrun.values.amounts import parse_bytes


@pytest.fixture(autouse=True)
def default_limits() -> Iterator[None]:
    yield
    set_user_limits({})


LIMITS = Limits(2_000_000_000, 4)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (Options(memory_limit="1GB", threads=2), ("1GB", 2)),
        (Options(memory_limit="4GB", threads=0), ("2GB", 4)),
        (Options(memory_limit="2000MB", threads=100), ("2000MB", 4)),
    ],
)
def test_a_repository_only_lowers_limits(asked: Options, given: tuple[str, int]) -> None:
    found = cap_options(asked, LIMITS)
    assert (found.memory_limit, found.threads) == given


@pytest.mark.parametrize(
    ("text", "size"), [("4GB", 4 * 10**9), ("1.5 GiB", 3 * 2**29), ("64mb", 64 * 10**6), ("7", None), ("GB", None)]
)
def test_amounts_of_memory(text: str, size: int | None) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("command", [("check",), ("test", "scenarios/dayparts.yaml")], ids=" ".join)
def test_a_higher_limit_is_noted_and_not_used(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    copied(tmp_path)
    (tmp_path / "trialrun.toml").write_text('[runtime]\nmemory-limit = "9TB"\nthreads = 1000\n')
    ran = run(*command, "--output-format", "json")
    assert ran.code in (0, 1), ran.err
    json.loads(ran.out)
    assert (
        'memory-limit "9TB" is above the limit of this user, 2GB, which applies to checks; only sync may use more'
        in ran.err
    )
    assert "threads 1000 is above the limit of this user" in ran.err
    assert "threads 1000 is above the limit of this user" in run("settings").err


def test_a_sync_takes_no_more_than_the_machine_has(run: Run, tmp_path: Path) -> None:
    copied(tmp_path)
    (tmp_path / "trialrun.toml").write_text('[runtime]\nmemory-limit = "9TB"\n')
    ran = run("sync", "menu_search_exact", *NOON)
    assert ran.code == 2
    assert 'runtime: memory-limit "9TB" is above three quarters of the memory of this machine' in ran.err


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ('memory-limit = "10TB"\nthreads = 1024\n', []),
        ('memory-limit = "1GB"\nthreads = 2\n', ["limit of this user, 1GB", "limit of this user, 2,"]),
    ],
)
def test_the_settings_of_the_user_say_what_a_repository_may_take(
    run: Run,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    limits: str,
    said: list[str],
) -> None:
    copied(tmp_path)
    (tmp_path / "trialrun.toml").write_text('[runtime]\nmemory-limit = "9TB"\nthreads = 1000\n')
    own = tmp_path_factory.mktemp("user") / "own.toml"
    own.write_text(f"[limits]\n{limits}")
    monkeypatch.setenv("TRIALRUN_USER_SETTINGS", str(own))
    ran = run("check")
    assert [text for text in ("limit of this user, 1GB", "limit of this user, 2,") if text in ran.err] == said
    assert ("is above" in ran.err) == bool(said)
