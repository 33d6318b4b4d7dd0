"""A small client of the Debug Adapter Protocol: what an editor says to debugpy over its socket.

    with DebugSession.of_program([python, ...], program, arguments) as session:
        session.start({path: [line, ...]})
        stop = session.wait_for_stop()
        session.variables(stop); session.next(stop); ...; session.resume(stop)
        output = session.wait_for_end()

Messages are JSON behind a Content-Length header, numbered; requests are answered, events come at any time.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import IO, Any, Dict, List, Optional, Sequence, Tuple

SECONDS = 600  # tracing is slow, and so are busy machines


@dataclass
class Stop:
    """Where a thread has stopped: the top of its stack, and why."""

    thread: int
    reason: str
    frames: List[Dict[str, Any]]

    @property
    def place(self) -> Tuple[str, int]:
        frame = self.frames[0]
        return str(frame.get("source", {}).get("path", "")), int(frame["line"])

    @property
    def function(self) -> str:
        return str(self.frames[0]["name"])


class DebugSession:
    """One debugged process and the connection to its adapter."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, output: IO[bytes]) -> None:
        self.process = process
        self._printed = output
        self._number = 0
        self._bytes = b""
        self._events: List[Dict[str, Any]] = []
        self._answers: Dict[int, Dict[str, Any]] = {}
        self.transcript: List[str] = []
        self._socket = _connected(port, self)

    @classmethod
    def of_program(
        cls,
        program: Sequence[str],
        environment: Optional[Dict[str, str]] = None,
        python: str = sys.executable,
        folder: Optional[str] = None,
        late: bool = False,
    ) -> DebugSession:
        """Starts ``python -m debugpy --listen PORT --wait-for-client PROGRAM...`` and connects to it.

        With `late` the program itself listens when it likes, at the port which is its last argument.
        """
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        debugpy = ["-m", "debugpy", "--listen", "127.0.0.1:{}".format(port), "--wait-for-client"]
        command = [*program, str(port)] if late else [*debugpy, *program]
        output = tempfile.TemporaryFile()  # no pipe: the adapter inherits it and lives a little longer
        process = subprocess.Popen(
            [python, "-Xfrozen_modules=off", *command], stdout=output, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, cwd=folder, env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1",
                                                      **(environment or {})},
        )
        return cls(process, port, output)

    def __enter__(self) -> DebugSession:
        return self

    def __exit__(self, *_: Any) -> None:
        self._socket.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._printed.close()

    # ---- what an editor does

    def start(self, breakpoints: Dict[str, List[int]], just_my_code: bool = True) -> Dict[Tuple[str, int], bool]:
        """The opening of a session, up to running; returns which breakpoints the adapter took."""
        self.ask("initialize", adapterID="python", clientID="tests", pathFormat="path", linesStartAt1=True,
                 columnsStartAt1=True, supportsRunInTerminalRequest=False)
        attach = self._send("attach", {"justMyCode": just_my_code, "subProcess": False})
        self._event("initialized")
        taken = {}
        for path, lines in breakpoints.items():
            for line, verified in zip(lines, self.set_breakpoints(path, lines)):
                taken[path, line] = verified
        self.ask("configurationDone")
        self._answer(attach)
        return taken

    def set_breakpoints(self, path: str, lines: Sequence[int]) -> List[bool]:
        """The breakpoints of a file, all of them at once, as the protocol wants it."""
        answer = self.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line} for line in lines])
        return [bool(one["verified"]) for one in answer["breakpoints"]]

    def wait_for_stop(self) -> Stop:
        """The next time that a thread stops."""
        event = self._event("stopped")
        thread = event["threadId"]
        frames = self.ask("stackTrace", threadId=thread)["stackFrames"]
        return Stop(thread, event["reason"], frames)

    def variables(self, stop: Stop, frame: int = 0, scope: str = "Locals") -> Dict[str, str]:
        """Names and values, as the editor's panel shows them."""
        scopes = self.ask("scopes", frameId=stop.frames[frame]["id"])["scopes"]
        reference = next(one["variablesReference"] for one in scopes if one["name"] == scope)
        return {one["name"]: one["value"] for one in self.ask("variables", variablesReference=reference)["variables"]}

    def evaluate(self, stop: Stop, expression: str, frame: int = 0) -> str:
        """The value of an expression in a frame, as the debug console shows it."""
        answer = self.ask("evaluate", expression=expression, frameId=stop.frames[frame]["id"], context="repl")
        return str(answer["result"])

    def next(self, stop: Stop) -> Stop:
        """To the next line of the same function."""
        self.ask("next", threadId=stop.thread)
        return self.wait_for_stop()

    def step_in(self, stop: Stop) -> Stop:
        """To the next line, in a called function if there is one."""
        self.ask("stepIn", threadId=stop.thread)
        return self.wait_for_stop()

    def step_out(self, stop: Stop) -> Stop:
        """To the caller."""
        self.ask("stepOut", threadId=stop.thread)
        return self.wait_for_stop()

    def resume(self, stop: Stop) -> None:
        """On to the next breakpoint."""
        self.ask("continue", threadId=stop.thread)

    def wait_for_end(self) -> str:
        """What the program printed, once it has ended. Raises AssertionError unless it exits with 0."""
        self._event("terminated")
        self._socket.close()
        self.process.wait(timeout=SECONDS)
        assert self.process.returncode == 0, self.output()
        return self.output()

    def output(self) -> str:
        """What the program has printed so far."""
        self._printed.seek(0)
        return self._printed.read().decode()

    # ---- messages

    def ask(self, command: str, **arguments: Any) -> Dict[str, Any]:
        """Sends a request and waits for its answer."""
        return self._answer(self._send(command, arguments))

    def _send(self, command: str, arguments: Dict[str, Any]) -> int:
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.transcript.append("-> {} {}".format(command, json.dumps(arguments)))
        return self._number

    def _answer(self, number: int) -> Dict[str, Any]:
        while number not in self._answers:
            self._receive("an answer")
        answer = self._answers.pop(number)
        assert answer["success"], answer
        return dict(answer.get("body") or {})

    def _event(self, name: str) -> Dict[str, Any]:
        while True:
            for event in self._events:
                if event["event"] == name:
                    self._events.remove(event)
                    return dict(event.get("body") or {})
                if name != "terminated" and event["event"] == "terminated":
                    raise AssertionError("the program ended, awaited was {}\n{}".format(name, self.output()))
            self._receive("the event {}".format(name))

    def _receive(self, awaited: str) -> None:
        header, end, rest = self._bytes.partition(b"\r\n\r\n")
        length = int(header.split(b":")[1]) if end else 0
        while not end or len(rest) < length:
            try:
                more = self._socket.recv(65536)
            except socket.timeout:
                raise AssertionError("{} did not come\n{}".format(awaited, self.output())) from None
            if not more:
                raise AssertionError("the adapter went away; awaited was {}\n{}".format(awaited, self.output()))
            self._bytes += more
            header, end, rest = self._bytes.partition(b"\r\n\r\n")
            length = int(header.split(b":")[1]) if end else 0
        message, self._bytes = json.loads(rest[:length]), rest[length:]
        if message["type"] == "response":
            self._answers[message["request_seq"]] = message
        else:
            self._events.append(message)
            self.transcript.append("<- {} {}".format(message["event"], json.dumps(message.get("body"))))


def _connected(port: int, session: DebugSession) -> socket.socket:
    end = time.monotonic() + SECONDS
    while True:
        try:
            found = socket.create_connection(("127.0.0.1", port), timeout=5)
            found.settimeout(SECONDS)
            return found
        except OSError:
            if session.process.poll() is not None or time.monotonic() > end:
                session.process.kill()
                raise AssertionError("debugpy does not listen\n{}".format(session.output())) from None
            time.sleep(0.1)
