"""Pure rules about text that know nothing of memories: secrets, and the fence around data."""
