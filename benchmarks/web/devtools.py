"""A headless Chromium, driven by the DevTools protocol over a pipe, and a server of files that logs each request.

The server is the browser's proxy too, for every address: what the browser asks of any other host ends here.
"""

from __future__ import annotations

import base64
import contextlib
import http.server
import json
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, Tuple


def waited(is_true: Callable[[], Any], seconds: float, what: str) -> float:
    """Wait until something is true; the seconds that took. Raises TimeoutError."""
    start = time.monotonic()
    while not is_true():
        if time.monotonic() - start > seconds:
            raise TimeoutError(f"never true: {what}")
        time.sleep(0.02)
    return time.monotonic() - start


class Browser:
    """One Chromium with one page, and the messages of its workers."""

    def __init__(self, chromium: str, profile: Path, port: int, size: Tuple[int, int] = (1280, 900)) -> None:
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        words = [
            chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-default-apps", "--disable-features=OptimizationHints,MediaRouter,Translate",
            "--metrics-recording-only",
            f"--proxy-server=127.0.0.1:{port}", "--proxy-bypass-list=<-loopback>", f"--user-data-dir={profile}",
            "--window-size={},{}".format(*size), "about:blank",
        ]  # fmt: skip
        shell = ["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", *words]
        self.process = subprocess.Popen(shell, pass_fds=(to_browser, from_browser), stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._number, self._rest = 0, b""
        self.events: List[Any] = []
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self.page = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for method in ("Page.enable", "Runtime.enable", "Log.enable", "Network.enable"):
            self.send(method, self.page)
        self.send("Target.setAutoAttach", self.page, autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

    def send(self, method: str, session: Optional[str] = None, **parameters: Any) -> Any:
        """The result of a command. Raises RuntimeError."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            found = self._message()
            if found.get("id") == number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                return found["result"]
            self.events.append(found)
            if found.get("method") == "Target.attachedToTarget":  # a worker
                for method in ("Log.enable", "Network.enable", "Runtime.runIfWaitingForDebugger"):
                    self._number += 1
                    ask = {"id": self._number, "method": method, "sessionId": found["params"]["sessionId"]}
                    os.write(self._out, json.dumps(ask).encode() + b"\0")

    def _message(self) -> Any:
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def run(self, script: str) -> Any:
        """The value of an expression in the page, which may be a promise. Raises RuntimeError for an exception."""
        done = self.send("Runtime.evaluate", self.page, expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(str(done["exceptionDetails"].get("exception", {}).get("description", done)))
        return done["result"].get("value")

    def frame(self, end: str) -> Callable[[str], Any]:
        """What evaluates in the frame whose address has that end; it has a process of its own. Raises RuntimeError."""
        found: List[str] = []
        start = time.monotonic()
        while not found and time.monotonic() - start < 20:
            self.run("0")  # lets the frame go on, which waits until it is attached to
            targets = self.send("Target.getTargets")["targetInfos"]
            found = [one["targetId"] for one in targets if one["type"] == "iframe" and one["url"].endswith(end)]
        if not found:
            raise RuntimeError(f"no frame {end}")
        session = self.send("Target.attachToTarget", targetId=found[0], flatten=True)["sessionId"]

        def value(script: str) -> Any:
            return self.send("Runtime.evaluate", session, expression=script, returnByValue=True)["result"].get("value")

        return value

    def wait(self, script: str, seconds: float = 120) -> float:
        """Wait until an expression is true; the seconds that took. Raises TimeoutError."""
        return waited(lambda: self.run(f"Boolean({script})"), seconds, script)

    def go(self, address: str) -> None:
        """Load an address in the page, and wait until it is there."""
        self.send("Page.navigate", self.page, url="about:blank")
        self.send("Page.navigate", self.page, url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def size(self, width: int, height: int, dark: bool) -> None:
        """The size of the window, and which colours it prefers."""
        self.send("Emulation.setDeviceMetricsOverride", self.page, width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", self.page, features=features)

    def drop_path(self, path: Path) -> None:
        """Drop a file or a folder of the disk, as a file manager does."""
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.send("Input.dispatchDragEvent", self.page, type=kind, x=300, y=150, data=data)

    def picture(self, path: Path) -> None:
        """Write what is seen as a PNG file."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", self.page, format="png")["data"]))

    @property
    def requests(self) -> List[str]:
        """The addresses that the page and its workers have asked for."""
        found = [one["params"] for one in self.events if one.get("method") == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in found if one["request"]["url"] != "about:blank"]

    def complaints(self) -> List[str]:
        """What the page and its workers have logged as errors, refusals of the Content-Security-Policy among them."""
        self.run("0")
        found = []
        for event in self.events:
            if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
                found.append(event["params"]["entry"]["text"])
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"].get("exception", {}).get("description")))
        return found

    def close(self) -> None:
        """End it, and wait until it no longer writes to its profile."""
        try:
            self.send("Browser.close")
            self.process.wait(20)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self._out)
        os.close(self._in)


class _Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript",
                      ".wasm": "application/wasm"}  # fmt: skip

    def do_GET(self) -> None:
        """A file of the folder; any other address is logged and refused."""
        server: Any = self.server
        own = f"http://localhost:{server.server_port}/"
        if self.path.startswith(own):
            self.path = self.path[len(own) - 1 :]
        server.asked.append(self.path)
        if server.is_gone:
            self.close_connection = True
        elif self.path.startswith("/"):
            super().do_GET()
        else:
            self.send_error(403)

    do_POST = do_HEAD = do_CONNECT = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the server keeps the requests."""


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder, until it ``is_gone``. ``asked`` are the addresses, of other hosts with the host."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), lambda *args: _Handler(*args, directory=str(folder)))
        self.asked: List[str] = []
        self.is_gone = False

    @property
    def address(self) -> str:
        """That of the folder."""
        return f"http://localhost:{self.server_port}/"

    @property
    def foreign(self) -> List[str]:
        """The requests to other hosts."""
        return [one for one in self.asked if not one.startswith("/")]


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server, until the end of the block."""
    with Server(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
