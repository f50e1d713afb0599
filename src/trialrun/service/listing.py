"""Lists of resources: filtered, ordered and cut into pages by what a request asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from trialrun.service.error import invalid_argument
from trialrun.service.filter import FilterError, compile_filter
from trialrun.service.filter.fields import Fields
from trialrun.service.message import Message
from trialrun.service.pagination import PageRequest, paginate, parse_order
from trialrun.values import timestamp

Resource = TypeVar("Resource")


class ListRequest(Message):
    """list: the resources under a parent, page by page."""

    parent: str
    pageSize: int | None = None
    pageToken: str = ""
    filter: str = ""
    orderBy: str = ""


def list_page(
    resources: Iterable[Resource],
    request: ListRequest,
    fields: Fields,
    orders: Mapping[str, Callable[[Resource], Any]],
    *,
    tie: str,
) -> tuple[list[Resource], str]:
    """The page of some resources that a request asks for, and the token of the next one. Raises INVALID_ARGUMENT."""
    try:
        is_listed = compile_filter(request.filter, fields)
    except FilterError as error:
        raise invalid_argument("filter", "invalid-filter", str(error)) from error
    page = PageRequest(request.pageSize, request.pageToken, (request.parent, request.filter, request.orderBy))
    return paginate(filter(is_listed, resources), parse_order(request.orderBy, orders, tie=tie), page)


def timestamp_key(text: str | None) -> tuple[int, int]:
    """A time in RFC 3339 as what it is ordered by."""
    read = timestamp.parse(text or "")
    return read.seconds, read.nanos
