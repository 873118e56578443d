"""`python -m milepost` is the command `milepost`."""

import sys

from milepost.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
