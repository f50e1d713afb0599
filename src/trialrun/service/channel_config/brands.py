"""Creating, changing and deleting brands."""

from __future__ import annotations

from trialrun.model.companion import Brand
from trialrun.service.channel_config import messages
from trialrun.service.channel_config.brand import require_own_stores
from trialrun.service.channel_config.inventory import Documents
from trialrun.service.channel_config.kinds import BRAND
from trialrun.service.channel_config.references import require_unused
from trialrun.service.error import Status, service_error
from trialrun.service.lint_request import LintWarning
from trialrun.service.mask import apply_mask, ignored_field_warnings, parse_mask, without_service_fields
from trialrun.service.resource_json import Json, canonicalize_content, to_document
from trialrun.service.resource_names import name_in_request, require_free, require_id, require_name
from trialrun.values.resource_name import last_id

FIELD = "brand"


def create(documents: Documents, request: messages.CreateBrandRequest) -> messages.CreateBrandResponse:
    """Create a brand; configs that are under its name already are its own."""
    require_name(request.parent, pattern=BRAND.parent_format, field="parent")
    name = f"{request.parent}/brands/{require_id(request.brandId, field='brandId')}"
    require_free(name, documents.brands, BRAND)
    remarks = _put(documents, name, without_service_fields(request.brand, Brand))
    return messages.CreateBrandResponse(brand=documents.brands[name].brand, warnings=remarks)


def patch(documents: Documents, request: messages.PatchBrandRequest) -> messages.PatchBrandResponse:
    """Put a brand's new content in place of the old; a store that is left out of its list is gone."""
    given = request.brand
    before = documents.brand(name_in_request(given, field=FIELD), field=f"{FIELD}.name")
    mask = parse_mask(request.updateMask, given, Brand)
    remarks = _put(documents, before.name, apply_mask(before.content, given, mask, Brand))
    after = documents.brands[before.name].brand
    return messages.PatchBrandResponse(brand=after, warnings=[*ignored_field_warnings(mask), *remarks])


def delete(documents: Documents, request: messages.DeleteBrandRequest) -> messages.DeleteBrandResponse:
    """Forget a brand, and where that is forced its stores and its configs, unless other brands name these."""
    name = documents.brand(request.name).name
    if not request.force:
        _require_empty(documents, name)
    for config in documents.configs_under(name):
        require_unused(config.name, [use for use in documents.uses_of(config.name) if use.brand != name])
    documents.remove_brand(name)
    return messages.DeleteBrandResponse()


def _put(documents: Documents, name: str, content: Json) -> list[LintWarning]:
    remarks = documents.lint(to_document(BRAND.name, name, content), field=FIELD)
    settled = canonicalize_content(content, Brand)
    require_own_stores(name, settled)
    documents.put_brand(name, settled)
    return remarks


def _require_empty(documents: Documents, name: str) -> None:
    counts = {"config": len(documents.configs_under(name)), "store": len(documents.brands[name].brand.stores or ())}
    has = " and ".join(f"{number} {word}{'s' if number > 1 else ''}" for word, number in counts.items() if number)
    if has:
        message = f'the brand "{last_id(name)}" has {has}; delete them first, or set force'
        raise service_error(Status.FAILED_PRECONDITION, "brand-not-empty", message, name=name)
