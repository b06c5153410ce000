"""Where a stream takes sums under ids: a state folder of this process, or a server."""

from __future__ import annotations

import atexit
import http.client
import ipaddress
import json
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Protocol

from .. import _core, _settings
from ..errors import BudgetExhausted, Conflict, Error, InvalidParameter

# When its first slot begins is decided when a stream is made; the statement has nothing that the numbers do not have.
_MAY_DIFFER = frozenset({"first_slot_begins", "statement"})
# What every stream that many write to has, unless its settings say otherwise.
SERVED = {"records": "lines"}
_TRY_AGAIN = (429, 500, 502, 503, 504, 507)


class Place(Protocol):
    """Takes sums under an id, durably: after a crash the same call is answered as before and takes nothing."""

    def create(self, settings: dict[str, Any]) -> None: ...
    def take(self, id: str, sums: bytes, query: str) -> None: ...
    def lines(self, since: int) -> list[str]: ...
    def statement(self) -> str: ...
    def is_finished(self) -> bool: ...
    def close(self) -> None: ...


class _Folders:
    """A folder has one server, which all sinks of this process share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, tuple[_core.Service, int]] = {}
        atexit.register(self.close_all)

    def take(self, path: str, with_seed: bool) -> _core.Service:
        with self._lock:
            service, users = self._open.get(path) or (_core.Service(path, with_seed), 0)
            self._open[path] = (service, users + 1)
            return service

    def give_back(self, path: str) -> None:
        with self._lock:
            service, users = self._open.pop(path, (None, 0))
            if service is not None and users > 1:
                self._open[path] = (service, users - 1)
            elif service is not None:
                service.close()

    def close_all(self) -> None:
        with self._lock:
            for service, _ in self._open.values():
                service.close()
            self._open.clear()


_folders = _Folders()


class Folder:
    """The streams that the server would have, in this process. They are released on time while it lives."""

    def __init__(self, path: str, name: str, settings: dict[str, Any]) -> None:
        self._path = os.path.realpath(path)
        self._name = name
        self._service: _core.Service | None = _folders.take(self._path, "insecure_test_seed" in settings)
        try:
            self.create(settings)
        except BaseException:
            self.close()
            raise

    @property
    def _open(self) -> _core.Service:
        if self._service is None:
            raise Error("the sink was closed")
        return self._service

    def create(self, settings: dict[str, Any]) -> None:
        self._open.create(json.dumps({"name": self._name, **settings}))

    def take(self, id: str, sums: bytes, query: str) -> None:
        self._open.take_block(self._name, id, sums, query)

    def lines(self, since: int) -> list[str]:
        return self._open.lines(self._name, since)

    def statement(self) -> str:
        return self._open.statement(self._name)

    def is_finished(self) -> bool:
        return self._open.is_finished(self._name)

    def close(self) -> None:
        if self._service is not None:
            self._service = None
            _folders.give_back(self._path)


class Server:
    """`jme serve` somewhere else. Whatever gets no answer is sent again, which takes nothing twice."""

    def __init__(self, url: str, name: str, token: str | None, patience: float) -> None:
        self._url = url.rstrip("/")
        parts = urllib.parse.urlsplit(self._url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not _is_plain(url) or not _has_port(parts):
            raise InvalidParameter("url must be http://HOST:PORT or https://HOST:PORT", field="url")
        token = token if token is None else token.strip()  # files end with a line break
        if token is not None and not _is_plain(token):
            raise InvalidParameter("token must be one word, as jme token printed it", field="token")
        is_here = _is_this_machine(parts.hostname)
        if parts.scheme == "http" and not is_here:
            raise InvalidParameter("url must begin with https:// where the server is another machine: sums of few rows "
                                   "are nearly the rows, and the token goes with them", field="url")  # fmt: skip
        # A redirection could take sums and token elsewhere, and so could a proxy on the way to this machine itself.
        handlers: list[Any] = [_NoRedirections()]
        if is_here:
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)
        self._name = name
        self._token = token
        self._patience = patience

    def create(self, settings: dict[str, Any]) -> None:
        """An admin's token makes the stream; with another one it must be there, with these settings."""
        status, answer = self._send("POST", "/v1/streams", json.dumps({"name": self._name, **settings}).encode())
        if status == 403:
            self._compare(settings)  # it says whether there is such a stream
        elif status not in (200, 201):
            raise _error(status, answer)

    def take(self, id: str, sums: bytes, query: str) -> None:
        path = f"{self._path}/blocks/{urllib.parse.quote(id, safe=':')}?origin={urllib.parse.quote(query)}"
        status, answer = self._send("PUT", path, sums, "application/octet-stream")
        if status not in (200, 202):
            raise _error(status, answer)

    def lines(self, since: int) -> list[str]:
        raise Error("the server gives releases to those who may read them: GET /v1/streams/NAME/releases")

    def statement(self) -> str:
        return str(self._about()["stream"]["privacy"]["statement"])

    def is_finished(self) -> bool:
        return bool(self._about()["condition"] == "finished")

    def close(self) -> None:
        pass

    @property
    def _path(self) -> str:
        return "/v1/streams/" + urllib.parse.quote(self._name, safe="")

    def _compare(self, settings: dict[str, Any]) -> None:
        """What readers of the stream are told must be what these settings would have them told."""
        text, matrices = _settings.encoded({**SERVED, **settings})
        ours = _promised(json.loads(_core.Stream(text, matrices)._metadata()))
        theirs = _promised(self._about()["stream"])
        other = sorted(key for key in {*ours, *theirs} - _MAY_DIFFER if ours.get(key) != theirs.get(key))
        if other:
            raise InvalidParameter(
                f"config: the server's stream {self._name} has other settings: {', '.join(other)} differ",
                field="config",
            )

    def _about(self) -> dict[str, Any]:
        status, answer = self._send("GET", self._path, None)
        if status != 200:
            raise _error(status, answer)
        about: dict[str, Any] = answer
        return about

    def _send(self, method: str, path: str, body: bytes | None, kind: str = "application/json") -> tuple[int, Any]:
        request = urllib.request.Request(self._url + path, data=body, method=method, headers={"Content-Type": kind})
        if self._token is not None:
            request.add_header("Authorization", f"Bearer {self._token}")
        end = time.monotonic() + self._patience
        pause = 0.2
        while True:
            wait = pause
            try:
                with self._opener.open(request, timeout=60) as response:
                    status, text = response.status, response.read()
                try:
                    return status, json.loads(text)
                except ValueError:
                    raise Error(f"what answers at {self._url} is not jme serve: status {status} without JSON") from None
            except urllib.error.HTTPError as error:
                answer = _problem(error)
                if error.code not in _TRY_AGAIN or time.monotonic() > end:
                    return error.code, answer
                after = error.headers.get("Retry-After", "")
                wait = max(pause, float(after)) if after.isdigit() else pause
            except (OSError, http.client.HTTPException) as error:  # no answer, or a torn one
                if time.monotonic() > end:
                    raise Error(f"the server at {self._url} did not answer for {self._patience:g} s") from error
            time.sleep(min(wait, max(0.0, end - time.monotonic())) or 0.01)
            pause = min(2 * pause, 10)


class _NoRedirections(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _is_plain(text: str) -> bool:
    """Nothing that would end a line or a word of a request."""
    return bool(text) and all("!" <= letter <= "~" for letter in text)


def _has_port(parts: urllib.parse.SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False


def _promised(metadata: dict[str, Any]) -> dict[str, Any]:
    return {**metadata["configuration"], **metadata["privacy"], "columns": metadata["columns"]}


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _problem(error: urllib.error.HTTPError) -> Any:
    try:
        return json.loads(error.read())
    except (ValueError, OSError):
        return {}


def _error(status: int, answer: Any) -> Error:
    about = answer if isinstance(answer, dict) else {}
    detail = f"the server refused it: {about.get('detail', f'status {status}')}"
    if status == 409 and about.get("title") == "Budget or horizon used up":
        return BudgetExhausted(detail)
    if status == 409:
        return Conflict(detail, same_id=about.get("field") == "body")
    if status == 422:
        return InvalidParameter(detail, field=about.get("field"))
    return Error(detail)
