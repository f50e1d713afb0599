"""Quick fixes beyond those of the rules, a module each."""
