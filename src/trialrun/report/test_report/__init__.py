"""What the scenarios of a workspace came to, for people, for programs and for test reports."""
