"""Vector indexes: exact search, and a tree with asymmetric hashing."""
