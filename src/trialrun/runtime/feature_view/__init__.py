"""The FeatureView runtime: plan, sync, serve and search (specification: feature-view).

Decisions: docs/decisions/runtime.md
"""
