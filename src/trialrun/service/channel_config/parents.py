"""Where brands are whose documents say an id alone: projects and locations, by the names that are in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.service.channel_config.kinds import BRAND, CONFIG
from trialrun.service.resource_names import parent_name
from trialrun.values.resource_name import last_id, matches_pattern

if TYPE_CHECKING:
    from trialrun.model.companion import Brand
    from trialrun.runtime.channel_config.catalog import BrandCatalog

DEFAULT_LOCATION = "projects/local/locations/local"
"""The project and location of brands where no name of the workspace tells one."""


class ParentResolver:
    """Gives brands their resource names: as they are written, or by the configs that are under a brand of this id.

    Where those do not tell, by the one project and location of the workspace; without one, it is `otherwise`.
    """

    def __init__(self, catalog: BrandCatalog, otherwise: str) -> None:
        names = [
            config.node.name
            for config in catalog.configs
            if matches_pattern(config.node.name or "", pattern=CONFIG.format)
        ]
        self._known = set(map(parent_name, filter(None, names)))
        written = (
            brand.node.name for brand in catalog.brands if matches_pattern(brand.node.name or "", pattern=BRAND.format)
        )
        locations = {parent_name(name) for name in (*self._known, *filter(None, written))}
        self.location = locations.pop() if len(locations) == 1 else otherwise

    def resolve(self, brand: Brand) -> str:
        """The resource name of a brand; empty for one without a name."""
        return self.brand_name(brand.name or "")

    def brand_name(self, written: str) -> str:
        """The resource name of a brand that a document names; empty for an empty one."""
        if matches_pattern(written, pattern=BRAND.format):
            return written
        id_ = last_id(written)
        candidates = [name for name in self._known if last_id(name) == id_]
        return candidates[0] if len(candidates) == 1 else f"{self.location}/brands/{id_}" if id_ else ""
