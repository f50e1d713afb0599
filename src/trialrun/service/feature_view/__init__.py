"""The operations on FeatureViews (specification: feature-view, section 4)."""

from trialrun.service.feature_view.service import FeatureViewService

__all__ = ["FeatureViewService"]
