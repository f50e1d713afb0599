"""The numbers and texts of the Language Server Protocol 3.18 that this server uses, with the names of the protocol."""

from __future__ import annotations

from typing import Final


class SymbolKind:
    """Kinds of symbols."""

    File: Final = 1
    Module: Final = 2
    Namespace: Final = 3
    Class: Final = 5
    Field: Final = 8
    Enum: Final = 10
    Variable: Final = 13
    Constant: Final = 14
    Object: Final = 19
    Key: Final = 20
    EnumMember: Final = 22
    Struct: Final = 23
    Event: Final = 24


class CompletionItemKind:
    """Kinds of completions."""

    Function: Final = 3
    Field: Final = 5
    Variable: Final = 6
    Snippet: Final = 15
    File: Final = 17
    Reference: Final = 18
    EnumMember: Final = 20
    Constant: Final = 21
    Event: Final = 23


class MessageType:
    """Kinds of messages."""

    Error: Final = 1
    Warning: Final = 2
    Info: Final = 3


class DiagnosticSeverity:
    """Severities of diagnostics."""

    Error: Final = 1
    Warning: Final = 2
    Information: Final = 3


class DiagnosticTag:
    """Tags of diagnostics."""

    Unnecessary: Final = 1
    Deprecated: Final = 2


class FoldingRangeKind:
    """Kinds of folding ranges."""

    Comment: Final = "comment"
    Region: Final = "region"


ADJUST_INDENTATION: Final = 2
"""The insert text mode in which the client indents the lines of a text."""
SNIPPET_FORMAT: Final = 2
"""The format of a text with tab stops."""
DEPRECATED_ITEM: Final = 1
"""The tag of a deprecated completion."""
INCREMENTAL_SYNC: Final = 2
"""Documents are synchronized by changes."""
QUICK_FIX: Final = "quickfix"
SOURCE_FIX_ALL: Final = "source.fixAll"
