"""What a file may cost at most; more is refused as `resource-limit`."""

from typing import Final

MAX_DEPTH: Final = 100
"""Collections inside collections, per document."""

MAX_NODES: Final = 1_000_000
"""Keys with values and items of lists per document, every alias and merge key written out."""

MAX_DOCUMENTS: Final = 10_000
"""Documents of one file."""

MAX_BROKEN: Final = 50
"""Broken documents of one file that are read again."""
