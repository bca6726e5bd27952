"""What was seen, made into a hand with the help of the rules.

`read_hand` takes the detector's boxes and gives a `Reading`; `correct` takes a reading and a
person's corrections and gives a new one. `hypotheses` says what the tiles can be, `outcome` what
that is worth.
"""

from .read import correct, read_hand

__all__ = ["correct", "read_hand"]
