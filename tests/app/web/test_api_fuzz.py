"""Requests made from the API's own description: none may break the server."""

from __future__ import annotations

from typing import Any

import schemathesis
from fanlens.app.web import create_app
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error

API = schemathesis.openapi.from_dict(create_app(lambda _photo: {}).openapi())


@API.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_breaks_the_server(case: Any, server: str) -> None:
    case.call_and_validate(base_url=server, checks=[not_a_server_error])
