"""Scenario runner: plays scenarios with their own store and clock, and compares results with expectations.

Decisions: docs/decisions/runtime.md
"""
