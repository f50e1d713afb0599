"""The words in which clients write requests and read responses."""
