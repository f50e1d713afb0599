"""Collections of resources: found by name, and listed as a request asks: filtered, ordered and cut into pages.

Page tokens keep their place when resources come and go (AIP-132, AIP-158).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cmp_to_key
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from trialrun.service.error import ResourceInfo, ServiceError, Status, invalid_argument, service_error
from trialrun.service.filter import Fields, FilterError, compile_filter
from trialrun.service.message import Message
from trialrun.values import resource_name
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import camel_case, did_you_mean

Entry = TypeVar("Entry")
Resource = TypeVar("Resource")
Orders = Mapping[str, Callable[[Any], Any]]
Key = tuple[Any, ...]
"""What a resource is ordered by: values that JSON can hold."""
MAX_PAGE_SIZE = 1000


class GetRequest(Message):
    """One resource, by its name."""

    name: str


class ListRequest(Message):
    """The resources under a parent, page by page."""

    parent: str
    pageSize: int | None = None
    pageToken: str = ""
    filter: str = ""
    orderBy: str = ""


@dataclass(frozen=True)
class Collection(Generic[Resource]):
    """The resources of one kind: how they are named, and what they may be filtered and ordered by.

    `name` is the message of the kind, `word` and `under` are the words for it and for what it is under, `format` is
    that of its names; `orders` are the fields to order by, in snake_case, and what is equal comes by the first of them.
    """

    name: str
    word: str
    format: str
    under: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    orders: tuple[str, ...] = ()

    def require_parent_name(self, parent: str) -> None:
        """Refuse a parent whose name has another format, or stands for many. Raises INVALID_ARGUMENT."""
        require_name(parent, pattern=parent_name(self.format), field="parent")
        words = parent.split("/")
        many = next((word for word, id_ in zip(words[::2], words[1::2], strict=False) if id_ == "-"), None)
        if many:
            problem = f'"{many}/-" stands for all {many}, and a request is for one; name it'
            raise invalid_argument("parent", "invalid-resource-name", problem)

    def find(
        self,
        name: str,
        entries: Mapping[str, Entry],
        *,
        field: str = "name",
        require_parent: Callable[[str], object] = lambda parent: None,
    ) -> Entry:
        """The one of a name. Raises INVALID_ARGUMENT, and NOT_FOUND that says whether it or its parent is missing."""
        require_name(name, pattern=self.format, field=field)
        entry = entries.get(name)
        if entry is not None:
            return entry
        parent = parent_name(name)
        siblings = [entry for entry in entries if parent_name(entry) == parent]
        if not siblings:
            require_parent(parent)
        under = f'the {self.under} "{last_id(parent)}"' if self.under else ""
        raise not_found(self.name, name, siblings or entries, under=under)

    def new_name(self, parent: str, id_: str, taken: Iterable[str], *, field: str) -> str:
        """The name of a new one by its id: any text without a slash, of one character or more.

        Raises INVALID_ARGUMENT and ALREADY_EXISTS.
        """
        if not id_ or "/" in id_:
            missing = "the id is missing; set it, it becomes the last segment of the name"
            problem = f'"{id_}" has a slash; remove it' if id_ else missing
            raise invalid_argument(field, "invalid-resource-name", problem)
        name = f"{parent}/{self.format.split('/')[-2]}/{id_}"
        if name in taken:
            message = f'there is a {self.word} "{id_}" already; patch it, or use another id'
            resource = ResourceInfo(resourceType=self.name, resourceName=name)
            raise service_error(Status.ALREADY_EXISTS, "duplicate-resource-name", message, resource)
        return name

    def page(self, resources: Iterable[Resource], request: ListRequest) -> tuple[list[Resource], str]:
        """The page of some of them that a request asks for, and the token of the next. Raises INVALID_ARGUMENT."""
        orders = {name: self.fields[camel_case(name)].key for name in self.orders}
        return list_page(resources, request, self.fields, orders, tie=self.orders[0])


def parent_name(name: str) -> str:
    """The name of what a resource is under: all but its id and the word before that."""
    return name.rpartition("/")[0].rpartition("/")[0]


def require_name(name: str, *, pattern: str, field: str) -> None:
    """Refuse a name of another format. Raises INVALID_ARGUMENT."""
    if resource_name.parse(name, pattern=pattern) is None:
        problem = next(iter(resource_name.check(name, pattern=pattern)))
        raise invalid_argument(field, "invalid-resource-name", problem.message)


def name_in_request(given: Mapping[str, Any], *, field: str) -> str:
    """The name that a resource of a request has. Raises INVALID_ARGUMENT."""
    name = given.get("name")
    if isinstance(name, str):
        return name
    raise invalid_argument(f"{field}.name", "missing-name", "the name of the resource to patch is missing; set it")


def not_found(kind: str, name: str, known_names: Iterable[str], *, under: str = "") -> ServiceError:
    """NOT_FOUND that says what is missing, where, and which name is near; `known_names` are whole names."""
    names = list(known_names)
    elsewhere = next((candidate for candidate in names if last_id(candidate) == last_id(name)), None)
    near = f'; did you mean "{elsewhere}"?' if elsewhere else did_you_mean(last_id(name), map(last_id, names))
    message = f'there is no {kind} "{last_id(name)}"{f" under {under}" if under else ""}{near}'
    reason = re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", kind)  # its first letter is a capital, too
    resource = ResourceInfo(resourceType=kind, resourceName=name)
    return service_error(Status.NOT_FOUND, f"unknown{reason}", message, resource, name=name)


def id_of(resource: Any) -> str:
    """The id of a resource, by which it is filtered and ordered."""
    return last_id(resource.name or "")


def list_page(
    resources: Iterable[Resource], request: ListRequest, fields: Fields, orders: Orders, *, tie: str
) -> tuple[list[Resource], str]:
    """The page of some resources that a request asks for, and the token of the next one, empty at the end.

    An order is a text such as `create_time desc, feature_view_id`, in snake_case or in camelCase; ties use the field
    `tie`. Raises INVALID_ARGUMENT.
    """
    try:
        is_listed = compile_filter(request.filter, fields)
    except FilterError as error:
        raise invalid_argument("filter", "invalid-filter", str(error)) from error
    order = [_parse_order_field(part, orders) for part in request.orderBy.split(",")] if request.orderBy.strip() else []
    if tie not in {name for name, _ in order}:
        order.append((tie, False))
    size = request.pageSize
    if size is not None and size < 0:
        raise invalid_argument("pageSize", "invalid-page-size", f"{size} is negative; omit it for {MAX_PAGE_SIZE}")
    size = min(size or MAX_PAGE_SIZE, MAX_PAGE_SIZE)
    after = _last_key(request, len(order))

    def compare(first: Key, second: Key) -> int:
        for (_, descends), left, right in zip(order, first, second, strict=True):
            if left != right:
                return -1 if (left < right) != descends else 1
        return 0

    keyed = [(tuple(orders[name](one) for name, _ in order), one) for one in resources if is_listed(one)]
    try:
        rest = [(key, one) for key, one in keyed if after is None or compare(key, after) > 0]
    except TypeError as error:
        raise _invalid_token() from error
    in_order = cmp_to_key(compare)
    rest.sort(key=lambda keyed: in_order(keyed[0]))
    chosen = rest[:size]
    token = ""
    if len(rest) > size:
        text = json.dumps([_parameters_digest(request), chosen[-1][0]], separators=(",", ":"))
        token = base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")
    return [one for _, one in chosen], token


def _parse_order_field(text: str, orders: Orders) -> tuple[str, bool]:
    words = text.split()
    if not words or len(words) > 2 or (len(words) == 2 and words[1] not in ("asc", "desc")):
        message = f'"{text.strip()}" cannot be sorted by; write a field, optionally followed by "desc"'
        raise invalid_argument("orderBy", "invalid-order", message)
    name = next((name for name in orders if words[0] in (name, camel_case(name))), None)
    if name is None:
        near = did_you_mean(words[0], orders) or f"; there are {', '.join(orders)}"
        raise invalid_argument("orderBy", "invalid-order", f'there is no field "{words[0]}" to order by{near}')
    return name, words[-1] == "desc"


def _last_key(request: ListRequest, width: int) -> Key | None:
    """The key of the last resource of the page before, None for the first page."""
    token = request.pageToken
    if not token:
        return None
    try:
        digest, last = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        key = tuple(tuple(value) if isinstance(value, list) else value for value in last)
    except (ValueError, TypeError, RecursionError) as error:
        raise _invalid_token() from error
    if digest != _parameters_digest(request) or len(key) != width:
        message = "the page token is of another list; parent, filter and orderBy must not change between pages"
        raise invalid_argument("pageToken", "invalid-page-token", message)
    return key


def _invalid_token() -> ServiceError:
    return invalid_argument("pageToken", "invalid-page-token", "this is not a page token; use nextPageToken")


def _parameters_digest(request: ListRequest) -> str:
    return blake2b(json.dumps([request.parent, request.filter, request.orderBy]).encode(), digest_size=6).hexdigest()
