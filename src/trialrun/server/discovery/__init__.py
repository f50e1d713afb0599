"""The discovery document, by which clients of any language learn the operations."""
