"""The lock of a view: one sync at a time, wherever it runs; it expires when its owner dies, and is renewed until then.

An owner that was asleep for longer than the lock lives cannot serve anything: the switch asks for the lock, in the same
step. A dead owner on this machine is told at once, by its process. The Lock of redis-py does not fit: where the answer
to its SET is lost, it takes its own lock for that of another, and it does not wait for a replica.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store.interface import SyncRunning
from trialrun.runtime.feature_view.store.redis.nodes import Command, script_command
from trialrun.runtime.feature_view.store.redis.served_view import ViewKeys
from trialrun.runtime.feature_view.store.value_codec import from_microseconds, to_microseconds

LIFETIME = 10_000
"""Milliseconds after which a lock ends that is not renewed."""
UNLOCK = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0"
RENEW = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0"


class ViewLock:
    """The lock of a view: its text, which nobody else has, and whether it is known to be lost."""

    def __init__(self, keys: ViewKeys, text: bytes) -> None:
        self.nodes, self.view, self.key = keys.nodes, keys.view, keys.of_view("lock")
        self.text, self.is_lost = text, False

    def require(self, *, is_ours: bool = True) -> None:
        """See that the lock was not lost, while its owner was asleep or cut off. Raises StoreError."""
        if self.is_lost or not is_ours:
            raise StoreError(
                f'the lock of "{self.view}" was lost while it was synced; what was served before still is; sync again'
            )

    def release(self) -> None:
        """Give the lock back: a switch that is still on its way cannot be made from then on. Raises StoreError."""
        self.nodes.run([script_command(UNLOCK, [self.key], self.text)])


@contextmanager
def hold_lock(keys: ViewKeys, since: datetime, *, patience: float = 0) -> Iterator[ViewLock]:
    """Hold the lock of a view. Raises SyncRunning where another sync does, for so many seconds."""
    owner = {
        "token": secrets.token_hex(16),
        "since": to_microseconds(since),
        "process": os.getpid(),
        "started": _process_start(os.getpid()),
        "machine": _machine(),
        "host": socket.gethostname(),
    }
    lock = ViewLock(keys, json.dumps(owner).encode())
    end = time.monotonic() + patience
    while True:
        commands: list[Command] = [("SET", lock.key, lock.text, "NX", "PX", LIFETIME), ("GET", lock.key)]
        set_now, holder = keys.nodes.run(commands, durable=True)
        if set_now or holder == lock.text:
            break
        if holder and _is_dead(holder):
            keys.nodes.run([script_command(UNLOCK, [lock.key], holder)])
        elif holder and time.monotonic() >= end:
            raise SyncRunning(f'a sync of "{keys.view}" is running{_describe(holder)}; wait until it ends')
        elif holder:
            time.sleep(0.02)
    over = threading.Event()
    renewal = threading.Thread(target=_renew, args=(lock, over), daemon=True)
    renewal.start()
    try:
        yield lock
    finally:
        over.set()
        with suppress(StoreError):  # it expires
            lock.release()
        renewal.join(timeout=1)


def _renew(lock: ViewLock, over: threading.Event) -> None:
    """Renew a lock until it is given back; it is lost when another one has it, or none for as long as it lives."""
    renewed = time.monotonic()
    while not over.wait(LIFETIME / 4000) and not lock.is_lost:
        try:
            if not lock.nodes.run([script_command(RENEW, [lock.key], lock.text, LIFETIME)])[0]:
                lock.is_lost = True
            renewed = time.monotonic()
        except StoreError:
            if (time.monotonic() - renewed) * 1000 > LIFETIME:
                lock.is_lost = True


def _is_dead(holder: bytes) -> bool:
    """Whether the owner of a lock was a process of this machine that is gone."""
    with suppress(ValueError, KeyError, TypeError):
        owner: dict[str, Any] = json.loads(holder)
        process, started, machine = int(owner["process"]), owner["started"], _machine()
        return bool(machine and owner["machine"] == machine and started and _process_start(process) != started)
    return False


def _describe(holder: bytes) -> str:
    """Since when a lock is held, and by whom, as far as it says so."""
    with suppress(ValueError, KeyError, TypeError, OverflowError):
        owner: dict[str, Any] = json.loads(holder)
        where = "" if owner["host"] == socket.gethostname() else f" of {owner['host']}"
        since = from_microseconds(int(owner["since"]))
        return f" since {since:%Y-%m-%d %H:%M:%S} UTC, by process {owner['process']}{where}"
    return ""


def _machine() -> str:
    """What tells this machine, and the part of it whose processes we see, from any other; empty where nothing does."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _process_start(process: int) -> str:
    """When a process of this machine was started; empty for one that is gone, or a zombie."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(") ")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[19]
