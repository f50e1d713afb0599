"""The server by gRPC."""
