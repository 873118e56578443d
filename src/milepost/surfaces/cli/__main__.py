"""`python -m milepost.surfaces.cli` is the command `milepost`."""

import sys

from milepost.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
