"""The audit of recorded hands: score sheet against footage, verdicts with reasons, and the report.

`fanlens.vision.video` gives the hands that were laid down. `match` says which row of the sheet belongs
to which, `verdicts` whether they agree and if not why, `report` writes what a referee can send on.
"""
