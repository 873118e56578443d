"""Words that are capitalised and never part of a name here: days, months, feasts."""

CALENDAR = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May "
    "June July August September October November December Mon Tue Wed Thu Fri Sat Sun Easter "
    "Christmas Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag Januar Februar März Mai "
    "Juni Juli Oktober Dezember Ostern Weihnachten".split()
)
