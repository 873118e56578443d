"""Milepost and other memories at the same jobs, on the same data, in one run."""
