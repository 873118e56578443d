"""Bring into memory what a coding agent was told and what it did before Milepost came."""
