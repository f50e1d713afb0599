"""What a client gets for each question, in three encodings.

The texts start with a byte order mark, their lines end in CR LF, and characters beyond the basic plane and tabs stand
before what is asked about.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.cases import first_of
from tests.lsp.client import LIMIT, Editor, able_to, after, at, covered, edited

MENU = '\ufeffkind: Menu\r\nbrand: north\r\nitems:\r\n  - {id: "🍔\tB", name: 🍟 Fries}\r\n'
CONFIG = (
    '\ufeff{kind: ChannelConfig, displayName: "🍔\t🍟", type: UPSELL_STRATEGY,\r\n'
    "  name: projects/p/locations/l/brands/north/channelConfigs/lunch,\r\n"
    "  operationsConfig: {upsellStrategy: {upsells: [\r\n"
    '    {displayName: "🍔🍔", priority: 1, celUpsell: {suggestedMenuItems: [🍟 Fries], triggerReason: "🍟",'
    " conditionExpression: order.total > 10.0}}\r\n"
    "  ]}}}\r\n"
)
BRAND = (
    "\ufeffkind: Brand\r\nname: projects/p/locations/l/brands/north\r\nbindings:\r\n"
    '  - {rule: "🍔", channelConfig: lunch, stores: {names: [pier]}}\r\n'
    "stores:\r\n  - {name: projects/p/locations/l/brands/north/stores/pier}\r\n"
)
VIEW = (
    "\ufeff{kind: FeatureView, name: projects/p/locations/l/featureOnlineStores/s/featureViews/v,\r\n"
    '  labels: {note: "🍔", Team: x}, syncConfig: {cron: 0 3 * * *},\r\n'
    "  warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}}\r\n"
)
TEXTS = {"menu.yaml": MENU, "config.yaml": CONFIG, "brand.yaml": BRAND, "view.yaml": VIEW}
WHOLE = types.Range(types.Position(0, 0), types.Position(99, 0))
FRIES = "🍟 Fries"


class Answers:
    """A server that counts in an encoding and has all texts open; each answer is asked for once."""

    def __init__(self, encoding: str, loop: asyncio.AbstractEventLoop, editor: Editor) -> None:
        self.encoding = encoding
        self.editor = editor
        self._loop = loop

    def to(self, question: Callable[[Editor], Awaitable[Any]]) -> Any:
        """The answer to a question."""
        return self._loop.run_until_complete(asyncio.wait_for(question(self.editor), LIMIT))

    def at(self, name: str, words: str, *, after: int = 0) -> dict[str, Any]:
        """A place of a text, as parameters of a question."""
        return {
            "text_document": self.editor.document(name),
            "position": at(TEXTS[name], words, self.encoding, after=after),
        }

    def covered(self, name: str, range_: types.Range) -> str:
        return covered(TEXTS[name], range_, self.encoding)


@pytest.fixture(scope="module", params=first_of(["utf-8", "utf-16", "utf-32"]))
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("town")
    for name, text in TEXTS.items():
        (folder / name).write_bytes(text.encode())
    loop = asyncio.new_event_loop()
    session = edited(folder, able_to(request.param), "--at", "2026-11-20T12:00:00Z")
    editor = loop.run_until_complete(session.__aenter__())
    for name, text in TEXTS.items():
        editor.open(name, text)
    loop.run_until_complete(editor.findings("view.yaml", "invalid-label", "invalid-label"))
    yield Answers(request.param, loop, editor)
    loop.run_until_complete(session.__aexit__(None, None, None))
    loop.close()


def test_findings(answers: Answers) -> None:
    value, key = answers.editor.published[answers.editor.uri("view.yaml")][-1].diagnostics
    assert (answers.covered("view.yaml", value.range), answers.covered("view.yaml", key.range)) == ('"🍔"', "Team")
    assert key.range.start == at(VIEW, "Team: x", answers.encoding)


def test_hover(answers: Answers) -> None:
    question = types.HoverParams(**answers.at("view.yaml", "0 3", after=1))
    hover = answers.to(lambda editor: editor.client.text_document_hover_async(question))
    assert answers.covered("view.yaml", hover.range) == "0 3 * * *"


def test_completion(answers: Answers) -> None:
    question = types.CompletionParams(**answers.at("config.yaml", FRIES, after=3))
    found = answers.to(lambda editor: editor.client.text_document_completion_async(question))
    (fries,) = [item for item in found.items if FRIES in item.label]
    assert answers.covered("config.yaml", fries.text_edit.range) in (FRIES, FRIES[:3])


def test_inlay_hints(answers: Answers) -> None:
    question = types.InlayHintParams(answers.editor.document("view.yaml"), WHOLE)
    hints = answers.to(lambda editor: editor.client.text_document_inlay_hint_async(question))
    assert [hint.position for hint in hints] == [at(VIEW, "},\r\n  warehouse", answers.encoding)]


def test_code_lenses(answers: Answers) -> None:
    question = types.CodeLensParams(answers.editor.document("view.yaml"))
    lenses = answers.to(lambda editor: editor.client.text_document_code_lens_async(question))
    assert lenses
    assert all(answers.covered("view.yaml", lens.range) for lens in lenses)


def test_document_symbols(answers: Answers) -> None:
    question = types.DocumentSymbolParams(answers.editor.document("menu.yaml"))
    (menu,) = answers.to(lambda editor: editor.client.text_document_document_symbol_async(question))
    (items,) = [child for child in menu.children if child.name == "items"]
    (fries,) = items.children
    assert fries.name == FRIES
    assert answers.covered("menu.yaml", fries.range) == '{id: "🍔\tB", name: 🍟 Fries}'


def test_folding(answers: Answers) -> None:
    question = types.FoldingRangeParams(answers.editor.document("config.yaml"))
    folds = answers.to(lambda editor: editor.client.text_document_folding_range_async(question))
    assert (2, 4) in [(fold.start_line, fold.end_line) for fold in folds]


def test_definition(answers: Answers) -> None:
    question = types.DefinitionParams(**answers.at("config.yaml", FRIES))
    (found,) = answers.to(lambda editor: editor.client.text_document_definition_async(question))
    assert (found.uri, answers.covered("menu.yaml", found.range)) == (answers.editor.uri("menu.yaml"), FRIES)


def test_references(answers: Answers) -> None:
    question = types.ReferenceParams(types.ReferenceContext(True), **answers.at("menu.yaml", FRIES))
    found = answers.to(lambda editor: editor.client.text_document_references_async(question))
    names = [one.uri.rpartition("/")[2] for one in found]
    assert [(name, answers.covered(name, one.range)) for name, one in zip(names, found, strict=True)] == [
        ("config.yaml", FRIES),
        ("menu.yaml", "🍔\tB"),
        ("menu.yaml", FRIES),
    ]


def test_what_a_rename_would_change(answers: Answers) -> None:
    question = types.PrepareRenameParams(**answers.at("config.yaml", FRIES))
    found = answers.to(lambda editor: editor.client.text_document_prepare_rename_async(question))
    assert (answers.covered("config.yaml", found.range), found.placeholder) == (FRIES, FRIES)


def test_rename(answers: Answers) -> None:
    question = types.RenameParams(new_name="🍕🍕", **answers.at("config.yaml", FRIES))
    edit = answers.to(lambda editor: editor.client.text_document_rename_async(question))
    for name, text in (("config.yaml", CONFIG), ("menu.yaml", MENU)):
        edits = edit.changes[answers.editor.uri(name)]
        assert after(text, edits, answers.encoding) == text.replace(FRIES, "🍕🍕")


def test_code_actions(answers: Answers) -> None:
    context = types.CodeActionContext([], only=[types.CodeActionKind.QuickFix])
    question = types.CodeActionParams(answers.editor.document("view.yaml"), WHOLE, context)
    actions = answers.to(lambda editor: editor.client.text_document_code_action_async(question))
    edits = [action.edit for action in actions if isinstance(action, types.CodeAction) and action.edit]
    texts = [after(VIEW, edit.changes[answers.editor.uri("view.yaml")], answers.encoding) for edit in edits]
    assert VIEW.replace("Team", "team") in texts
    assert any("# trialrun: ignore[invalid-label] <reason>\r\n" in text for text in texts)


def test_workspace_symbols(answers: Answers) -> None:
    question = types.WorkspaceSymbolParams("frs")
    (found,) = answers.to(lambda editor: editor.client.workspace_symbol_async(question))
    assert (found.name, found.location.uri) == (FRIES, answers.editor.uri("menu.yaml"))
    assert answers.covered("menu.yaml", found.location.range) == FRIES
