"""A headless Firefox, driven by its Marionette protocol: the same methods as those of `devtools.Browser`.

The protocol: https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
"""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any, Callable, List

from devtools import waited

START = """
const seen = window.seenOfPages = { requests: [], complaints: [] };
Services.obs.addObserver((channel) => {
  const { loadInfo, URI } = channel.QueryInterface(Ci.nsIHttpChannel);
  if (!loadInfo.triggeringPrincipal.isSystemPrincipal) seen.requests.push(URI.spec);
}, "http-on-modify-request");
Services.console.registerListener((one) => {
  if (one instanceof Ci.nsIScriptError && /^(http|blob):/.test(one.sourceName)) seen.complaints.push(one.errorMessage);
});
Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage).addLogEventListener((event) => {
  const { level, filename, arguments: words } = event.wrappedJSObject ?? event;
  const isOfPage = /^(http|blob):/.test(filename);
  if (isOfPage && ["error", "warn"].includes(level)) seen.complaints.push(words.map(String).join(" "));
}, Services.scriptSecurityManager.getSystemPrincipal());
"""
SIZE = """
const [width, height, dark] = arguments, style = gBrowser.selectedBrowser.style;
for (const end of ["min", "max"]) {
  style.setProperty(`${end}-width`, `${width}px`);
  style.setProperty(`${end}-height`, `${height}px`);
}
Services.prefs.setIntPref("layout.css.prefers-color-scheme.content-override", dark ? 0 : 1);
"""
CHOOSE = """
const [path, isFolder, done] = arguments, input = document.createElement("input");
Object.assign(input, { type: "file", multiple: true, id: "dropped", hidden: true });
document.body.append(input);
Promise.resolve(isFolder ? new Directory(path) : File.createFromFileName(path)).then((one) => {
  input.mozSetDndFilesAndDirectories([one]);
  done();
});
"""
DROP = """
const input = document.querySelector("#dropped");
const items = input.webkitEntries.map((one) => ({ webkitGetAsEntry: () => one }));
const event = new Event("drop", { bubbles: true, cancelable: true });
event.dataTransfer = { items, files: input.files };
input.remove();
document.body.dispatchEvent(event);
"""


class Firefox:
    """One Firefox with one page."""

    def __init__(self, path: str, profile: Path, port: int) -> None:
        settings = {
            "marionette.port": 0, "network.proxy.type": 1, "network.proxy.http": "127.0.0.1",
            "network.proxy.http_port": port, "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": port,
            "datareporting.policy.dataSubmissionEnabled": False, "app.normandy.enabled": False,
            "dom.filesystem.pathcheck.disabled": True,  # else the page ends that reads a folder of a script's
        }  # fmt: skip
        profile.mkdir()
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items())
        (profile / "user.js").write_text("".join(lines))
        words = [path, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote"]
        environment = {**os.environ, "HOME": str(profile)}
        none = subprocess.DEVNULL
        self.process = subprocess.Popen([*words, "--profile", profile], env=environment, stdout=none, stderr=none)
        active = profile / "MarionetteActivePort"
        waited(lambda: active.exists() and active.read_text().strip(), 60, "no Firefox")
        self._socket = socket.create_connection(("127.0.0.1", int(active.read_text())))
        self._in = self._socket.makefile("rb")
        self._number = 0
        self._message()  # its greeting
        self.send("WebDriver:NewSession", capabilities={"alwaysMatch": {"unhandledPromptBehavior": "ignore"}})
        self.send("WebDriver:SetTimeouts", script=600_000, pageLoad=120_000)
        self._chrome(START)

    def send(self, command: str, **parameters: Any) -> Any:
        """The result of a command. Raises RuntimeError."""
        self._number += 1
        data = json.dumps([0, self._number, command, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(data), data))
        _, _, error, result = self._message()
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return result

    def _message(self) -> Any:
        size = b""
        while not size.endswith(b":"):
            one = self._in.read(1)
            if not one:
                raise RuntimeError("the browser has ended")
            size += one
        return json.loads(self._in.read(int(size[:-1])))

    def _chrome(self, script: str, *words: Any) -> Any:
        """What a script returns that runs as part of the browser, not of the page."""
        self.send("Marionette:SetContext", value="chrome")
        try:
            return self.send("WebDriver:ExecuteScript", script=script, args=words)["value"]
        finally:
            self.send("Marionette:SetContext", value="content")

    def run(self, script: str) -> Any:
        """The value of an expression in the page, which may be a promise. Raises RuntimeError for an exception."""
        body = f"(async () => {{ const value = await ({script}\n); done({{ value }}); }})()"
        catching = f"const done = arguments[0]; {body}.catch((error) => done({{ error: String(error) }}));"
        try:
            found = self.send("WebDriver:ExecuteAsyncScript", script=catching, args=[])["value"]
        except RuntimeError as error:
            if "SyntaxError" not in str(error):
                raise
            return self.send("WebDriver:ExecuteScript", script=script, args=[])["value"]  # statements
        if "error" in found:
            raise RuntimeError(found["error"])
        return found.get("value")

    def frame(self, end: str) -> Callable[[str], Any]:
        """What evaluates in the page's only frame."""

        def value(script: str) -> Any:
            self.send("WebDriver:SwitchToFrame", id=0)
            try:
                return self.send("WebDriver:ExecuteScript", script=f"return ({script})", args=[])["value"]
            finally:
                self.send("WebDriver:SwitchToFrame", id=None)

        return value

    def wait(self, script: str, seconds: float = 120) -> float:
        """Wait until an expression is true; the seconds that took. Raises TimeoutError."""
        return waited(lambda: self.run(f"Boolean({script})"), seconds, script)

    def go(self, address: str) -> None:
        """Load an address in the page, and wait until it is there."""
        self.send("WebDriver:Navigate", url="about:blank")
        self.send("WebDriver:Navigate", url=address)

    def size(self, width: int, height: int, dark: bool) -> None:
        """The size of the page, and which colours it prefers."""
        self._chrome(SIZE, width, height, dark)

    def drop_path(self, path: Path) -> None:
        """Drop a file or a folder of the disk: an input has what is dropped on it, and the page an event with that."""
        words = [str(path), path.is_dir()]
        self.send("WebDriver:ExecuteAsyncScript", script=CHOOSE, args=words, sandbox="system")
        self.send("WebDriver:ExecuteScript", script=DROP, args=[])

    def picture(self, path: Path) -> None:
        """Write what is seen as a PNG file."""
        path.write_bytes(base64.b64decode(self.send("WebDriver:TakeScreenshot", full=False)["value"]))

    @property
    def requests(self) -> List[str]:
        """The addresses that the page and its workers have asked for."""
        return list(self._chrome("return window.seenOfPages.requests"))

    def complaints(self) -> List[str]:
        """What the page and its workers have logged as errors, refusals of the Content-Security-Policy among them."""
        return list(self._chrome("return window.seenOfPages.complaints"))

    def close(self) -> None:
        """End it, and wait until it no longer writes to its profile."""
        try:
            self.send("Marionette:Quit", flags=["eForceQuit"])
            self.process.wait(20)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self._socket.close()
