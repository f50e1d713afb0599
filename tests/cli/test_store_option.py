"""`--store`: views served from Redis, by whoever has the address; a repository names an alias at most."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.example_workspace import NOON, copied, set_runtime, user_settings
from tests.program import Run
from tests.redis_servers import Server
from trialrun import open_workspace

PREFIXES = map("cli{}".format, itertools.count())
NOBODY = "redis://127.0.0.1:1"
ALIAS = '[stores.live]\naddress = "{}"\n'


@pytest.fixture
def address(redis_server: Server) -> str:
    return f"redis://127.0.0.1:{redis_server.port}?prefix={next(PREFIXES)}"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path) -> Path:
    return copied(tmp_path)


def test_what_one_workspace_syncs_another_one_fetches(run: Run, tmp_path: Path, address: str) -> None:
    assert run("sync", "guest_profile", "--store", address, *NOON).code == 0
    assert not (tmp_path / ".trialrun").exists()
    here = json.loads(run("fetch", "guest_profile", "g-00007", "--store", address, "--output-format", "json").out)
    again = run("fetch", "guest_profile", "g-00007", "--output-format", "json", TRIALRUN_STORE=address)
    assert json.loads(again.out) == here
    run("sync", "guest_profile", *NOON)
    assert json.loads(run("fetch", "guest_profile", "g-00007", "--output-format", "json").out) == here


def test_a_search_makes_the_index_of_what_is_served(run: Run, tmp_path: Path, address: str) -> None:
    remote = ("--store", address)
    assert run("sync", "menu_search", *remote, *NOON).code == 0
    run("sync", "menu_search", *NOON)
    shutil.rmtree(tmp_path.parent / f"{tmp_path.name}-cache", ignore_errors=True)
    asked = ("search", "menu_search", "--entity", "SW-412", "--output-format", "json")
    local, first = json.loads(run(*asked).out), run(*asked, *remote)
    assert json.loads(first.out) == local
    assert run(*asked, *remote).out == first.out


def test_an_alias_of_the_repository_is_an_address_of_the_user(run: Run, tmp_path: Path, address: str) -> None:
    set_runtime(tmp_path, "store", "live")
    settings = user_settings(tmp_path, ALIAS.format(address))
    assert run("sync", "guest_profile", *NOON, TRIALRUN_USER_SETTINGS=settings).code == 0
    assert run("fetch", "guest_profile", "g-00007", "--store", address).code == 0
    refused = run("sync", "guest_profile", TRIALRUN_USER_SETTINGS=user_settings(tmp_path, ALIAS.format(address)[1:]))
    assert refused.code == 2
    missing = run("sync", "guest_profile", TRIALRUN_USER_SETTINGS=user_settings(tmp_path, ""))
    assert (missing.code, 'there is no alias "live"; add [stores.live]' in missing.err) == (2, True)
    isolated = run("fetch", "guest_profile", "g-00007", "--store", "live", "--isolated")
    assert "--isolated reads no settings; write an address" in isolated.err


def test_a_repository_cannot_name_an_address(run: Run, tmp_path: Path, address: str) -> None:
    set_runtime(tmp_path, "store", address)
    ran = run("sync", "guest_profile", *NOON)
    assert (ran.code, "store must be an alias, not an address" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("redis://u:secret@h:1", "the address redis://h:1 has a password; set TRIALRUN_STORE_PASSWORD instead"),
        ("http://u:secret@h", "http://h is not the address of a store"),
        ("redis://h:99999", "has no host and port"),
        ("redis://u:secret@[::1", "is not the address of a store"),
        ("", "--store is empty; write an address or an alias, or leave the option out"),
        (NOBODY, "127.0.0.1:1 cannot be reached; start it, or check the address"),
    ],
)
def test_a_wrong_address_is_told_without_its_password(run: Run, address: str, says: str) -> None:
    ran = run("fetch", "guest_profile", "g-00007", "--store", address)
    assert (ran.code, says in ran.err, "secret" in ran.err) == (2, True, False)


def test_check_and_test_never_connect(run: Run, tmp_path: Path) -> None:
    set_runtime(tmp_path, "store", "live")
    played = ("test", "scenarios/guests.yaml")
    before = run("check").out, run(*played).out
    settings = user_settings(tmp_path, ALIAS.format(NOBODY))
    there = {"TRIALRUN_STORE": NOBODY, "TRIALRUN_USER_SETTINGS": settings}
    assert (run("check", **there).out, run(*played, **there).out) == before


def test_the_library_takes_an_address(tmp_path: Path, address: str) -> None:
    workspace = open_workspace(tmp_path, store=address)
    workspace.sync("guest_profile")
    (entity,) = open_workspace(tmp_path, store=address).fetch("guest_profile", "g-00007")["entities"]
    assert entity["id"] == ["g-00007"]
