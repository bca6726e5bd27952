"""Footage → finished hands: what lay on the table, from when to when, read over several frames.

`open_footage` gives the frames of a video or of a folder of pictures with their true times; `Watch`
follows them cheaply, looks closely where something was laid down and came to rest, and gives a
`LaidHand` for every finished hand. From here it goes to `app/audit`, which judges it by the score sheet.
"""

from .footage import Break, Footage, FootageError, Frame, open_footage
from .lying import LaidHand
from .watch import Counts, Region, See, Settings, Watch, region_at

__all__ = [
    "Break",
    "Counts",
    "Footage",
    "FootageError",
    "Frame",
    "LaidHand",
    "Region",
    "See",
    "Settings",
    "Watch",
    "open_footage",
    "region_at",
]
