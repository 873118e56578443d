"""CPython and Milepost's guest code as one WASM component, which `milepost[sandbox]` runs."""
