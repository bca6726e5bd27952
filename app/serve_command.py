"""`fanlens serve`: the page for phones and the JSON API behind it."""

from __future__ import annotations

import errno
import secrets
import socket
import sqlite3
from ipaddress import ip_address
from pathlib import Path

import click

_DEFAULT_PORT = 8777
_MEBIBYTE = 1 << 20


@click.command("serve", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")
@click.option(
    "--port",
    default=_DEFAULT_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--lan", is_flag=True, help="Serve the phones of this network; prints the address and a QR code."
)
@click.option(
    "--certfile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Certificate for HTTPS, PEM.",
)
@click.option(
    "--keyfile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Private key of the certificate, PEM.",
)
@click.option(
    "--keep",
    "keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for corrected photos that a player chooses to keep; none are kept without it.",
)
@click.option(
    "--keep-limit",
    default=1024,
    show_default=True,
    type=click.IntRange(1),
    help="Most megabytes the kept photos may use.",
)
@click.option(
    "--matches",
    type=click.Path(dir_okay=False, path_type=Path),
    help="SQLite file of the match sheets.  [default: in the user's application folder]",
)
def serve(
    host: str | None,
    port: int,
    lan: bool,
    certfile: Path | None,
    keyfile: Path | None,
    keep: Path | None,
    keep_limit: int,
    matches: Path | None,
) -> None:
    """Serve the page: photograph a hand, check it, read its total.

    Only this computer can reach it unless --lan or another --host is given; then every call needs the
    token that the printed address and QR code carry, made anew for each run.
    """
    if lan and host is not None:
        raise click.UsageError("--lan chooses the address itself; give either --lan or --host.")
    if (certfile is None) != (keyfile is None):
        raise click.UsageError("HTTPS needs both --certfile and --keyfile.")
    host = "0.0.0.0" if lan else host or "127.0.0.1"
    token = None if _is_private(host) else secrets.token_urlsafe(16)
    listener = _listen(host, port)
    port = listener.getsockname()[1]

    # Imported late: `fanlens --help` should not wait for the detector.
    import uvicorn

    from ..models import ModelError
    from .web import Settings, create_app

    settings = Settings(
        token=token,
        host_names=frozenset({host, socket.gethostname(), f"{socket.gethostname()}.local"}),
        matches=matches or Path(click.get_app_dir("fanlens")) / "matches.sqlite3",
        keep=keep,
        keep_limit=keep_limit * _MEBIBYTE,
    )
    try:
        app = create_app(settings=settings)
    except ModelError as error:
        raise click.ClickException(str(error)) from None
    except (OSError, sqlite3.Error) as error:
        where = keep if isinstance(error, OSError) and keep else settings.matches
        raise click.ClickException(f"{where}: cannot be written to ({error}).") from None
    scheme = "https" if certfile else "http"
    shown = _address_in_network() if _is_any(host) else host
    address = f"{scheme}://{f'[{shown}]' if ':' in shown else shown}:{port}/"
    if token:
        address += f"?token={token}"
        _print_qr(address)
    click.echo(f"FanLens is at {address}", err=True)
    click.echo("Press Ctrl-C to stop.", err=True)
    config = uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        # Only the address of the peer counts; nobody's header may change scheme or client.
        proxy_headers=False,
        ssl_certfile=certfile,
        ssl_keyfile=keyfile,
        timeout_graceful_shutdown=5,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    """A bound socket; a port that is taken or an unknown address is one sentence, not a trace."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reason = f"port {port} is already in use; choose another with --port"
        else:
            reason = (error.strerror or str(error)).lower()
        raise click.ClickException(f"Cannot serve on {host}: {reason}.") from None
    listener.set_inheritable(True)
    return listener


def _is_private(host: str) -> bool:
    """Whether only this computer can reach the address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_any(host: str) -> bool:
    """Whether the address stands for all of this computer's."""
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def _address_in_network() -> str:
    """The address by which the other devices of the network know this computer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket sends nothing; it only chooses the outgoing address.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def _print_qr(address: str) -> None:
    import io

    import segno

    out = io.StringIO()
    segno.make(address, error="l").terminal(out=out, compact=True)
    click.echo(out.getvalue(), err=True)
