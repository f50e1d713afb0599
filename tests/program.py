"""The program as tests run it, and small files for it."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from trialrun import guarded_path
from trialrun.cli.main import main
from trialrun.errors import INTERRUPTED_EXIT
from trialrun.git_process import forget_hung
from trialrun.runtime.feature_view.source.confined import reset_time_budget
from trialrun.runtime.options import set_user_limits

LEFT_OUT = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONDONTWRITEBYTECODE")
"""Variables that runs do not get from ours; without bytecode each of hundreds of processes compiles all anew."""
SOURCE = str(Path(__file__).parent.parent / "src")
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/{name}
syncConfig:
  cron: {cron}
warehouseSource:
  uri: bq://p.d.t
  entityIdColumns: [id]
"""

CONDITION = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/b/channelConfigs/c
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        celUpsell:
          conditionExpression: order.total > 10.0
          suggestedMenuItems: [Fries]
"""
"""A sound ChannelConfig with a condition over the default types of the session."""


def view(name: str = "v", cron: str = "0 3 * * *") -> str:
    """A sound FeatureView, or one with another schedule."""
    return VIEW.format(name=name, cron=cron)


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write files with their texts, by their paths below a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Ran:
    """How a run of the program ended, and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


READ_AT_START = ("PYTHON", "LANG", "LC_", "TZ", "LD_")
"""What a variable begins with that Python or a library reads once, when the process starts."""
ENCODING = "PYTHONIOENCODING"
WAITS = "watching for changes; press Ctrl-C to stop\n"
HASTY = "from trialrun.workspace import file_changes; file_changes.POLL_INTERVAL = 0.03"
"""The change of a watching program that looks for changes ten times as often."""


def own_environment(folder: Path) -> dict[str, str]:
    """The environment of a run: our sources, a cache beside the test's folder, no colours, no terminal."""
    kept = {key: value for key, value in os.environ.items() if key not in LEFT_OUT}
    return kept | {"PYTHONPATH": SOURCE, "TRIALRUN_CACHE_DIR": str(folder.parent / f"{folder.name}-cache")}


def run_process(
    arguments: tuple[str, ...], folder: Path, environment: dict[str, str], stdin: bytes | None = None
) -> Ran:
    """Run the program as a process, for tests of what a process alone has: its start, its signals, its variables."""
    done = subprocess.run(
        [sys.executable, "-m", "trialrun", *arguments],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def changed_program(change: str, *arguments: str | Path) -> list[str]:
    """The command line of the program with a statement that runs first: it makes a limit of seconds shorter."""
    code = f"{change}; import sys; sys.argv[0] = 'trialrun'; from trialrun.cli import run; run()"
    return [sys.executable, "-c", code, *map(str, arguments)]


def run_here(arguments: tuple[str, ...], folder: Path, environment: dict[str, str], stdin: bytes | None = None) -> Ran:
    """Run the program in this process, which saves the time of its start: with the results that a process has.

    The standard streams are files, also for programs that it starts and for libraries in C.
    """
    forget_earlier_runs()
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin or b"")
        given.seek(0)
        with chdir(folder), _variables(environment), _standard_streams(given, out, err):
            code = main([str(argument) for argument in arguments])
            sys.stdout.flush()
            sys.stderr.flush()
        if code == INTERRUPTED_EXIT:
            raise KeyboardInterrupt
        return Ran(code, _text(out), _text(err))


def forget_earlier_runs() -> None:
    """Forget what the program keeps for the time of its process."""
    guarded_path.forget_allowed()
    forget_hung()
    reset_time_budget()
    set_user_limits({})


@contextmanager
def _variables(environment: dict[str, str]) -> Iterator[None]:
    """The environment changed to another; what the program sets in it for a library stays."""
    before = dict(os.environ)
    changed = {name for name in before.keys() | environment if before.get(name) != environment.get(name)}
    _set_variables(changed, environment)
    try:
        yield
    finally:
        _set_variables(changed, before)


def _set_variables(names: set[str], values: dict[str, str]) -> None:
    for name in names:
        if name in values:
            os.environ[name] = values[name]
        else:
            os.environ.pop(name, None)


@contextmanager
def _standard_streams(given: BinaryIO, out: BinaryIO, err: BinaryIO) -> Iterator[None]:
    """Standard input and output from and to files, as Python opens them when a process starts."""
    encoding, _, errors = os.environ.get(ENCODING, "utf-8").partition(":")
    streams = sys.stdin, sys.stdout, sys.stderr
    for stream in streams[1:]:
        stream.flush()
    with ExitStack() as ended:
        for number, file in enumerate((given, out, err)):
            ended.enter_context(_descriptor(number, file.fileno()))
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)), encoding)
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding, errors or "strict")
        raw = io.BufferedWriter(io.FileIO(2, "w", closefd=False))
        sys.stderr = io.TextIOWrapper(raw, encoding, "backslashreplace", line_buffering=True)
        try:
            yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams


@contextmanager
def _descriptor(number: int, other: int) -> Iterator[None]:
    """A descriptor of this process that is another for a while."""
    kept = os.dup(number)
    os.dup2(other, number)
    try:
        yield
    finally:
        os.dup2(kept, number)
        os.close(kept)


def _text(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode()


@contextmanager
def watched(folder: Path, *arguments: str) -> Iterator[Callable[..., str]]:
    """A run with `--watch`, ended by Ctrl-C: its output, each time up to where it waits for the next change.

    Or up to a line that contains a text, `until`.
    """

    def output(until: str = "") -> str:
        found = ""
        for line in lines:
            if line == WAITS and not until:
                break
            found += line
            if until and until in line:
                break
        return found

    with subprocess.Popen(
        changed_program(HASTY, *arguments),
        cwd=folder,
        env=own_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        yield output
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
