"""Diagnostics of open documents and of other files, pushed or kept until requested, and the pages of their rules."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from trialrun.cache_dir import cache_dir
from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lsp.analysis.folder_analysis import FolderAnalysis
from trialrun.lsp.analysis.scheduling import BackgroundTask
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.text_documents import TextDocument, TextDocuments
from trialrun.lsp.server.workspace_folders import WorkspaceFolders

SEVERITIES: Final = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.NOTE: 3}
UNNECESSARY_TAG: Final = 1
DEPRECATED_TAG: Final = 2
DEPRECATED = frozenset({"deprecated-field", "deprecated-time-zone"})
UNNECESSARY = frozenset(
    [
        *("empty-sync-config", "expired-suppression", "frequency-never-used", "output-only-field"),
        *("rag-source-scheduled", "shadowed-channel-config", "skip-without-effect", "sync-without-source"),
        *("unreachable-upsell", "unused-channel-config", "unused-suppression", "useless-modifier-limit"),
    ]
)
"""Rules about parts without effect, which an editor fades."""
QUIET_PERIOD = 1.0
"""Seconds without changes before the diagnostics of a whole workspace are collected."""
Items = tuple[dict[str, Any], ...]


def protocol_diagnostic(
    diagnostic: Diagnostic, document: TextDocument, document_of: Callable[[str], TextDocument | None], link: str | None
) -> dict[str, Any]:
    """A diagnostic, with the link to its rule's page; its fingerprint is returned with code action requests.

    `document_of` has the documents of related locations, by their paths as they are shown.
    """
    item: dict[str, Any] = {
        "range": document.range_to_protocol(diagnostic.range),
        "message": diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\n{diagnostic.help}",
        "severity": SEVERITIES[diagnostic.severity],
        "code": diagnostic.rule,
    }
    if link is not None:
        item["codeDescription"] = {"href": link}
    item["source"] = "trialrun"
    if diagnostic.rule in DEPRECATED:
        item["tags"] = [DEPRECATED_TAG]
    elif diagnostic.rule in UNNECESSARY:
        item["tags"] = [UNNECESSARY_TAG]
    related_items: list[dict[str, Any]] = []
    for related in diagnostic.related:
        holder = document if related.path == diagnostic.path else document_of(related.path)
        if holder is not None:
            location = {"uri": holder.uri, "range": holder.range_to_protocol(related.range)}
            related_items.append({"location": location, "message": related.message})
    if related_items:
        item["relatedInformation"] = related_items
    item["data"] = {"fingerprint": diagnostic.fingerprint}
    return item


class DiagnosticReport(NamedTuple):
    """The diagnostics of a revision of a document; equal ones have an equal `result_id`."""

    revision: int
    items: Items
    result_id: str


def report_of(items: Items, revision: int = 0) -> DiagnosticReport:
    """A report, with an id by which a client says that it has these diagnostics already."""
    digest = hashlib.sha256(repr(items).encode("utf-8", "surrogatepass")).hexdigest()
    return DiagnosticReport(revision, items, digest[:16])


class DiagnosticPublisher:
    """Pushes diagnostics until the client requests some; from then on it is only told when to request them again."""

    def __init__(self, documents: TextDocuments, client: Connection) -> None:
        self._documents = documents
        self._client = client
        self.is_pulled = False
        self.pushed: set[str] = set()
        self._reports: dict[str, DiagnosticReport] = {}
        self._returned: dict[str, DiagnosticReport] = {}
        self.has_news = False
        """Whether requests that wait for diagnostics are to be answered again."""

    def publish(self, document: TextDocument, items: Items) -> None:
        """Publish the diagnostics of a document as it is now."""
        report = self._reports[document.file] = report_of(items, document.revision)
        self.has_news = True
        if not self.is_pulled:
            self.push(document.uri, items, version=document.version)
            return
        returned = self._returned.get(document.file)
        if returned and returned.revision == report.revision and returned != report:
            self._client.request("workspace/diagnostic/refresh")

    def forget(self, closed: TextDocument) -> None:
        """A document was closed: the client shows no diagnostics of it."""
        self._reports.pop(closed.file, None)
        self._returned.pop(closed.file, None)
        self.has_news = True
        self.retract([closed.uri])

    def pull(self, document: TextDocument) -> DiagnosticReport | None:
        """The diagnostics of a document as it is now; None if they are not known yet."""
        self.stop_pushing()
        report = self._reports.get(document.file)
        if report is None or report.revision != document.revision:
            return None
        self._returned[document.file] = report
        return report

    def stop_pushing(self) -> None:
        """The client requests diagnostics: stop pushing, and retract what was pushed."""
        self.is_pulled = True
        self.retract(self.pushed)

    def push(self, uri: str, items: Items, **version: int | None) -> None:
        """Send all diagnostics of a file, open or not."""
        self.pushed.add(uri)
        self._client.notify("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": items, **version})

    def retract(self, uris: Iterable[str]) -> None:
        """Send that files have no diagnostics, those of which some were pushed."""
        for uri in sorted(self.pushed.intersection(uris)):
            self.push(uri, ())
            self.pushed.discard(uri)


class WorkspaceDiagnostics:
    """Collects the diagnostics of the workspaces in quiet periods, as long as somebody wants them.

    Either the client requests them, and its request waits until they change, or they are pushed. Files without
    diagnostics are omitted. `enabled` is the option of the user; None means that the client decides by requesting them.
    """

    def __init__(
        self,
        documents: TextDocuments,
        folders: WorkspaceFolders,
        publisher: DiagnosticPublisher,
        convert: Callable[[FolderAnalysis, str, Iterable[Diagnostic]], Items],
    ) -> None:
        self.enabled: bool | None = None
        self._documents = documents
        self._folders = folders
        self._publisher = publisher
        self._convert = convert
        self._reports: dict[str, DiagnosticReport] = {}
        self.collecting = BackgroundTask(self._collect)
        self._is_collected = False
        self._is_requested = False
        self._has_responded = False

    @property
    def is_pushed(self) -> bool:
        """Whether the user wants them pushed, and the client does not request them."""
        return self.enabled is True and not self._publisher.is_pulled

    @property
    def is_wanted(self) -> bool:
        """Whether the client has requested them, or the user wants them pushed."""
        return self.is_pushed or self._is_requested

    def schedule(self) -> None:
        """Something has changed: collect after a quiet period."""
        self.collecting.schedule(QUIET_PERIOD)

    def pull(self, previous: Mapping[str, str]) -> list[dict[str, Any]] | None:
        """The reports that differ from the client's previous result ids, by URI; None to wait for some."""
        self._is_requested = True
        if not self._is_collected:
            if self.collecting.is_idle:
                self.schedule()
            return None
        reports = self._new_reports(previous)
        if not reports and self._has_responded:
            return None
        self._has_responded = True
        return reports

    def wake(self) -> None:
        """The options changed: waiting requests check again."""
        if self.is_wanted:
            self.schedule()
        if self.enabled is not True:
            self._retract_all_but(())
        self._publisher.has_news = True

    def _collect(self) -> Iterator[None]:
        reports: dict[str, DiagnosticReport] = {}
        for analysis in self._folders.all():
            found = analysis.result("workspace_diagnostics", analysis.absolute_path(""))
            for path, diagnostics in (found or {}).items():
                file = analysis.absolute_path(path)
                if diagnostics and self._folders.of(file) is analysis:
                    reports[file] = report_of(self._convert(analysis, file, diagnostics))
                    yield
        self._reports, self._is_collected = reports, True
        self._publisher.has_news = True
        if self.is_pushed:
            self._push_all()

    def _closed(self) -> dict[str, DiagnosticReport]:
        """The reports by URI of files that are not open; those of open documents are requested or pushed by them."""
        documents = self._documents
        return {documents.uri(file): report for file, report in self._reports.items() if documents.of(file) is None}

    def _new_reports(self, previous: Mapping[str, str]) -> list[dict[str, Any]]:
        """The reports of files of which the client has other diagnostics."""
        by_uri = {} if self.enabled is False else self._closed()
        reports: list[dict[str, Any]] = []
        for uri in dict.fromkeys([*by_uri, *previous]):
            report = by_uri.get(uri)
            result_id = report.result_id if report else None
            if self._documents.at(uri) is None and result_id != previous.get(uri):
                items = report.items if report else ()
                known = {"resultId": result_id} if report else {}
                reports.append({"uri": uri, "items": items, "version": None, "kind": "full", **known})
        return reports

    def _push_all(self) -> None:
        by_uri = self._closed()
        self._retract_all_but(by_uri)
        for uri, report in by_uri.items():
            self._publisher.push(uri, report.items)

    def _retract_all_but(self, kept: Collection[str]) -> None:
        """Retract what was pushed of files that are not open."""
        pushed = self._publisher.pushed
        self._publisher.retract([uri for uri in pushed if uri not in kept and self._documents.at(uri) is None])


class RuleDocsFiles:
    """Writes pages when a diagnostic first links to them, into the user's cache folder, where they outlive the server.

    If the cache folder is not writable, they are in a temporary folder. A workspace has its own pages, since it may
    have policies.
    """

    def __init__(self) -> None:
        self._linked: set[tuple[str, str]] = set()
        self._unwritten: dict[tuple[str, str], tuple[FolderAnalysis, str, str]] = {}
        self.writing = BackgroundTask(self._write_all)
        self._root: str | None = None
        self._temporary: TemporaryDirectory[str] | None = None

    def link(self, analysis: FolderAnalysis, file: str, rule: str) -> str | None:
        """The URI of the page of a rule for a file; it is written in the background."""
        folder = self._folder(analysis)
        if (folder, rule) not in self._linked:
            self._linked.add((folder, rule))
            self._unwritten[folder, rule] = analysis, file, rule
            self.writing.schedule(0.0)
        return Path(_file(folder, rule)).as_uri()

    def invalidate(self) -> None:
        """Write the pages again, as after a change of the settings."""
        self._linked.clear()

    def write(self, analysis: FolderAnalysis, file: str, rule: str) -> tuple[str, str] | None:
        """Write the page of a rule for a file; the URI and the text of the page, None if there is no such rule."""
        folder = self._folder(analysis)
        text = analysis.result("completion_resolve", file, ("rule", rule))
        if text is None:
            self._linked.discard((folder, rule))
            return None
        target = _file(folder, rule)
        _write_file(target, text)
        return Path(target).as_uri(), text

    def _write_all(self) -> Iterator[None]:
        while self._unwritten:
            self.write(*self._unwritten.pop(next(iter(self._unwritten))))
            yield

    def remove(self) -> None:
        """Remove the temporary folder."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def _folder(self, analysis: FolderAnalysis) -> str:
        if self._root is None:
            self._root = self._writable_root()
        workspace = hashlib.sha256(os.fsencode(analysis.absolute_path(""))).hexdigest()[:12]
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
