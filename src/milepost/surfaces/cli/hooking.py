"""`milepost hook` with options of the command line; without any it is answered at once."""

from milepost.surfaces.cli.command import SHOWN, Call


def answer(call: Call) -> object:
    """Answer an event."""
    from milepost.surfaces.hooks import main

    main(call.given["event"], call.flags)
    return SHOWN
