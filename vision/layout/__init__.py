"""From boxes to roles: which tiles are the hand, which of them are melds, flowers, the winning tile.

`find_rows` puts the boxes into rows, `parse_row` cuts a row into pieces in every plausible way, and
`arrange` combines the rows' pieces into arrangements of the whole picture, each with a weight.
Which arrangement it is in the end is decided in `resolve`, where the rules have their say.
"""

from .arrange import Arrangement, arrange
from .pieces import Piece, PieceKind
from .rows import Row, find_rows
from .upon import tiles_under_others

__all__ = ["Arrangement", "Piece", "PieceKind", "Row", "arrange", "find_rows", "tiles_under_others"]
