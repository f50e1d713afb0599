"""Placeholders of templates that nothing filled in, as they look in texts of any language."""

from __future__ import annotations

import re

PLACEHOLDER = re.compile(r"\$\{[^{}]*\}|\{\{[^{}]*\}\}|\$\([A-Za-z_]\w*\)")
"""Placeholders that their marks tell from ordinary text: `${LIMIT}`, `{{ limit }}`, `$(LIMIT)`."""

_stand_in = re.compile(r"(\$\{[^{}@]*)@[^{}]*\}")


def has_placeholder(text: str) -> bool:
    """Whether something in a text is still to be filled in."""
    return ("{" in text or "$(" in text) and PLACEHOLDER.search(text) is not None


def has_stand_in(name: str) -> bool:
    """Whether a part of a resource name is known to Terraform alone, and stands as its source text with its folder."""
    return "@" in name and "${" in name


def shown_name(name: str) -> str:
    """A resource name as it is shown: a stand-in without what makes it equal in its folder alone."""
    return _stand_in.sub(r"\1}", name)
