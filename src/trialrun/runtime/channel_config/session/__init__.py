"""Sessions: the order, the state that conditions read, and the offers of each turn."""
