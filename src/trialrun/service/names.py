"""Resource names of requests: judged by their format, and looked for with the near names in mind."""

from __future__ import annotations

from collections.abc import Iterable

from trialrun.service.error import ResourceInfo, ServiceError, Status, invalid, refused
from trialrun.usage import did_you_mean
from trialrun.values import resource_name
from trialrun.values.resource_name import last_id


def require_name(name: str, *, pattern: str, field: str) -> dict[str, str]:
    """The ids of a name by what the format calls them. Raises INVALID_ARGUMENT."""
    ids = resource_name.parse(name, pattern=pattern)
    if ids is None:
        problem = next(iter(resource_name.check(name, pattern=pattern)))
        raise invalid(field, "invalid-resource-name", problem.message)
    return ids


def require_id(id_: str, *, field: str) -> str:
    """An id that a name can end with: any text without a slash, of one character or more."""
    if not id_:
        raise invalid(field, "invalid-resource-name", "the id is missing; give one, which becomes the end of the name")
    if "/" in id_:
        raise invalid(field, "invalid-resource-name", f'"{id_}" has a slash; an id has none')
    return id_


def missing(kind: str, name: str, known: Iterable[str], *, under: str = "") -> ServiceError:
    """NOT_FOUND that says what is missing, where, and which name is near; `known` are whole names."""
    names = list(known)
    elsewhere = next((one for one in names if last_id(one) == last_id(name)), None)
    near = f'; did you mean "{elsewhere}"?' if elsewhere else did_you_mean(last_id(name), map(last_id, names))
    where = f" under {under}" if under else ""
    resource = ResourceInfo(resourceType=kind, resourceName=name)
    message = f'there is no {kind} "{last_id(name)}"{where}{near}'
    return refused(Status.NOT_FOUND, f"unknown-{_kebab(kind)}", message, resource, name=name)


def _kebab(kind: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in kind).lstrip("-")
