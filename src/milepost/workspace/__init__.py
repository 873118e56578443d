"""The folders that people and agents work in: their project, branch and files."""
