"""Creating, reading, changing and deleting brands."""

from __future__ import annotations

from pydantic import Field

from trialrun.model.companion import Brand
from trialrun.service.lint_request import LintWarning
from trialrun.service.listing import ListRequest
from trialrun.service.message import Message
from trialrun.service.resource_json import Resource


class CreateBrandRequest(Message):
    """create_brand: a brand of a project in a location, with its stores if there are some already."""

    parent: str
    brandId: str
    brand: Resource


class CreateBrandResponse(Message):
    """The brand as it was created, and what the linter remarks."""

    brand: Brand
    warnings: list[LintWarning] = Field(default_factory=list)


class GetBrandRequest(Message):
    """get_brand: one brand."""

    name: str


class ListBrandsRequest(ListRequest):
    """list_brands: the brands of a project in a location."""


class ListBrandsResponse(Message):
    """A page of brands; `nextPageToken` is empty at the end."""

    brands: list[Brand]
    nextPageToken: str = ""


class PatchBrandRequest(Message):
    """patch_brand: the fields of `updateMask`, or those that the brand sets if there is none; lists whole."""

    brand: Resource
    updateMask: str | None = None


class PatchBrandResponse(Message):
    """The brand as it is now, and what the linter remarks."""

    brand: Brand
    warnings: list[LintWarning] = Field(default_factory=list)


class DeleteBrandRequest(Message):
    """delete_brand: one brand; with `force` also its stores and its configs."""

    name: str
    force: bool = False


class DeleteBrandResponse(Message):
    """Nothing is left."""
