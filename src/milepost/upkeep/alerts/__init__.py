"""Rules that say when something is wrong with a store, and who is told."""
