"""Text back to the bytes that it was read from: the same encoding, the same byte order mark."""

from __future__ import annotations

from trialrun.text import Source


def encode(source: Source) -> bytes:
    """The bytes of a text, as `decode` found it written."""
    return source.raw.encode(source.encoding, "surrogatepass")
