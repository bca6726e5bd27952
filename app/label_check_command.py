import click
@click.command()
def check() -> None:
    pass
