"""Precedence levels (specification: channel-config, section 1); a later level overrides an earlier one."""

from __future__ import annotations

from typing import Final, Literal

Level = Literal["brand-default", "brand-binding", "store-default", "store-binding"]
LEVELS: Final[tuple[Level, ...]] = ("brand-default", "brand-binding", "store-default", "store-binding")

ResolvedType = Literal["UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"]
TYPES: Final[tuple[ResolvedType, ...]] = ("UPSELL_STRATEGY", "AGENT_CUSTOMIZATION")
"""The types of a config; each resolves on its own."""
