"""The memories that are measured, one module each, in the order in which they are shown."""
