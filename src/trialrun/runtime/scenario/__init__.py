"""Scenarios played: a store and a clock of their own, step by step, with what was expected and what was got."""
