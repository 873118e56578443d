"""Put Milepost into the settings of coding agents, and take it out again.

`clients` knows what each client reads, `pieces` what is put there, `plan` what would change;
`jsonc` and `toml` change one place of a text, `files` writes.
"""
