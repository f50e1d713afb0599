"""A server on this machine for the clients of both services, by HTTP and gRPC."""
