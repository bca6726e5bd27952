"""The page for phones and the JSON API behind it.

A photo comes in over HTTP, is bounded and looked at (`uploads`), read by one worker (`inference`),
and goes out as the JSON of one photo; the page corrects it and asks for the score again. The match
sheet lies in SQLite (`match`, `store`). Nothing here knows a rule of the game or a pixel: it asks
`scoring` and `vision`.
"""

from .server import create_app
from .settings import Settings

__all__ = ["Settings", "create_app"]
