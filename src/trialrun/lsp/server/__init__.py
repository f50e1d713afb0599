"""The process that speaks with the client, in the words of the protocol; it lints nothing."""
