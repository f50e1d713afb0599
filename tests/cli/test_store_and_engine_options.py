"""`--store` and `--engine`: who has the address decides; a repository names an alias at most."""

import itertools
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.example_workspace import NOON, copied, set_runtime, user_settings
from tests.program import Run
from tests.redis_servers import Server
from tests.spark_cluster import needs_spark
from trialrun import open_workspace
from trialrun.runtime.options import EngineAddress

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
    open_workspace(tmp_path, store=address).sync("guest_profile")
    (entity,) = open_workspace(tmp_path, store=address).fetch("guest_profile", "g-00007")["entities"]
    assert entity["id"] == ["g-00007"]


# ---- engines

NO_MASTER = "spark://127.0.0.1:1"


@pytest.mark.parametrize("source", ["option", "environment", "alias"])
def test_each_way_to_name_an_engine(run: Run, tmp_path: Path, source: str) -> None:
    pytest.importorskip("pyspark", reason="needs pyspark; run pip install '.[spark]'")
    settings = user_settings(
        tmp_path, f'[engines.lake]\naddress = "{NO_MASTER}"\npython = "/opt/python"\nmemory = "2GB"\n'
    )
    named = ["--engine", NO_MASTER] if source == "option" else []
    if source == "alias":
        set_runtime(tmp_path, "engine", "lake")
    variables = {"TRIALRUN_ENGINE": "lake"} if source == "environment" else {}
    ran = run("sync", "guest_profile", *named, *NOON, TRIALRUN_USER_SETTINGS=settings, **variables)
    assert (ran.code, "no Spark master answers at spark://127.0.0.1:1" in ran.err) == (1, True)
    assert run("fetch", "guest_profile", "g-1").code != 3


def test_a_repository_names_no_address(run: Run, tmp_path: Path) -> None:
    set_runtime(tmp_path, "engine", NO_MASTER)
    ran = run("sync", "guest_profile")
    assert (ran.code, "under a table such as [engines.ALIAS]" in ran.err) == (2, True)


def test_an_alias_that_the_user_does_not_define(run: Run, tmp_path: Path) -> None:
    set_runtime(tmp_path, "engine", "lake")
    ran = run("sync", "guest_profile", TRIALRUN_USER_SETTINGS=user_settings(tmp_path, ""))
    assert (ran.code, 'there is no alias "lake"; add [engines.lake] with its address' in ran.err) == (2, True)
    assert run("check").code != 2


def declare_source(folder: Path, fields: str) -> None:
    """Let the rows of the view be where these fields say."""
    (folder / "sources.yaml").write_text(
        f"kind: Source\nuri: bq://burgers.serving.far\n{fields}\n"
        "columns: [{name: id, type: STRING}, {name: n, type: INT64}]\n"
    )
    view = "kind: FeatureView\nname: projects/p/locations/l/featureOnlineStores/serving/featureViews/far\n"
    (folder / "far.yaml").write_text(
        f"{view}warehouseSource: {{uri: 'bq://burgers.serving.far', entityIdColumns: [id]}}\n"
    )


def unwrapped(text: str) -> str:
    return " ".join(text.split())


FAR = "files: s3a://lake/guests/*.parquet"


def test_a_source_elsewhere_needs_an_engine(run: Run, tmp_path: Path) -> None:
    declare_source(tmp_path, FAR)
    ran = run("sync", "far", *NOON)
    assert (ran.code, "is not on this machine; choose an engine with --engine" in unwrapped(ran.err)) == (1, True)
    assert "s3a" not in run("check").out


@pytest.mark.parametrize(
    ("roots", "variables", "reason"),
    [
        ("[]", {}, 'below no root of the engine; add "s3a://lake/guests/"'),
        ('["s3a://lake/menu/"]', {"TRIALRUN_ENGINE_ROOTS": "s3a://other/ /mnt/lake"}, "below no root of the engine"),
        ('["s3a://lake/guests"]', {}, "no Spark master answers"),
        ("[]", {"TRIALRUN_ENGINE_ROOTS": "/mnt/lake s3a://lake/"}, "no Spark master answers"),
    ],
)
def test_a_source_elsewhere_lies_below_a_root(
    run: Run, tmp_path: Path, roots: str, variables: dict[str, str], reason: str
) -> None:
    pytest.importorskip("pyspark", reason="needs pyspark; run pip install '.[spark]'")
    declare_source(tmp_path, FAR)
    settings = user_settings(tmp_path, f'[engines.lake]\naddress = "{NO_MASTER}"\nroots = {roots}\n')
    ran = run("sync", "far", *NOON, "--engine", "lake", TRIALRUN_USER_SETTINGS=settings, **variables)
    assert (ran.code, reason in unwrapped(ran.err)) == (1, True), ran.err


@pytest.mark.parametrize("text", ['roots = ["s3a://lake/"]', '[engines.lake]\nroots = ["s3a://lake/"]'])
def test_a_repository_names_no_roots(run: Run, tmp_path: Path, text: str) -> None:
    with (tmp_path / "trialrun.toml").open("a") as file:
        file.write(f"\n{text}\n")
    ran = run("sync", "guest_profile")
    assert (ran.code, "there is no setting" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "root", ["/", "lake", "s3a://me:secret@lake/", "s3a://lake/../x", "jdbc:x://h/d?password=secret"]
)
def test_a_root_that_is_none(run: Run, tmp_path: Path, root: str) -> None:
    settings = user_settings(tmp_path, f'[engines.lake]\naddress = "{NO_MASTER}"\nroots = ["{root}"]\n')
    ran = run("sync", "guest_profile", "--engine", "lake", TRIALRUN_USER_SETTINGS=settings)
    assert (ran.code, "roots: " in ran.err, "secret" in ran.err) == (2, True, False), ran.err
    ran = run("sync", "guest_profile", "--engine", NO_MASTER, TRIALRUN_ENGINE_ROOTS=root)
    assert (ran.code, "TRIALRUN_ENGINE_ROOTS: " in ran.err, "secret" in ran.err) == (2, True, False)


@pytest.mark.parametrize(
    "fields",
    [
        "files: s3a://lake/guests/../../payments/*.parquet",
        "files: s3a://AKIA:secret@lake/a.parquet",
        "files: https://169.254.169.254/a.csv",
        "database: jdbc:mysql://h/shop?allowLoadLocalInfile=true\ntable: t",
    ],
)
def test_a_check_refuses_a_hostile_source(run: Run, tmp_path: Path, fields: str) -> None:
    declare_source(tmp_path, fields)
    ran = run("check", "--no-cache")
    assert (ran.code, "invalid-source-place" in ran.out) == (1, True)
    assert run("sync", "far", *NOON, "--engine", NO_MASTER).code == 1


@pytest.mark.parametrize(
    "address",
    ["http://h", "spark://user:secret@h:7077", "spark://h:7077/x", "spark://", "spark://h:99999", "spark://[::1"],
)
def test_an_address_that_is_none(run: Run, address: str) -> None:
    ran = run("sync", "guest_profile", "--engine", address)
    assert (ran.code, "the engine must be the address of an engine" in ran.err) == (2, True)
    assert "secret" not in ran.err


def test_a_check_never_uses_an_engine(run: Run, tmp_path: Path) -> None:
    before = run("check")
    assert run("check", TRIALRUN_ENGINE=NO_MASTER).out == before.out
    played = ("test", "scenarios/guests.yaml")
    assert run(*played, TRIALRUN_ENGINE=NO_MASTER).code == run(*played).code


class TestCluster:
    pytestmark = needs_spark

    @pytest.mark.parametrize("view", ["guest_profile", "menu_search"])
    def test_a_sync_serves_the_same(self, run: Run, view: str, spark: EngineAddress) -> None:
        assert run("sync", view, *NOON).code == 0
        local = run("sync", view, *NOON, "--output-format", "json")
        remote = run(
            "sync", view, *NOON, "--engine", spark.address, "--output-format", "json",
            TRIALRUN_ENGINE_SECRET=spark.secret or "",
        )  # fmt: skip
        assert (remote.code, local.code) == (0, 0)
        of_local, of_remote = json.loads(local.out), json.loads(remote.out)
        assert set(of_remote.pop("assumptions")) == {*of_local.pop("assumptions"), "sync-spark"}
        assert of_remote == of_local
