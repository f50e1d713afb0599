"""Pages of rules as files, to which diagnostics link (codeDescription.href)."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trialrun.cache_dir import cache_dir
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor


class RuleDocsFiles:
    """Writes pages when a diagnostic first links to them, into the user's cache folder, where they outlive the server.

    If the cache folder is not writable, they are in a temporary folder. A workspace has its own pages, since it may
    have policies.
    """

    def __init__(self) -> None:
        self._linked: set[tuple[str, str]] = set()
        self._writing: set[asyncio.Task[Any]] = set()
        self._root: str | None = None
        self._temporary: TemporaryDirectory[str] | None = None

    def link(self, supervisor: AnalysisSupervisor, file: str, rule: str) -> str | None:
        """The URI of the page of a rule for a file; it is written in the background."""
        folder = self._folder(supervisor)
        if (folder, rule) not in self._linked:
            self._linked.add((folder, rule))
            task = asyncio.ensure_future(self.write(supervisor, file, rule))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)
        return Path(_file(folder, rule)).as_uri()

    def invalidate(self) -> None:
        """Write the pages again, as after a change of the settings."""
        self._linked.clear()

    async def write(self, supervisor: AnalysisSupervisor, file: str, rule: str) -> tuple[str, str] | None:
        """Write the page of a rule for a file; the URI and the text of the page, None if there is no such rule."""
        folder = self._folder(supervisor)
        text = await supervisor.result("completion_resolve", file, ("rule", rule))
        if text is None:
            self._linked.discard((folder, rule))
            return None
        target = _file(folder, rule)
        _write_file(target, text)
        return Path(target).as_uri(), text

    def remove(self) -> None:
        """Remove the temporary folder."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def _folder(self, supervisor: AnalysisSupervisor) -> str:
        if self._root is None:
            self._root = self._writable_root()
        workspace = hashlib.sha256(os.fsencode(supervisor.absolute_path(""))).hexdigest()[:12]
        return os.path.join(self._root, workspace)

    def _writable_root(self) -> str:
        root = os.path.abspath(os.path.join(cache_dir(), "pages"))
        try:
            os.makedirs(root, exist_ok=True)
            with tempfile.TemporaryFile(dir=root):
                return root
        except OSError:
            self._temporary = TemporaryDirectory(prefix="trialrun-")
            return self._temporary.name


def _file(folder: str, rule: str) -> str:
    name = re.sub(r"[^a-z0-9-]+", "-", rule.lower()).strip("-") or "page"
    return os.path.join(folder, f"{name}.md")


def _write_file(file: str, text: str) -> None:
    """Write a page atomically, unless it is unchanged; an error only leaves a dead link."""
    data = text.encode("utf-8", "replace")
    try:
        if os.path.exists(file) and Path(file).read_bytes() == data:
            return
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(file), suffix=".tmp", delete=False) as new:
            new.write(data)
        os.replace(new.name, file)
    except OSError:
        return
