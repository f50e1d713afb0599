"""Validation of a value against a model: one pass for valid values, otherwise field by field.

`validate` never raises for a value of dicts, lists and scalars. What the model refuses is left out and the rest is
kept, so that one mistake does not hide another.
"""

from __future__ import annotations

from typing import Any

from trialrun.diagnostic import Path
from trialrun.model.node import Node
from trialrun.model.validated import ValidatedModel


def validate(value: Any, model: type[Node], *, root: Path = (), correct_typos: bool = False) -> ValidatedModel:
    """Validate a value; `root` leads from the root of the document to it, (0,) for the first of a list of resources.

    With `correct_typos`, the content of a misspelt key with one clear candidate is validated as that field: for
    linting. Without, such keys are ignored: for everything that executes what the file says.
    """
    node = model.accept(value)
    if node is not None:
        return ValidatedModel(node, root)
    from trialrun.model.lenient import validate_leniently

    return validate_leniently(value, model, root=root, correct_typos=correct_typos)


__all__ = ["ValidatedModel", "validate"]
