"""What the claims about speed and memory rest on: a corpus, the peers and the measuring."""
