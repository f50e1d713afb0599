"""The page of a workspace as a server shows it: its sections, the playground, and what they are made from."""
