"""What an estimate is of: the resources of this machine, the executors of a cluster, and the figures of each engine."""

from __future__ import annotations

import shutil
import tempfile

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.table_size import Range
from trialrun.runtime.limits import sync_limits
from trialrun.runtime.options import Options
from trialrun.values.memory import format_bytes, parse_bytes


@dataclass(frozen=True, slots=True)
class Resources:
    """What a sync may take on a machine: bytes of memory, and the most that `memory-limit` can be; threads, and the
    most; bytes that are free where stores are and where engines spill."""

    memory_limit: int
    most_memory: int
    threads: int
    most_threads: int
    free_store: int
    free_spill: int


@dataclass(frozen=True, slots=True)
class Executors:
    """Executors of a Spark cluster: how many, the cores and the bytes of memory of each."""

    count: int
    cores: int
    memory: int

    @property
    def all_cores(self) -> int:
        """The cores of all executors."""
        return self.count * self.cores

    @property
    def title(self) -> str:
        """The executors in words."""
        cores = f"{self.cores} core{'' if self.cores == 1 else 's'}"
        noun = "executor" if self.count == 1 else "executors"
        return f"Spark ({self.count:,} {noun} of {cores} and {format_bytes(self.memory)})"


@dataclass(frozen=True, slots=True)
class EngineEstimate:
    """What a sync takes on an engine: seconds, bytes of memory and of disk, and how many of these are spilled; all
    None where nothing short of reading the rows would tell."""

    engine: str
    seconds: Range | None
    memory: Range | None
    disk: Range | None
    spilled: Range | None = None


@dataclass(frozen=True, slots=True)
class StoreEstimate:
    """What the values take in a store: bytes with the old snapshot beside the new one, and seconds of writing them."""

    store: str
    bytes: Range | None
    seconds: Range | None


def machine_resources(options: Options, store_folder: str) -> Resources:
    """The resources of this machine for a sync with some options, into a store below a folder."""
    limits = sync_limits()
    return Resources(
        parse_bytes(options.memory_limit) or limits.memory,
        limits.memory,
        min(options.threads or limits.max_threads, limits.max_threads),
        limits.max_threads,
        shutil.disk_usage(store_folder).free,
        shutil.disk_usage(tempfile.gettempdir()).free,
    )
