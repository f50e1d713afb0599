"""The connection to a Spark cluster, of which a process has one: starting it takes longer than most statements.

Spark's own driver, a Java process, is started with a file of settings that only this user can read, so that no secret
is among the arguments of a process. It ends with this process. What it logs goes to a file, never to the user.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from trialrun.extras import missing_libraries
from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.options import EngineAddress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


ERROR_CLASS = re.compile(r"^\[(?P<code>[A-Z0-9_.]+)\]\s*")
NOISE = re.compile(r"^(org|java|javax|scala|sun)\.[\w.$]+(Exception|Error):\s*|\s*SQLSTATE: \w+\s*$")
LOST = re.compile(r"ExecutorLost|executor lost|Master removed|cluster scheduler|cannot call methods on a stopped", re.I)
OUT_OF_MEMORY = re.compile(r"OutOfMemory|out of memory|Cannot acquire", re.I)
MAX_LENGTH = 300


@contextmanager
def spark_errors(folders: Iterable[str] = ()) -> Iterator[None]:
    """Make what Spark raises Unreadable, with its reason; Ctrl-C stays what it is."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        texts = list(_texts(error))
        whole = "\n".join(texts)
        if LOST.search(whole):
            reason = "Spark lost its executors or its master; what was served before still is; sync again"
        elif OUT_OF_MEMORY.search(whole):
            reason = (
                "an executor of Spark has too little memory; raise spark.executor.memory in the options of the engine"
            )
        else:
            reason = f"Spark: {_first_line(whole, folders)[:MAX_LENGTH]}"
        raise Unreadable(reason) from None
    except (ConnectionError, EOFError):
        raise Unreadable("Spark's driver process ended; sync again") from None


def _texts(error: Exception) -> Iterator[str]:
    """The messages of an error, its cause first: what went wrong, before what it went wrong in."""
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        cause: Any = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
        messages: list[str] = []
        while cause is not None and len(messages) < 10:
            messages.append(str(cause.getMessage() or cause.getClass().getSimpleName()))
            cause = cause.getCause()
        yield from reversed(messages)
        if not messages:
            yield str(getattr(error, "desc", None) or error)
    except (Py4JError, OSError):  # the driver has gone, and with it the text
        yield "its driver process ended"


def _first_line(text: str, folders: Iterable[str]) -> str:
    for line in text.splitlines():
        plain = ERROR_CLASS.sub("", NOISE.sub("", line.strip())).strip()
        if plain and not plain.startswith("at "):
            plain = plain[:1].lower() + plain[1:] if not plain[:2].isupper() else plain
            for folder in folders:
                plain = plain.replace(f"file://{folder}/", "").replace(f"file:{folder}/", "").replace(f"{folder}/", "")
            return plain
    return "it gives no reason"


MODULES = ("pyspark", "sqlglot", "pandas", "pyarrow")
DEFAULT_PORT = 7077
CONNECT_SECONDS = 5.0
START_SECONDS = 240.0
"""Seconds that Spark's driver may take to start and to register; on a busy machine half of that was seen."""
EXECUTOR_SECONDS = 120.0
POLL_SECONDS = 0.2
REFUSED = re.compile(r"Failed to connect to master|All masters are unresponsive")
"""What the log says first where a master answers that does not have the same secret."""
SETTINGS: Mapping[str, str] = {
    "spark.app.name": "trialrun",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "false",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "16m",
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
    "spark.executor.extraJavaOptions": "-Duser.timezone=UTC",
}
"""What makes Spark read as the embedded engine does: names in any capitals, moments in UTC, no value cut in silence."""
CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
"""Variables that Spark's driver does not get: it would send them to all executors, which have their own."""
AUTHENTICATION: Mapping[str, str] = {
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.io.encryption.enabled": "true",
}


def spark_session(engine: EngineAddress) -> SparkSession:
    """A session of its own on the cluster of an address. Raises Unreadable within seconds where there is none."""
    if missing := missing_libraries("Spark", "spark", *MODULES):
        raise Unreadable(missing)
    from py4j.protocol import Py4JError

    if _connection.fits(engine):
        with suppress(Py4JError, OSError, EOFError):  # a driver that is ending is alive a little longer than its port
            return _connection.session.newSession()
    _connection.close()
    _connection.open(engine)
    return _connection.session.newSession()


class _Connection:
    """The driver of Spark that this process started, and the address that it was started for."""

    session: SparkSession
    """The first session, from which others are made."""

    def __init__(self) -> None:
        self._engine: EngineAddress | None = None
        self._driver: subprocess.Popen[bytes] | None = None

    def fits(self, engine: EngineAddress) -> bool:
        """Whether it is connected to an address, and still alive; what Sources may name is no part of a connection."""
        return self._engine == replace(engine, roots=()) and self._driver is not None and self._driver.poll() is None

    def open(self, engine: EngineAddress) -> None:
        """Start the driver, and wait until the cluster gives it an executor. Raises Unreadable."""
        local = _local_address(engine)
        home = os.environ.get("JAVA_HOME")
        if not (os.access(os.path.join(home, "bin", "java"), os.X_OK) if home else shutil.which("java")):
            place = f"JAVA_HOME, {home}" if home else "PATH"
            raise Unreadable(f"Spark needs Java, and there is none in {place}; install Java 17 or set JAVA_HOME")
        with tempfile.TemporaryDirectory(prefix="trialrun-spark-") as folder:
            log = os.path.join(folder, "log")
            try:
                gateway = _launch(engine, local, folder, log)
                self._driver = gateway.proc
                self.session = _connect(gateway, log, engine)
            except BaseException:
                self.close()
                raise
        self._engine = replace(engine, roots=())

    def close(self) -> None:
        """End the driver, if there is one, and have pyspark start a new one the next time."""
        connected, self._engine = self._engine is not None, None
        driver, self._driver = self._driver, None
        if driver is None:
            return
        if connected and driver.poll() is None:
            with suppress(Exception):
                self.session.stop()
        from pyspark import SparkContext
        from pyspark.sql import SparkSession

        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None
        driver.kill()
        driver.wait()


_connection = _Connection()
close_spark = _connection.close


def _local_address(engine: EngineAddress) -> str:
    """The address of this machine that the master sees. Raises Unreadable where no master answers."""
    parts = urlsplit(engine.address)
    master = (parts.hostname or "", parts.port or DEFAULT_PORT)
    try:
        with socket.create_connection(master, timeout=CONNECT_SECONDS) as connection:
            return str(connection.getsockname()[0])
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unreadable(
            f"no Spark master answers at {engine.address} ({reason}); start it, or fix the address"
        ) from error


def _launch(engine: EngineAddress, local: str, folder: str, log: str) -> Any:
    """The gateway to Spark's driver, once it is started. Raises Unreadable.

    Its home is that of pyspark: pyspark itself would look in the working directory first.
    """
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    own = {
        "spark.master": engine.address,
        "spark.driver.host": local,
        "spark.driver.bindAddress": local,
        "spark.sql.warehouse.dir": os.path.join(folder, "warehouse"),
    }
    secret = {"spark.authenticate.secret": engine.secret, **AUTHENTICATION} if engine.secret else {}
    file = os.path.join(folder, "settings")
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        for key, value in {**SETTINGS, **dict(engine.options), **own, **secret}.items():
            escaped = value.replace("\\", "\\\\").replace("\n", " ")
            stream.write(f"{key}={escaped}\n")
    specification = importlib.util.find_spec("pyspark")
    assert specification is not None
    variables: dict[str, str | None] = {
        "SPARK_HOME": os.environ.get("SPARK_HOME") or os.path.dirname(specification.origin or ""),
        "PYSPARK_SUBMIT_ARGS": f"--properties-file {shlex.quote(file)} pyspark-shell",
        **dict.fromkeys(CREDENTIALS),
    }
    with open(log, "wb") as output, _environment(variables):
        try:
            return launch_gateway(popen_kwargs={"stdout": output, "stderr": subprocess.STDOUT})
        except (PySparkRuntimeError, OSError) as error:
            lines = [line.strip() for line in _lines(log) if line.strip()]
            reason = lines[-1] if lines else "it gives no reason"
            raise Unreadable(f"Spark does not start: {reason}; check that Java 17 runs") from error


@contextmanager
def _environment(values: Mapping[str, str | None]) -> Iterator[None]:
    """Set variables for a while, or take away those that are None."""
    before = os.environ.copy()
    try:
        for name, value in values.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        yield
    finally:
        for name in values:
            os.environ.pop(name, None)
            if name in before:
                os.environ[name] = before[name]


def _connect(gateway: Any, log: str, engine: EngineAddress) -> SparkSession:
    """Register with the master, and wait for an executor. Raises Unreadable.

    Spark itself tries for a minute, whatever the reason is that it fails, and waits for an executor forever. So its
    driver is ended where its log says that it is refused, or where it takes too long.
    """
    from py4j.protocol import Py4JError
    from pyspark import SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    done, end = threading.Event(), time.monotonic() + START_SECONDS

    def watch() -> None:
        while not done.wait(POLL_SECONDS):
            if any(map(REFUSED.search, _lines(log))) or time.monotonic() > end:
                gateway.proc.kill()
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        context = SparkContext(gateway=gateway)
        context.setLogLevel("WARN")
        context.pythonExec = engine.python or os.environ.get("PYSPARK_PYTHON") or sys.executable
        session = SparkSession(context)
        _await_executor(session, engine)
        context.setLogLevel("OFF")
        return session
    except (Py4JError, PySparkException, OSError, EOFError):  # whose texts are Java's, and gone with the driver
        if any(map(REFUSED.search, _lines(log))):
            hint = "check" if engine.secret else "set"
            reason = f"refuses this program; {hint} TRIALRUN_ENGINE_SECRET, its secret"
        else:
            reason = (
                "does not register this program; check that it is a Spark master of version 4, and "
                "TRIALRUN_ENGINE_SECRET"
            )
        raise Unreadable(f"the Spark master at {engine.address} {reason}") from None
    finally:
        done.set()
        thread.join()


def _await_executor(session: SparkSession, engine: EngineAddress) -> None:
    end = time.monotonic() + EXECUTOR_SECONDS
    status = session.sparkContext._jsc.sc()
    while status.getExecutorMemoryStatus().size() < 2:  # the driver itself is among them
        if time.monotonic() > end:
            raise Unreadable(
                f"the Spark cluster at {engine.address} gives no executor; check that workers run, "
                "and have cores and memory free"
            )
        time.sleep(POLL_SECONDS)


def _lines(log: str) -> list[str]:
    with open(log, encoding="utf-8", errors="replace") as stream:
        return stream.readlines()
