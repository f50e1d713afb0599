"""What responses to requests for language features consist of; see `types` for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.server.types import (
    Command,
    Json,
    Location,
    MarkupContent,
    Position,
    Range,
    TextEdit,
    WorkspaceEdit,
)


@dataclass(slots=True)
class Hover:
    """A hover."""

    contents: MarkupContent
    range: Range | None = None


@dataclass(slots=True)
class CodeLens:
    """A line above a range."""

    range: Range
    command: Command | None = None


@dataclass(slots=True)
class InlayHint:
    """A short text before a position."""

    position: Position
    label: str
    tooltip: MarkupContent | None = None
    padding_left: bool | None = None


@dataclass(slots=True)
class FoldingRange:
    """Lines that fold into the first of them."""

    start_line: int
    end_line: int
    kind: str | None = None


@dataclass(slots=True)
class PrepareRenamePlaceholder:
    """A name that can be changed."""

    range: Range
    placeholder: str


@dataclass(slots=True)
class DocumentSymbol:
    """A part of a document, with its own parts."""

    name: str
    kind: int
    range: Range
    selection_range: Range
    detail: str | None = None
    children: Sequence[DocumentSymbol] | None = None


@dataclass(slots=True)
class SymbolInformation:
    """A symbol and its location."""

    location: Location
    name: str
    kind: int
    container_name: str | None = None


@dataclass(slots=True)
class CodeActionDisabled:
    """Why an action cannot be done."""

    reason: str


@dataclass(slots=True)
class CodeAction:
    """Something that can be done about diagnostics; these are as the client sent them."""

    title: str
    kind: str | None = None
    diagnostics: Sequence[Json] | None = None
    is_preferred: bool | None = None
    disabled: CodeActionDisabled | None = None
    edit: WorkspaceEdit | None = None
    command: Command | None = None


@dataclass(slots=True)
class InsertReplaceEdit:
    """A text for one of two ranges, which the client chooses from."""

    new_text: str
    insert: Range
    replace: Range


@dataclass(slots=True)
class EditRangeWithInsertReplace:
    """Two ranges that the client chooses from."""

    insert: Range
    replace: Range


@dataclass(slots=True)
class CompletionItem:
    """A completion."""

    label: str
    kind: int | None = None
    tags: Sequence[int] | None = None
    detail: str | None = None
    sort_text: str | None = None
    insert_text_format: int | None = None
    insert_text_mode: int | None = None
    text_edit: TextEdit | InsertReplaceEdit | None = None
    text_edit_text: str | None = None
    data: Json = None


@dataclass(slots=True)
class CompletionItemDefaults:
    """What all items of a list share."""

    edit_range: Range | EditRangeWithInsertReplace | None = None


@dataclass(slots=True)
class CompletionList:
    """Completions."""

    is_incomplete: bool
    items: Sequence[CompletionItem]
    item_defaults: CompletionItemDefaults | None = None
