"""Scans the bytes of files for kinds of companion documents, without parsing."""

from __future__ import annotations

import re

from trialrun.model.kinds import KIND_FIELD, RESOURCES, near_kind
from trialrun.terraform import ModuleFile

COMPANION_KINDS = ("Brand", "Menu", "FeatureOnlineStore", "FeatureGroupTable", "Source", "SessionSchema")
"""The kinds of companion documents."""
ENTRY = re.compile(rb"kind[^A-Za-z].{0,200}?\b(%b)\b" % "|".join(COMPANION_KINDS).encode(), re.DOTALL)
"""A kind, with a line break, comment or anchor before its word."""
RESOURCE = re.compile(rb"""kind["']?: ?["']?(?:%b)["']?,?\r?\n""" % "|".join(RESOURCES).encode())
"""The kind of a resource as it is usually written, with nothing behind it, which is found fastest."""
ALIAS = re.compile(rb"""kind["']?\s*:\s*\*""")
TERRAFORM_TYPES = {
    b"google_vertex_ai_feature_online_store": "FeatureOnlineStore",
    b"google_vertex_ai_feature_group": "FeatureGroupTable",
    b"google_bigquery_table": "Source",
}
"""The types of resources of Terraform that are companion documents; the first is the beginning of that of a view."""
ESCAPED_ASCII = re.compile(rb"\\(?:(?:x|u00|U000000)[2-7]|\r?\n)")
"""An escape that may hide an ASCII letter."""
ESCAPE = re.compile(rb"\\[xuU/\r\n]")
"""An escape in a quoted text that may hide a letter of a name."""


def declared_kinds(data: bytes, *, by_path: str | None = None) -> set[str]:
    """The kinds of companion documents that a file may contain, without false negatives.

    `by_path` is the kind that the settings give to its path.
    """
    found = {by_path} & {*COMPANION_KINDS} if by_path else set[str]()
    if b"google_" in data:
        found |= {kind for word, kind in TERRAFORM_TYPES.items() if word in data}
    is_of_two_bytes = b"\x00" in data
    if is_of_two_bytes or (b"\\" in data and ESCAPED_ASCII.search(data)):
        return {*COMPANION_KINDS}
    at = data.find(b"kind")
    while at >= 0:  # much faster than searching for the whole pattern
        if RESOURCE.match(data, at):
            at = data.find(b"kind", at + 4)
            continue
        if ALIAS.match(data, at):
            return {*COMPANION_KINDS}
        if entry := ENTRY.match(data, at):
            found.add(entry[1].decode())
        if (entry := KIND_FIELD.match(data, at)) and (near := near_kind(entry[1].decode().strip())) in COMPANION_KINDS:
            found.add(near)
        at = data.find(b"kind", at + 4)
    return found


def may_hide_a_name(data: bytes) -> bool:
    """Whether a name may occur in a file in another spelling, or come from a file beside it."""
    return isinstance(data, ModuleFile) or b"\x00" in data or (b"\\" in data and ESCAPE.search(data) is not None)
