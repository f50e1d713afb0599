"""Whatever is offered anywhere may be taken: what is written then is there, and no finding comes of it by itself."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lsp.completion.conftest import applied_configs
from tests.lsp.navigation.open_workspace import live
from trialrun.diagnostic import Path as Steps
from trialrun.lint.positions import find_value
from trialrun.lsp.features.completion import completion
from trialrun.lsp.results import Completion
from trialrun.lsp.server.requests import completion_list_of
from trialrun.lsp.server.text_documents import TextDocument
from trialrun.text import Source
from trialrun.workspace.open_workspace import OpenWorkspace
from trialrun.workspace.open_workspace.workspace_file import WorkspaceFile

FIXTURES = Path(__file__).parents[3] / "fixtures"
FILES = sorted(path for path in FIXTURES.rglob("*") if path.suffix in (".yaml", ".json") and path.stem != "utf-16")
TEXTS = {path: path.read_text(encoding="utf-8").removeprefix("\ufeff") for path in FILES if path.is_file()}
OUR_OWN = frozenset(["unknown-field", "unknown-enum-value", "unknown-kind", "unknown-time-zone", "union-conflict"])
"""Rules whose findings nobody wants to be led to; a value that is still to be written may well be missing."""


@contextmanager
def beside(file: Path) -> Iterator[OpenWorkspace]:
    """The workspace that a file is of; an empty one for a file by itself."""
    here, parts = Path.cwd(), file.relative_to(FIXTURES).parts
    with tempfile.TemporaryDirectory() as nothing:
        folder = str(FIXTURES / "workspaces" / parts[1]) if parts[0] == "workspaces" else nothing
        os.chdir(folder)
        try:
            yield live(Path(folder))
        finally:
            os.chdir(here)


def broken(data: st.DataObject, text: str, offset: int) -> tuple[str, int]:
    """A text as it may be while somebody types at an offset of it."""
    how = data.draw(st.sampled_from(["as it is", "cut off", "a line lost", "a line moved", "a new line"]))
    lines = text.split("\n")
    here = text.count("\n", 0, offset)
    if how == "cut off":
        return text[:offset], offset
    if how == "a new line":
        blank = lines[here][: len(lines[here]) - len(lines[here].lstrip())]
        lines.insert(here, blank)
        return "\n".join(lines), sum(len(line) + 1 for line in lines[:here]) + len(blank)
    if how == "as it is" or here + 1 >= len(lines):
        return text, offset
    below = data.draw(st.integers(here + 1, len(lines) - 1))
    lines[below : below + 1] = [] if how == "a line lost" else [lines[below][1:]]
    return "\n".join(lines), offset


def read(text: str, name: str) -> WorkspaceFile | None:
    """A text; None for one of which some cannot be read."""
    reading = WorkspaceFile(text.encode("utf-8", "surrogatepass"), name, lambda path: None)
    return None if {"syntax-error", "duplicate-key"} & {error.rule for error in reading.parsed.errors} else reading


def stands(text: str, name: str, one: Completion) -> bool:
    """Whether a document has what was taken, a key or a value, where it was written; where the text can be read."""
    reading = read(text, name)
    if reading is None:
        return True
    start = reading.source.offset(one.range.start)
    spot = reading.node_at(text.index(one.label, start) + 1) if one.label in text[start:] else None
    if spot is None or one.label.startswith("*"):
        return one.label.startswith("*") or one.label not in text[start:]
    if spot.is_key or one.kind == "field":
        return spot.is_key and spot.path[-1] == one.label
    return one.label in said(reading, spot.path, spot.document.value)


def said(reading: WorkspaceFile, path: Steps, value: object) -> str:
    found = find_value(value, path)
    return str(found).lower() if isinstance(found, bool) else str(found)


def inserted_as_it_is(text: str, one: Completion) -> str:
    """A text in which a client that knows neither snippets nor indentation writes a completion."""
    mapper = TextDocument(Source("a", text), "utf-32")
    cursor = {"line": 0, "character": 0}
    edit = completion_list_of({"isIncomplete": False, "items": [one]}, mapper, cursor, frozenset())["items"][0][
        "textEdit"
    ]
    start, end = mapper.offset(edit["range"]["start"]), mapper.offset(edit["range"]["end"])
    return text[:start] + edit["newText"] + text[end:]


def told(workspace: OpenWorkspace, file: str, text: str) -> Counter[str]:
    workspace.set_overlay(os.path.abspath(file), text.encode("utf-8", "surrogatepass"))
    rules = Counter(diagnostic.rule for diagnostic in workspace.diagnostics(file))
    return Counter({rule: count for rule, count in rules.items() if rule in OUR_OWN or rule == "syntax-error"})


@settings(derandomize=True)
@given(st.data())
def test_whatever_is_taken_stands_there_and_is_sound(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(TEXTS)))
    text, offset = broken(data, TEXTS[file], data.draw(st.integers(0, len(TEXTS[file]))))
    name = f"edited{file.suffix}"
    with beside(file) as workspace:
        workspace.set_overlay(os.path.abspath(name), text.encode("utf-8", "surrogatepass"))
        found = completion(workspace, name, offset)["items"]
        cursor = Source(name, text).position(offset)
        for one in found:
            assert one.range.start <= cursor <= one.range.end
            assert one.range.start.line == one.range.end.line
        if found:
            one = data.draw(st.sampled_from(found))
            before, after = told(workspace, name, text), applied_configs(text, one)
            if one.kind in ("field", "value", "zone", "name", "language"):
                assert stands(after, name, one), (text[:offset][-80:], one)
            assert after == inserted_as_it_is(text, one)
            worse = told(workspace, name, after) - before
            reading = read(text, name)  # what is none of ours yet is judged once it becomes a document of ours
            is_ours = reading is not None and bool(reading.resources)
            keeps_value = text[Source(name, text).offset(one.range.end) :].lstrip().startswith(":")  # of another key
            assert not is_ours or keeps_value or not worse, (text[:offset][-80:], one, worse)
