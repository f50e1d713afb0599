"""What many tests need: the program as a person runs it, in a folder of its own, with a cache of its own."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

# ruff: noqa: E402
# Compiling takes as long as importing, and pytest compiles all modules of its plugins. Keep bytecode also where the
# environment says otherwise, beginning with that of the next line.
sys.dont_write_bytecode = False

import pytest
from hypothesis import is_hypothesis_test, settings

from tests.cases import ALL_CASES, asks_for_all_cases, number_of_cases, tries_all_cases
from tests.program import ENCODING, READ_AT_START, Ran, Run, own_environment, run_here, run_process
from tests.redis_servers import WHY_NOT, Server, cluster, has_redis, one_server
from trialrun.cli import GARBAGE_THRESHOLD

if TYPE_CHECKING:
    from trialrun.runtime.options import EngineAddress

# A shell that starts the suite in the background lets it ignore Ctrl-C, and so would every program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

EXAMPLES = 100
"""How many examples a property is tried with that names no number."""
MAX_PARSED_FILES = 200
"""How many parsed files are kept: several times as many as the example workspace has."""
EXHAUSTIVE_TIMEOUT = 600
"""Seconds that an exhaustive test may take; any other may take those of `timeout` in pyproject.toml."""
IN_MEMORY = "/dev/shm"
"""A file system in memory, as Linux has it: tests write thousands of small files, and would wait for the disk."""
LEAST_FREE_MEMORY = 4 * 2**30


def can_hold_temporary_files(folder: str) -> bool:
    """Whether a folder has room for the files of all tests, which are also programs."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    return shutil.disk_usage(folder).free >= LEAST_FREE_MEMORY and not os.statvfs(folder).f_flag & os.ST_NOEXEC


if "TMPDIR" not in os.environ and can_hold_temporary_files(IN_MEMORY):
    os.environ["TMPDIR"] = tempfile.tempdir = IN_MEMORY
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # the cores have their workers; more threads of numpy only wait for each other
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # workers are forked beside servers; gRPC would write of it
STATE = tempfile.TemporaryDirectory(prefix="trialrun-tests-state-")
os.environ["TRIALRUN_STATE_DIR"] = STATE.name
os.environ.pop("GITHUB_ACTIONS", None)  # reports look at it


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Use all cores for folders of tests, unless `-n` says how many; a few files are faster without workers.

    This is `-n auto --dist worksteal`, which the settings of pytest cannot say where pytest-xdist is left out.
    """
    options = config.option
    is_worker = hasattr(config, "workerinput")
    if not is_worker and getattr(options, "numprocesses", 0) is None and any(map(os.path.isdir, config.args)):
        options.numprocesses = "auto"
    if getattr(options, "numprocesses", None) and options.dist == "no":
        options.dist = "worksteal"


def pytest_configure(config: pytest.Config) -> None:
    """Try all generated cases where exhaustive tests are run; the tests are imported later."""
    if asks_for_all_cases(config.option.markexpr):
        os.environ[ALL_CASES] = "1"
    # In CI the same examples run every time, so that a red run speaks of the change; load of the machine is no failure.
    same, examples = bool(os.environ.get("CI")), number_of_cases(EXAMPLES)
    settings.register_profile("tests", derandomize=same, deadline=None, max_examples=examples)
    settings.load_profile("tests")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count tests of generated cases among the exhaustive ones where all cases are tried."""
    for item in items:
        is_generated = item.get_closest_marker("generated") or is_hypothesis_test(getattr(item, "obj", None))
        if is_generated and tries_all_cases():
            item.add_marker("exhaustive")
        if item.get_closest_marker("exhaustive") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(EXHAUSTIVE_TIMEOUT))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect thousands of tests and modules without garbage collections: each would look at all of them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(GARBAGE_THRESHOLD, 20, 100)  # as the program has it
        gc.enable()


def pytest_unconfigure() -> None:
    """Let the summary be the last word: DuckDB would tell of its memory when Python ends, which takes it apart late."""
    atexit.register(os.dup2, os.open(os.devnull, os.O_WRONLY), sys.__stderr__.fileno() if sys.__stderr__ else 2)


@pytest.fixture(autouse=True, scope="session")
def without_waiting_for_disks() -> Iterator[None]:
    """Files of this process need not outlive the machine, and waiting for the disk takes longer than most tests."""
    from trialrun.runtime.feature_view.store import database

    open_connection = database.open_connection

    def open_unsynced(file: str, key: bytes) -> database.Connection:
        connection = open_connection(file, key)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "open_connection", open_unsynced)
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def parsed_once() -> Iterator[None]:
    """Keep more parsed files than the program does: hundreds of tests run it on the same example workspace."""
    from trialrun import parser

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser._last_files, "most", MAX_PARSED_FILES)
        yield


@pytest.fixture(autouse=True, scope="session")
def without_lines_of_progress() -> Iterator[None]:
    """What a run writes to standard error is the same on a busy machine, where it may take longer than ten seconds."""
    from trialrun.cli import progress

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "LINE_INTERVAL", 3600)
        yield


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `trialrun` with some arguments in the test's own folder, in the process of the test."""

    def ran(*arguments: str, stdin: bytes | None = None, cwd: Path | None = None, **environment: str) -> Ran:
        assert not [name for name in environment if name.startswith(READ_AT_START) and name != ENCODING]
        return run_here(arguments, cwd or tmp_path, own_environment(tmp_path) | environment, stdin)

    return ran


@pytest.fixture
def process(tmp_path: Path) -> Run:
    """Run `trialrun` with some arguments in the test's own folder, in a process of its own."""

    def ran(*arguments: str, stdin: bytes | None = None, cwd: Path | None = None, **environment: str) -> Ran:
        return run_process(arguments, cwd or tmp_path, own_environment(tmp_path) | environment, stdin)

    return ran


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Server]:
    """One node of Redis."""
    if not has_redis():
        pytest.skip(WHY_NOT)
    with one_server() as server:
        yield server


@pytest.fixture(scope="session")
def starting_cluster() -> Iterator[Future[list[Server]] | None]:
    """A cluster that comes to be, which takes seconds, while a module tries other things; None without servers."""
    if not has_redis():
        yield None
        return
    with ExitStack() as stack, ThreadPoolExecutor(1) as pool:
        yield pool.submit(stack.enter_context, cluster())


@pytest.fixture(scope="session")
def redis_cluster(starting_cluster: Future[list[Server]] | None) -> list[Server]:
    """Three nodes of a Redis Cluster."""
    if starting_cluster is None:
        pytest.skip(WHY_NOT)
    return starting_cluster.result()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineAddress]:
    """The address of a Spark cluster on this machine, for tests that are marked by `needs_spark`."""
    from tests.spark_cluster import spark_cluster

    with spark_cluster(tmp_path_factory.mktemp("spark")) as address:
        yield address
