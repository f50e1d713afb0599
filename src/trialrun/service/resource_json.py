"""Resources as JSON: as requests bring them, and in the canonical form that a service keeps them in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator

from trialrun.model.node import Node
from trialrun.model.validate import validate
from trialrun.runtime.declaration import DeclaredResource
from trialrun.service.lint_request import Document
from trialrun.service.mask import without_service_fields

Json = dict[str, Any]
MAX_RESOURCE = 2**20
"""Bytes of a resource in a request, which is linted, kept and answered whole."""


def _to_json(value: object) -> object:
    """A resource as JSON has it: with keys that are texts, and lists for tuples."""
    if isinstance(value, Node):
        return to_json(value)
    try:
        text = json.dumps(value)
        content = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply; flatten it") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"invalid JSON: {str(error)[:1].lower()}{str(error)[1:]}") from error
    if len(text) > MAX_RESOURCE:
        raise ValueError(f"a resource has at most {MAX_RESOURCE // 1024:,} kB of JSON; shorten it")
    return content


Resource = Annotated[dict[str, Any], BeforeValidator(_to_json)]
"""A resource, or the JSON of one, which is checked by the rules of the linter and not by its type alone."""


def to_json(node: Node) -> Json:
    """All that a resource sets, as JSON in the canonical form."""
    return node.model_dump(mode="json", exclude_unset=True, exclude_none=True)


def settable_content(node: Node) -> Json:
    """What callers may set of a resource, as JSON in the canonical form."""
    return without_service_fields(to_json(node), type(node))


def canonicalize_content(content: Json, model: type[Node]) -> Json:
    """Content that the linter took, in the canonical form."""
    return settable_content(validate(content, model).node)


def to_document(kind: str, name: str, content: Json) -> Document:
    """A resource as the linter takes it."""
    return Document(f"{name}.json", kind, {"name": name, **content})


def declared_documents(kind: str, declared: Iterable[DeclaredResource[Node]]) -> Iterator[Document]:
    """The documents of a kind that a workspace declares, as the linter takes them."""
    for number, resource in enumerate(declared):
        content = {name: value for name, value in to_json(resource.node).items() if name != "kind"}
        yield Document(f"{resource.path}#{kind}-{number}.json", kind, content)
