"""Values into a model: in one compiled pass when all is well, else field by field with every misfit told.

`fit` never raises on a value made of dicts, lists and scalars. What a model refuses is set aside and the rest is kept,
so that one mistake never hides another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path
from trialrun.model.node import Node
from trialrun.model.unions import clash
from trialrun.model.validated import Fitted

if TYPE_CHECKING:
    from pydantic import ValidationError


def fit(value: Any, model: type[Node], *, root: Path = (), as_meant: bool = False) -> Fitted:
    """A model of a value; `root` leads from the root of the document to the value, (0,) in a list of resources.

    With `as_meant`, what stands below a misspelt key with one clear candidate is read as that field: right for whoever
    looks for mistakes, wrong for whoever carries out what the file says.
    """
    refused: set[Path] = set()
    node = accepted(value, model, refused=refused, path=root)
    if node is not None:
        return Fitted(node, root)
    from trialrun.model.lenient import read

    return read(value, model, root=root, as_meant=as_meant, refused=refused)


def accepted(value: Any, model: type[Node], *, refused: set[Path] | None = None, path: Path = ()) -> Node | None:
    """The model of a value that has nothing wrong, by the compiled validator; None for any other value.

    Then `refused` takes in the paths of what is wrong, and of all that holds it; `path` is that of the value.
    """
    from pydantic import ValidationError

    try:
        node = _validator(model)(value)
    except ValidationError as error:
        if refused is not None:
            refused.update(_with_paths_above(error, path))
        return None
    if not clash(node):
        return node
    if refused is not None:
        refused.add(path)
    return None


def _with_paths_above(error: ValidationError, path: Path) -> Iterator[Path]:
    """The paths at which the validator refused something, from the root of the document, with all above them."""
    yield path
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        where = one["loc"]
        for length in range(1, len(where) + 1):
            yield (*path, *where[:length])


@cache
def _validator(model: type[Node]) -> Callable[[Any], Node]:
    model.model_rebuild()
    validate: Callable[[Any], Node] = model.__pydantic_validator__.validate_python
    return validate


__all__ = ["Fitted", "accepted", "fit"]
