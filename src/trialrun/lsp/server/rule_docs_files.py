"""Pages of rules as files, which an editor can open: findings link to them."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory

from trialrun.cache_dir import cache_folder
from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.ipc.messages import Fault, Gone
from trialrun.lsp.ipc.supervisor import Worker


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a rule, and the address of a file with it."""

    address: str
    text: str


class Pages:
    """Written when a finding first links to them, into the user's cache folder, where they outlive the server.

    Where nothing can be written there, into a folder that goes with the server. A workspace has pages of its own, since
    it may have policies.
    """

    def __init__(self) -> None:
        self._linked: set[tuple[str, str]] = set()
        self._writing: set[asyncio.Task[None]] = set()
        self._home: str | None = None
        self._own: TemporaryDirectory[str] | None = None

    def link(self, worker: Worker, file: str, rule: str) -> str | None:
        """The address of the page of a rule that is known for a file; written soon, if it was not."""
        folder = self._folder(worker)
        if (folder, rule) not in self._linked:
            self._linked.add((folder, rule))
            task = asyncio.ensure_future(self._write(worker, file, rule, folder))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)
        return Path(_file(folder, rule)).as_uri()

    def forget(self) -> None:
        """Pages may be others, as after a change of the settings."""
        self._linked.clear()

    async def page(self, worker: Worker, file: str, rule: str) -> Page | None:
        """The page of a rule that is known for a file, written by now; None where there is none."""
        try:
            text = await asyncio.wrap_future(worker.ask("documentation", file, ("rule", rule)))
        except (Fault, Gone):
            return None
        if text is None:
            return None
        target = _file(self._folder(worker), rule)
        _put(target, text)
        return Page(Path(target).as_uri(), text)

    def clear(self) -> None:
        """The server ends."""
        if self._own is not None:
            self._own.cleanup()

    async def _write(self, worker: Worker, file: str, rule: str, folder: str) -> None:
        if await self.page(worker, file, rule) is None:
            self._linked.discard((folder, rule))

    def _folder(self, worker: Worker) -> str:
        if self._home is None:
            self._home = self._writable()
        workspace = hashlib.sha256(os.fsencode(worker.file_of(""))).hexdigest()[:12]
        return os.path.join(self._home, workspace)

    def _writable(self) -> str:
        home = os.path.abspath(os.path.join(cache_folder(), "pages"))
        try:
            os.makedirs(home, exist_ok=True)
            with tempfile.TemporaryFile(dir=home):
                return home
        except OSError:
            self._own = TemporaryDirectory(prefix="trialrun-")
            return self._own.name


def _file(folder: str, rule: str) -> str:
    name = re.sub(r"[^a-z0-9-]+", "-", rule.lower()).strip("-") or "page"
    return os.path.join(folder, f"{name}.md")


def _put(file: str, page: str) -> None:
    """Write a page whole, unless it is there; one that cannot be written is a link that leads nowhere, and no more."""
    data = page.encode("utf-8", "replace")
    try:
        if os.path.exists(file) and Path(file).read_bytes() == data:
            return
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(file), suffix=".tmp", delete=False) as new:
            new.write(data)
        os.replace(new.name, file)
    except OSError:
        return
