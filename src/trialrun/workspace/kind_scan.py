"""Files that say what there is: told from their bytes, before anything is parsed."""

from __future__ import annotations

import re

from trialrun.model.kinds import KIND_FIELD, near_kind

COMPANION_KINDS = ("Brand", "Menu", "FeatureOnlineStore", "FeatureGroupTable", "Source")
"""The kinds of companion documents that say what there is."""
ENTRY = re.compile(rb"kind[^A-Za-z].{0,200}?\b(%b)\b" % "|".join(COMPANION_KINDS).encode(), re.DOTALL)
"""A kind, with room for what may be before its word: a line break, a comment, an anchor."""
ALIAS = re.compile(rb"""kind["']?\s*:\s*\*""")
ESCAPED_ASCII = re.compile(rb"\\(?:x|u00|U000000)[2-7]|\\\r?\n|\x00")
"""An escape that may hide a letter of a word in ASCII, or an encoding of two bytes a character."""
ESCAPE = re.compile(rb"\\[xuU/\r\n]")
"""An escape in a text with quotes that may hide a letter of a name."""


def declared_kinds(data: bytes, *, by_path: str | None = None) -> set[str]:
    """The kinds of DECLARING that a file may have documents of: never one too few.

    `by_path` is the kind that the settings give to its path.
    """
    found = {by_path} & {*COMPANION_KINDS} if by_path else set[str]()
    if (b"\\" in data or b"\x00" in data) and ESCAPED_ASCII.search(data):
        return {*COMPANION_KINDS}
    at = data.find(b"kind")
    while at >= 0:  # found so, the word costs a fraction of what a search for the whole pattern does
        if ALIAS.match(data, at):
            return {*COMPANION_KINDS}
        if entry := ENTRY.match(data, at):
            found.add(entry[1].decode())
        if (entry := KIND_FIELD.match(data, at)) and (near := near_kind(entry[1].decode().strip())) in COMPANION_KINDS:
            found.add(near)
        at = data.find(b"kind", at + 4)
    return found


def may_hide_a_name(data: bytes) -> bool:
    """Whether a name may be in a file otherwise than letter by letter."""
    return b"\x00" in data or (b"\\" in data and ESCAPE.search(data) is not None)
