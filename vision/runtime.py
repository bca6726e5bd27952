"""The inference runtime, imported without its tools: they tell its maker of every import.

`openvino` brings `openvino.tools.ovc`, which converts models. It keeps a number for the user in the home
folder and sends an event to Google Analytics each time, unasked and where there is no network in vain;
and takes longer to import than the rest. Its absence is provided for.
"""

from __future__ import annotations

import sys
from typing import Any

_TOOLS = "openvino.tools.ovc"

_modules: dict[str, Any] = sys.modules
_tools = _modules.setdefault(_TOOLS, None)  # what is None there can't be imported
try:
    import openvino
finally:
    if _tools is None:
        del _modules[_TOOLS]

__all__ = ["openvino"]
