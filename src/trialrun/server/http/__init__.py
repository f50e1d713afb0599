"""The server by HTTP and JSON."""
