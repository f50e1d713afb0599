"""What Spark says when it fails, in one line and without the stack of Java."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from trialrun.runtime.feature_view.source.location import Unreadable

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
        raise Unreadable(_message(error, folders)) from None
    except (ConnectionError, EOFError):
        raise Unreadable("Spark's driver process ended; sync again") from None


def _message(error: Exception, folders: Iterable[str]) -> str:
    texts = list(_texts(error))
    whole = "\n".join(texts)
    if LOST.search(whole):
        return "Spark lost its executors or its master; what was served before still is; sync again"
    if OUT_OF_MEMORY.search(whole):
        return "an executor of Spark has too little memory; raise spark.executor.memory in the options of the engine"
    reason = _first_line(texts)
    for folder in folders:
        reason = reason.replace(f"file://{folder}/", "").replace(f"file:{folder}/", "").replace(f"{folder}/", "")
    return f"Spark: {reason[:MAX_LENGTH]}"


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


def _first_line(texts: Iterable[str]) -> str:
    for text in texts:
        for line in text.splitlines():
            plain = ERROR_CLASS.sub("", NOISE.sub("", line.strip())).strip()
            if plain and not plain.startswith("at "):
                return plain[:1].lower() + plain[1:] if not plain[:2].isupper() else plain
    return "it gives no reason"
