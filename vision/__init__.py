"""Pictures: from a photo to a `Reading`, every tile with its role, the hand and what is doubtful.

`picture` decodes, `finder` finds and names the tiles, `layout` tells their roles, `resolve` settles
the hand with the rules of `scoring`, `draw` shows it on the picture. From here the `Reading` goes to
`app`.
"""

from .picture import PictureError
from .reader import Reader
from .reading import Circumstances, Reading

__all__ = ["Circumstances", "PictureError", "Reader", "Reading"]
