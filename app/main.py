"""The `fanlens` command: a thin skin over the library, one module for each sub-command.

Sub-commands are imported when they are used, so that `fanlens hand` never loads the photo reader.
"""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS: dict[str, tuple[str, str]] = {
    "score": ("score_command:score", "Photos of finished hands: hand, fans, total."),
    "hand": ("hand_command:hand", "The same from hand text; what completes a hand; many hands at once."),
    "label": ("label_command:label", "Label pictures for training, in six formats."),
    "audit": ("audit_command:audit", "Footage of games: every win found, scored, compared with the sheet."),
    "serve": ("serve_command:serve", "The page for phones, and the JSON API behind it."),
}
"""Sub-command to where it lives in this package (module:attribute) and its line in the overview."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        command = getattr(import_module(f".{module}", __package__), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The overview needs no import: its lines stand in the table.
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fanlens", prog_name="fanlens")
def cli() -> None:
    """A photo of a finished mahjong hand in, its fans and total (Chinese Official rules, MCR) out."""
