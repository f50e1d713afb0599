"""Mutation tests of configurations: one changed meaning at a time, and whether any scenario notices it."""
