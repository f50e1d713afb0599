"""Validate a value against a model: in one compiled pass if it is valid, else field by field with every misfit.

`validate` never raises on a value made of dicts, lists and scalars. What a model refuses is left out and the rest is
kept, so that one mistake never hides another.
"""

from __future__ import annotations

from typing import Any

from trialrun.diagnostic import Path
from trialrun.model.node import Node
from trialrun.model.strict import validate_strictly
from trialrun.model.validated import ValidatedModel


def validate(value: Any, model: type[Node], *, root: Path = (), correct_typos: bool = False) -> ValidatedModel:
    """A model of a value; `root` leads from the root of the document to the value, (0,) in a list of resources.

    With `as_meant`, what is below a misspelt key with one clear candidate is read as that field: right for anyone who
    looks for mistakes, wrong for anyone who carries out what the file says.
    """
    refused: set[Path] = set()
    node = validate_strictly(value, model, refused=refused, path=root)
    if node is not None:
        return ValidatedModel(node, root)
    from trialrun.model.lenient import validate_leniently

    return validate_leniently(value, model, root=root, correct_typos=correct_typos, refused=refused)


__all__ = ["ValidatedModel", "validate"]
