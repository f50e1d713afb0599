"""Labels as rules see them: most are of the usual characters, and nothing is to be said about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.model.node import valid_keys
from trialrun.values.label import ORDINARY

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView


def has_unusual_label(view: FeatureView) -> bool:
    """Whether a view has a label with more than small letters of ASCII, digits, underscores and dashes."""
    labels = view.labels
    return labels is not None and not (
        all(map(ORDINARY["key"].fullmatch, valid_keys(labels)))
        and all(map(ORDINARY["value"].fullmatch, labels.values()))
    )
