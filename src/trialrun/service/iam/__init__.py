"""Access control: policies of resources, what roles permit, and who may call what."""
