"""The kinds of the protocol for the names that a workspace declares."""

from __future__ import annotations

from typing import get_args

from trialrun.lsp.server.requests import SYMBOL_KINDS
from trialrun.lsp.symbols.occurrence import NameKind


def test_every_kind_of_name_has_one() -> None:
    assert {*SYMBOL_KINDS, "bound variable"} == {*get_args(NameKind)}  # variables of macros are no symbols
