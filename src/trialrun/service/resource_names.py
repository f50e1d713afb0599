"""Resource names of requests: checked by their format, and looked for with the near names in mind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trialrun.service.error import ResourceInfo, ServiceError, Status, invalid_argument, service_error
from trialrun.values import resource_name
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean


def parent_name(name: str) -> str:
    """The name of what a resource is under: all but its id and the word before that."""
    return name.rpartition("/")[0].rpartition("/")[0]


def require_name(name: str, *, pattern: str, field: str) -> dict[str, str]:
    """The ids of a name by what the format calls them. Raises INVALID_ARGUMENT."""
    ids = resource_name.parse(name, pattern=pattern)
    if ids is None:
        problem = next(iter(resource_name.check(name, pattern=pattern)))
        raise invalid_argument(field, "invalid-resource-name", problem.message)
    return ids


def name_in_request(given: Mapping[str, Any], *, field: str) -> str:
    """The name that a resource of a request has. Raises INVALID_ARGUMENT."""
    name = given.get("name")
    if isinstance(name, str):
        return name
    raise invalid_argument(f"{field}.name", "missing-name", "the name of the resource to patch is missing; set it")


def require_id(id_: str, *, field: str) -> str:
    """An id that a name can end with: any text without a slash, of one character or more."""
    if not id_:
        raise invalid_argument(
            field, "invalid-resource-name", "the id is missing; set it, it becomes the last segment of the name"
        )
    if "/" in id_:
        raise invalid_argument(field, "invalid-resource-name", f'"{id_}" has a slash; remove it')
    return id_


def not_found(kind: str, name: str, known_names: Iterable[str], *, under: str = "") -> ServiceError:
    """NOT_FOUND that says what is missing, where, and which name is near; `known_names` are whole names."""
    names = list(known_names)
    elsewhere = next((candidate for candidate in names if last_id(candidate) == last_id(name)), None)
    near = f'; did you mean "{elsewhere}"?' if elsewhere else did_you_mean(last_id(name), map(last_id, names))
    where = f" under {under}" if under else ""
    resource = ResourceInfo(resourceType=kind, resourceName=name)
    message = f'there is no {kind} "{last_id(name)}"{where}{near}'
    return service_error(Status.NOT_FOUND, f"unknown-{_kebab_case(kind)}", message, resource, name=name)


def _kebab_case(kind: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in kind).lstrip("-")
