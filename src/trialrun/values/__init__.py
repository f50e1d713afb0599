"""The small languages inside strings: one module each, standing alone, shared by linter and runtime.

Decisions: docs/decisions/linter.md, docs/decisions/tests.md
"""
