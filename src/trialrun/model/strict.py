"""The compiled validator of a model: a value that has nothing wrong becomes its model in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path
from trialrun.model.node import Node
from trialrun.model.unions import has_union_conflict

if TYPE_CHECKING:
    from pydantic import ValidationError


def validate_strictly(
    value: Any, model: type[Node], *, refused: set[Path] | None = None, path: Path = ()
) -> Node | None:
    """The model of a value that has nothing wrong, by the compiled validator; None for any other value.

    Then `refused` takes in the paths of what is wrong, and of all that holds it; `path` is that of the value.
    """
    from pydantic import ValidationError

    try:
        node = _compiled_validator(model)(value)
    except ValidationError as error:
        if refused is not None:
            refused.update(_error_paths(error, path))
        return None
    if not has_union_conflict(node):
        return node
    if refused is not None:
        refused.add(path)
    return None


def _error_paths(error: ValidationError, path: Path) -> Iterator[Path]:
    """The paths at which the validator refused something, from the root of the document, with all above them."""
    yield path
    for detail in error.errors(include_url=False, include_context=False, include_input=False):
        location = detail["loc"]
        for length in range(1, len(location) + 1):
            yield (*path, *location[:length])


@cache
def _compiled_validator(model: type[Node]) -> Callable[[Any], Node]:
    model.model_rebuild()
    validate: Callable[[Any], Node] = model.__pydantic_validator__.validate_python
    return validate
