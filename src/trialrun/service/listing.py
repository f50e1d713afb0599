"""Collections of resources: found by name, and listed as a request asks: filtered, ordered and cut into pages.

Page tokens keep their place when resources come and go (AIP-132, AIP-158).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cmp_to_key
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.service.error import ResourceInfo, ServiceError, Status, invalid_argument, service_error
from trialrun.service.filter import Fields, FilterError, compile_filter
from trialrun.service.message import Message
from trialrun.service.resource_names import not_found, parent_name, require_id, require_name
from trialrun.values import timestamp
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean

Entry = TypeVar("Entry")
Resource = TypeVar("Resource")
Orders = Mapping[str, Callable[[Any], Any]]


class ListRequest(Message):
    """list: the resources under a parent, page by page."""

    parent: str
    pageSize: int | None = None
    pageToken: str = ""
    filter: str = ""
    orderBy: str = ""


@dataclass(frozen=True)
class Collection(Generic[Resource]):
    """The resources of one kind: how they are named, and what they may be filtered and ordered by.

    `name` is the message of the kind, `word` and `under` are the words for it and for what it is under, `format` is
    that of its names; what is equal in an order comes by the field `tie`.
    """

    name: str
    word: str
    format: str
    under: str = ""
    fields: Fields = field(default_factory=dict)
    orders: Orders = field(default_factory=dict)
    tie: str = ""

    @property
    def parent_format(self) -> str:
        """The format of the names of what it is under."""
        return parent_name(self.format)

    def require_parent_name(self, parent: str, *, field: str = "parent") -> None:
        """Refuse a parent whose name has another format. Raises INVALID_ARGUMENT."""
        require_name(parent, pattern=self.parent_format, field=field)

    def find(
        self,
        name: str,
        entries: Mapping[str, Entry],
        *,
        field: str = "name",
        require_parent: Callable[[str], None] = lambda parent: None,
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
        """The name of a new one by its id. Raises INVALID_ARGUMENT and ALREADY_EXISTS."""
        segments = self.format.split("/")
        name = f"{parent}/{segments[-2]}/{require_id(id_, field=field)}"
        self.require_free(name, taken)
        return name

    def require_free(self, name: str, taken: Iterable[str]) -> None:
        """Refuse a name that one has already. Raises ALREADY_EXISTS."""
        if name in taken:
            message = f'there is a {self.word} "{last_id(name)}" already; patch it, or use another id'
            resource = ResourceInfo(resourceType=self.name, resourceName=name)
            raise service_error(Status.ALREADY_EXISTS, "duplicate-resource-name", message, resource)

    def page(self, resources: Iterable[Resource], request: ListRequest) -> tuple[list[Resource], str]:
        """The page of some of them that a request asks for, and the token of the next. Raises INVALID_ARGUMENT."""
        return list_page(resources, request, self.fields, self.orders, tie=self.tie)


def list_page(
    resources: Iterable[Resource], request: ListRequest, fields: Fields, orders: Orders, *, tie: str
) -> tuple[list[Resource], str]:
    """The page of some resources that a request asks for, and the token of the next one. Raises INVALID_ARGUMENT."""
    try:
        is_listed = compile_filter(request.filter, fields)
    except FilterError as error:
        raise invalid_argument("filter", "invalid-filter", str(error)) from error
    page = PageRequest(request.pageSize, request.pageToken, (request.parent, request.filter, request.orderBy))
    return paginate(filter(is_listed, resources), parse_order(request.orderBy, orders, tie=tie), page)


def id_of(resource: Any) -> str:
    """The id of a resource, by which it is filtered and ordered."""
    return last_id(resource.name or "")


def timestamp_key(text: str | None) -> tuple[int, int]:
    """A time in RFC 3339 as what it is ordered by."""
    read = timestamp.parse(text or "")
    return read.seconds, read.nanos


MAX_PAGE_SIZE = 1000
Key = tuple[Any, ...]
"""What a resource is ordered by: values that JSON can hold."""


@dataclass(frozen=True)
class Order(Generic[Resource]):
    """What to order by: how to read each value, and whether it descends."""

    fields: tuple[tuple[Callable[[Resource], Any], bool], ...]

    def key(self, resource: Resource) -> Key:
        """The values that a resource is ordered by."""
        return tuple(read(resource) for read, _ in self.fields)

    def compare(self, first: Key, second: Key) -> int:
        """Less than 0 where one comes before the other, more than 0 where it comes after."""
        for (_, descends), left, right in zip(self.fields, first, second, strict=True):
            if left != right:
                return -1 if (left < right) != descends else 1
        return 0


def parse_order(text: str, fields: Mapping[str, Callable[[Resource], Any]], *, tie: str) -> Order[Resource]:
    """The order that a text such as `create_time desc, feature_view_id` asks for; ties use the field `tie`.

    Fields are known in snake_case and in camelCase. Raises INVALID_ARGUMENT.
    """
    order_fields = [_parse_order_field(part, fields) for part in text.split(",")] if text.strip() else []
    field_names = {name for name, _ in order_fields}
    ties = [] if tie in field_names else [(tie, False)]
    return Order(tuple((fields[name], descends) for name, descends in [*order_fields, *ties]))


def _parse_order_field(text: str, fields: Mapping[str, object]) -> tuple[str, bool]:
    words = text.split()
    if not words or len(words) > 2 or (len(words) == 2 and words[1] not in ("asc", "desc")):
        raise invalid_argument(
            "orderBy",
            "invalid-order",
            f'"{text.strip()}" cannot be sorted by; write a field, optionally followed by "desc"',
        )
    name = next((name for name in fields if words[0] in (name, _camel_case(name))), None)
    if name is None:
        near = did_you_mean(words[0], fields) or f"; there are {', '.join(fields)}"
        raise invalid_argument("orderBy", "invalid-order", f'there is no field "{words[0]}" to order by{near}')
    return name, words[-1] == "desc"


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@dataclass(frozen=True)
class PageRequest:
    """Which page is asked for; `parameters` are the parameters that must stay the same from page to page."""

    size: int | None
    token: str
    parameters: Sequence[str]


def paginate(resources: Iterable[Resource], order: Order[Resource], page: PageRequest) -> tuple[list[Resource], str]:
    """The resources of a page, and the token of the next one, empty at the end. Raises INVALID_ARGUMENT."""
    size = _page_size(page.size)
    after = _last_key(page, len(order.fields))
    keyed = [(order.key(resource), resource) for resource in resources]
    try:
        rest = [(key, one) for key, one in keyed if after is None or order.compare(key, after) > 0]
    except TypeError as error:
        raise _invalid_token() from error
    in_order = cmp_to_key(order.compare)
    rest.sort(key=lambda keyed: in_order(keyed[0]))
    chosen = rest[:size]
    token = _next_token(page, chosen[-1][0]) if len(rest) > size else ""
    return [one for _, one in chosen], token


def _page_size(size: int | None) -> int:
    if size is not None and size < 0:
        raise invalid_argument("pageSize", "invalid-page-size", f"{size} is negative; omit it for {MAX_PAGE_SIZE}")
    return min(size or MAX_PAGE_SIZE, MAX_PAGE_SIZE)


def _next_token(page: PageRequest, last: Key) -> str:
    text = json.dumps([_parameters_digest(page), last], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


def _last_key(page: PageRequest, width: int) -> Key | None:
    """The key of the last resource of the page before, None for the first page."""
    if not page.token:
        return None
    try:
        digest, last = json.loads(base64.urlsafe_b64decode(page.token + "=" * (-len(page.token) % 4)))
        key = tuple(tuple(value) if isinstance(value, list) else value for value in last)
    except (ValueError, TypeError, RecursionError) as error:
        raise _invalid_token() from error
    if digest != _parameters_digest(page) or len(key) != width:
        message = "the page token is of another list; parent, filter and orderBy must not change between pages"
        raise invalid_argument("pageToken", "invalid-page-token", message)
    return key


def _invalid_token() -> ServiceError:
    return invalid_argument("pageToken", "invalid-page-token", "this is not a page token; use nextPageToken")


def _parameters_digest(page: PageRequest) -> str:
    return blake2b(json.dumps(list(page.parameters)).encode(), digest_size=6).hexdigest()
