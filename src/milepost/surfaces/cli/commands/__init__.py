"""The commands that are not operations, a file for each of their groups."""
