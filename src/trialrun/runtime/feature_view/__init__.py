"""The FeatureView runtime: plan, sync, serve and search (specification: feature-view).

Decisions: docs/decisions/feature-view-runtime.md
"""
