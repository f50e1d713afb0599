"""The names of a workspace: where each is declared and written, and which written one means which declared one."""

from trialrun.lsp.symbols.index import closure, declarations, mention_at, mentions, place_of, referring
from trialrun.lsp.symbols.occurrence import Mention, Sort

__all__ = ["Mention", "Sort", "closure", "declarations", "mention_at", "mentions", "place_of", "referring"]
