"""Values into a model: in one compiled pass when all is well, else field by field with every misfit told.

`fit` never raises on a value made of dicts, lists and scalars. What a model refuses is set aside and the rest is kept,
so that one mistake never hides another.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from trialrun.diagnostic import Path
from trialrun.model.fitted import Fitted
from trialrun.model.node import Node
from trialrun.model.unions import clash


def fit(value: Any, model: type[Node], *, root: Path = (), as_meant: bool = False) -> Fitted:
    """A model of a value; `root` leads from the root of the document to the value, (0,) in a list of resources.

    With `as_meant`, what stands below a misspelt key with one clear candidate is read as that field: right for whoever
    looks for mistakes, wrong for whoever carries out what the file says.
    """
    node = accepted(value, model)
    if node is not None:
        return Fitted(node, root)
    from trialrun.model.reading import read

    return read(value, model, root=root, as_meant=as_meant)


def accepted(value: Any, model: type[Node]) -> Node | None:
    """The model of a value that has nothing wrong, by the compiled validator; None for any other value."""
    from pydantic import ValidationError

    try:
        node = _validator(model)(value)
    except ValidationError:
        return None
    return None if clash(node) else node


@cache
def _validator(model: type[Node]) -> Callable[[Any], Node]:
    model.model_rebuild()
    validate: Callable[[Any], Node] = model.__pydantic_validator__.validate_python
    return validate


__all__ = ["Fitted", "accepted", "fit"]
