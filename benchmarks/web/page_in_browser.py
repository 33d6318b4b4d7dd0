"""Builds the page of web/, serves it and uses it in a headless Chromium or Firefox: drops, types, cancels, compares.

Prints what is wrong, then sizes and times, and exits with 1 if anything is not as it should be. The files to drop are
recorded (tests/cases/compiled), so no other Python is needed; Node.js, npm and one of the browsers are.

    python benchmarks/web/page_in_browser.py                             build all versions, then use the page
    python benchmarks/web/page_in_browser.py --built build/web           use one that is built
    python benchmarks/web/page_in_browser.py --firefox PATH              in this Firefox
    python benchmarks/web/page_in_browser.py --pictures DIR --axe axe.min.js   screenshots; axe-core, a package of npm
"""

from __future__ import annotations

import argparse
import base64
import gzip
import io
import json
import os
import random
import sys
import tempfile
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from devtools import Browser, Server, serving
from firefox import Firefox

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "web"), str(ROOT / "benchmarks" / "torch_compile"),
                str(ROOT / "benchmarks" / "lib")]  # fmt: skip

from report_in_browser import browser  # noqa: E402

TYPED = "def total(items):\n    return sum(x * x for x in items if x)\n"
LONG = "\n".join("def f{0}(x):\n    return [y for y in x if y > {0}] or f{0}(x + {0})".format(n) for n in range(6000))
OPEN = "document.querySelector('.source')"
DONE = "!document.querySelector('#result').hidden && document.querySelector('#busy').hidden"
TROUBLE = "document.querySelector('#trouble').textContent"
LISTED = "!document.querySelector('#members').hidden && document.querySelector('#result').hidden"
IDLE = "document.querySelector('#busy').hidden"
HOSTILE = "<img src=x onerror=alert(1)>"

OF_PYODIDE = (
    "Pyodide has suffered a fatal error", "The cause of the fatal error was", "call stack size exceeded",
    "too much recursion", "The WebAssembly exception handling 'try' instruction is deprecated",
)  # fmt: skip
"""What is logged when its worker's stack is full, and the page ends that worker; and what Firefox says of its code."""

OWN_HOSTS = (
    ".google.com", ".googleapis.com", ".gvt1.com", ".mozilla.com", ".mozilla.net", ".mozilla.org", ".firefox.com",
)  # fmt: skip
"""Of the browsers, which look for updates and the like whatever page they show."""


def compiled(version: str) -> bytes:
    """A .pyc file of a CPython: the recorded code with a header."""
    from depyf.decompiler.bytecode.code.formats import FORMATS

    case = json.loads((ROOT / "tests" / "cases" / "compiled" / "behavior.json").read_text(encoding="utf-8"))
    code = zlib.decompress(base64.b85decode(case["codes"][version]))
    major, minor = map(int, version.split("."))
    magic = max(FORMATS[major, minor].magic_numbers)
    return magic.to_bytes(2, "little") + b"\r\n" + bytes(12) + code


def archive(files: Dict[str, bytes]) -> bytes:
    """A zip file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in files.items():
            made.writestr(name, data)
    return out.getvalue()


class Session:
    """The page in a browser, and what was found out about it."""

    def __init__(self, page: Union[Browser, Firefox], server: Server, axe: str, verbose: bool) -> None:
        self.page, self.server, self.axe, self.verbose = page, server, axe, verbose
        self.wrong: List[str] = []
        self.count = 0
        self.times: Dict[str, float] = {}

    def note(self, what: str, right: Any) -> None:
        """Count a check; keep it if it is not ``right``."""
        self.count += 1
        if not right:
            self.wrong.append(what)

    def load(self, fragment: str = "") -> None:
        """The page anew, without workers."""
        self.page.go(self.server.address + fragment)
        self.page.wait("document.querySelector('#about p')")

    def drop(self, name: str, data: bytes, on: str = "body") -> None:
        """Drop a file on an element."""
        text = base64.b64encode(data).decode()
        self.page.run(f"""(() => {{
          const bytes = Uint8Array.from(atob({json.dumps(text)}), (one) => one.charCodeAt(0));
          const data = new DataTransfer();
          data.items.add(new File([bytes], {json.dumps(name)}));
          document.querySelector({json.dumps(on)}).dispatchEvent(
            new DragEvent("drop", {{ dataTransfer: data, bubbles: true, cancelable: true }}));
        }})()""")

    def shown(self, name: str, data: bytes, on: str = "body") -> float:
        """Drop a file and wait until its source is shown; the seconds that took."""
        start = time.monotonic()
        self.page.run("document.querySelector('#name').textContent = ''; "
                      "document.querySelector('#members').hidden = true")  # fmt: skip
        self.drop(name, data, on)
        self.page.wait(f"({DONE} && document.querySelector('#name').textContent) || {TROUBLE} || {LISTED}")
        return time.monotonic() - start

    def type(self, text: str) -> None:
        """Type it, in place of what was typed before."""
        self.page.run(f"document.querySelector('#typed').value = {json.dumps(text)}; "
                      "document.querySelector('#typed').dispatchEvent(new Event('input'))")  # fmt: skip

    def text(self, selector: str) -> str:
        """The text of an element."""
        return str(self.page.run(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''"))

    def click(self, selector: str) -> None:
        """Click an element, and wait until nothing is going on."""
        self.page.run(f"document.querySelector({json.dumps(selector)}).click()")
        self.page.wait(IDLE)

    def accessible(self, where: str) -> None:
        """Every rule of axe-core holds."""
        if self.axe:
            self.page.run(self.axe + "; 0")
            for one in self.page.run("axe.run().then(({violations}) => violations.map(({help, nodes}) => "
                                     "help + ': ' + nodes[0].html.slice(0, 160)))"):  # fmt: skip
                self.note(f"{where}: {one}", False)
        self.note(f"{where}: nothing is wider than the window",
                  self.page.run("document.documentElement.scrollWidth <= innerWidth"))  # fmt: skip


def use_files(at: Session, versions: List[str]) -> None:
    """A file of each version; those without a CPython here are not proven."""
    for version in versions:
        at.load()
        at.times[f"first result, {version}"] = at.shown("behavior.pyc", compiled(version))
        at.note(f"{version} is shown: {at.text('#trouble')}", at.text("#maker") == f"CPython {version}")
        at.note(f"{version} is proven here", f"proven here, by CPython {version}" in at.text("#verdicts summary"))
        chips = at.page.run("document.querySelectorAll('.margin .chip').length")
        at.note(f"{version} has verdicts in the margin", chips > 20)
        at.times[f"second result, {version}"] = at.shown("behavior.pyc", compiled(version))
    for version in ("3.7", "3.8", "3.9"):
        at.shown("old.pyc", compiled(version))
        said = at.text("#verdicts summary")
        at.note(f"{version} is unproven: {said}", f"Unproven here: no CPython {version}" in said)
        at.note(f"{version} is shown", "handlers_are_last" in at.text(".source"))


def use_views(at: Session) -> None:
    """Lines that belong together, the graph, the steps, the layouts, the keyboard."""
    page = at.page
    at.load("#code=" + "".join(f"%{byte:02x}" for byte in TYPED.encode()))
    at.times["typed, cold"] = page.wait(DONE)
    at.note("the fragment is typed", page.run("document.querySelector('#typed').value") == TYPED)
    at.note("and decompiled", at.text(".source").endswith("return sum(x * x for x in items if x)"))
    at.click("#tab-disassembly")
    at.note("both readings of an instruction", "RESUME" in at.text(".listing") and "GET_ITER" in at.text(".listing"))
    page.run("document.querySelectorAll('.source .line')[1].click()")
    lit = page.run("[...document.querySelectorAll('.on')].map((one) => one.closest('[role=tabpanel]').id)")
    at.note("a line lights up its instructions", {"pane-source", "pane-disassembly"} <= set(lit))
    page.run("document.querySelector('.listing .line[data-line=\"1\"]').click()")
    at.note("and an instruction its line", page.run("document.querySelector('.source .line').classList.contains('on')"))
    page.run("document.querySelector('.source button').focus()")
    page.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}))")
    label = page.run("document.activeElement.getAttribute('aria-label')")
    at.note(f"the arrow goes to the next line: {label}", label.startswith("line 2"))
    at.click("#tab-graph")
    at.note("a graph for each code object", page.run("document.querySelectorAll('svg.graph').length") == 3)
    at.note("with edges", page.run("document.querySelectorAll('svg.graph .edge').length > 3"))
    at.click("#tab-steps")
    at.note("all stages", "undo_optimiser" in at.text(".steps") and "prove" in at.text(".steps"))
    at.type("x = {!r}".format(HOSTILE))
    page.wait("document.querySelector('.source')?.textContent.includes('onerror')")
    at.note("text stays text", page.run("document.querySelector('img') === null"))
    at.note("typed code is in the address", "onerror" in page.run("location.hash"))
    at.click("#tab-disassembly")
    start = time.monotonic()
    at.click("input[value=compact]")
    page.wait(IDLE + " && location.hash.includes('compact') && document.querySelector('.listing')")
    at.times["typed, warm"] = time.monotonic() - start
    at.note("the compact layout", at.text(".source code").startswith("x ="))
    at.type("def f(:")
    page.wait(TROUBLE)
    at.note(f"what is no Python is said: {at.text('#trouble')}", "not Python source" in at.text("#trouble"))


def use_archives(at: Session, newest: str) -> None:
    """Members, of which each has its version; a program; a damaged file."""
    at.load()
    at.drop("shop.zip", archive({"a/old.pyc": compiled("3.8"), "a/new.pyc": compiled(newest), "b.py": b"x = 1\n"}))
    at.page.wait("!document.querySelector('#members').hidden")
    names = at.page.run("[...document.querySelectorAll('#members button')].map((one) => one.textContent)")
    at.note(f"members: {names}", names == ["a/new.pyc", "a/old.pyc", "b.py"])
    at.page.run("document.querySelectorAll('#members button')[0].click()")
    at.page.wait(DONE)
    at.note("a member is shown", at.text("#maker") == f"CPython {newest}")
    at.drop("shop", (ROOT / "tests" / "files" / "pyinstaller-v6.pkg").read_bytes())
    at.page.wait("document.querySelector('#members-title').textContent.includes('PyInstaller')")
    at.note("an executable", "PYZ.pyz/shop/prices.pyc" in at.text("#members"))
    at.drop("cut.pyc", compiled("3.8")[:500])
    at.page.wait(TROUBLE)
    at.note(f"a damaged file: {at.text('#trouble')}", "cut.pyc" in at.text("#trouble"))


def use_comparison(at: Session, newest: str) -> None:
    """A file with its source, and with another."""
    at.load()
    source = json.loads((ROOT / "tests" / "cases" / "compiled" / "behavior.json").read_text())["source"].encode()
    at.shown("behavior.pyc", compiled(newest))
    at.click("#tab-compare")
    for name, data, said in (
        ("behavior.py", source, "identical"),
        ("behavior.py", source.replace(b'"after"', b'"behind"'), "They differ"),
        ("other.pyc", compiled("3.8"), "statements alone were compared"),
    ):
        at.drop(name, data, "#pane-compare")
        at.page.wait(f"document.querySelector('#compared').textContent || {TROUBLE}")
        at.page.wait(IDLE)
        at.note(f"compared with {name}: {said}, not {at.text('#compared')[:300]} {at.text('#trouble')}",
                said in at.text("#compared"))  # fmt: skip


def use_limits(at: Session) -> None:
    """Long work is cancelled, or ends by itself; the page lives on."""
    at.load()
    at.drop("long.py", LONG.encode())
    at.page.wait("document.querySelector('#status').textContent.startsWith('Decompiling')")
    time.sleep(1)
    start = time.monotonic()
    at.page.run("document.querySelector('#cancel').click()")
    at.page.wait(f"{IDLE} && {TROUBLE}")
    at.times["cancelling"] = time.monotonic() - start
    at.note("it says so", at.text("#trouble") == "cancelled")
    at.page.run("document.documentElement.dataset.seconds = 7")
    at.drop("long.py", LONG.encode())
    at.page.wait(f"{IDLE} && {TROUBLE}.includes('limit')")
    at.page.run("delete document.documentElement.dataset.seconds")
    at.shown("small.py", b"x = 1\n")
    at.note("the page lives on", at.text(".source code") == "x = 1")


def use_report(at: Session) -> None:
    """A log of TORCH_TRACE, and the folder of a recording."""
    at.load()
    cases = ROOT / "tests" / "cases" / "reports"
    for path, said in ((cases / "trace.log", "1 call raised"), (cases / "dump", "2 graph breaks")):
        at.page.run("document.querySelector('iframe')?.remove()")
        at.page.drop_path(path)
        at.page.wait(f"document.querySelector('iframe') || {TROUBLE}")
        at.note(f"a report is shown: {at.text('#trouble')}", at.page.run("!document.querySelector('#report').hidden"))
        frame = at.page.frame("report.html")
        for _ in range(100):
            if frame("document.querySelectorAll('.depyf .l').length > 3"):
                break
            time.sleep(0.1)
        text = frame("document.body.innerText")
        at.note(f"{path.name}: {said}, not {text[:100]}", said in text)
        at.note("in a frame without an origin", frame("self.origin") == "null")
        frame("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true}))")
        at.note("and its script runs", frame("document.querySelector('dialog').open"))


def use_hostile(at: Session, newest: str, count: int) -> None:
    """Damaged files, deep and large ones: each has an answer, and the page lives on."""
    from fuzz_inputs import damage

    at.load()
    dice, good = random.Random(1), compiled(newest)
    files = {f"damaged-{number}.pyc": damage(dice, good, [good]) for number in range(count)}
    files["random.exe"] = b"MZ" + bytes(dice.randrange(256) for _ in range(100_000))
    for what, text in (("minus", "x = " + "-" * 5000 + "1"), ("brackets", "x = " + "[" * 190 + "]" * 190),
                       ("sum", "x = " + "+".join(["y"] * 5000)), ("calls", "x = " + "f(" * 90 + ")" * 90),
                       ("chain", "x = y" + ".a()" * 3000), ("else", "if a: b\n" + "elif a: b\n" * 1500)):  # fmt: skip
        files[f"{what}.py"] = text.encode()
    files["bomb.pyc.gz"] = gzip.compress(bytes(400 << 20))
    for name, data in files.items():
        at.page.run("document.querySelector('#trouble').textContent = ''")
        at.shown(name, data)
        trouble = at.text("#trouble")
        at.note(f"{name}: {trouble}", "internal error" not in trouble)
        if at.verbose:
            print(f"{name}: {trouble or at.text('#verdicts summary')}"[:200])
    at.shown("small.py", b"x = 1\n")
    at.note("the page lives on after hostile files", at.text(".source code") == "x = 1")


def use_offline(at: Session, newest: str) -> None:
    """Without a server the page and a CPython that was used are there."""
    at.load()
    at.page.run("navigator.serviceWorker.ready.then(() => true)")
    at.load()  # from here on the requests are the service worker's
    at.shown("behavior.pyc", compiled(newest))
    at.server.is_gone = True
    try:
        at.load()
        at.shown("behavior.pyc", compiled(newest))
        at.note("offline: " + at.text("#trouble"), f"proven here, by CPython {newest}" in at.text("#verdicts summary"))
    finally:
        at.server.is_gone = False


def look(at: Session, pictures: Optional[Path], newest: str) -> None:
    """Rules of accessibility at two widths, in both colours; pictures."""
    for width, dark in ((1280, False), (400, True), (400, False), (1280, True)):
        at.page.size(width, 900, dark)
        at.load()
        where = "{}, {}".format(width, "dark" if dark else "light")
        at.accessible(f"{where}, at first")
        if pictures:
            at.page.picture(pictures / f"{width}-{'dark' if dark else 'light'}-first.png")
        at.shown("behavior.pyc", compiled(newest))
        for view in ("source", "disassembly", "graph", "steps", "compare"):
            if view != "source" or width < 1000:
                at.click(f"#tab-{view}")
            at.accessible(f"{where}, {view}")
            if pictures:
                at.page.picture(pictures / f"{width}-{'dark' if dark else 'light'}-{view}.png")
    at.page.size(1280, 900, False)


def sizes(folder: Path) -> None:
    """What is loaded of each version, raw and compressed."""
    for version in sorted(folder.glob("python/*")):
        data = [path.read_bytes() for path in version.iterdir()]
        packed = sum(len(gzip.compress(one, 6)) for one in data)
        print(f"  CPython {version.name}: {sum(map(len, data)) / 1e6:.1f} MB, compressed {packed / 1e6:.1f}")
    page = [path.read_bytes() for path in folder.iterdir() if path.is_file()]
    packed = sum(len(gzip.compress(one, 6)) for one in page)
    print(f"  the page: {sum(map(len, page)) / 1e3:.0f} kB, compressed {packed / 1e3:.0f}")


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--built", type=Path, help="the page, built before")
    parser.add_argument("--axe", default="", help="axe.min.js of axe-core")
    parser.add_argument("--pictures", type=Path, help="a folder for screenshots")
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM", ""), help="the browser")
    parser.add_argument("--firefox", default="", metavar="PATH", help="this Firefox in its place")
    parser.add_argument("--damaged", type=int, default=40, metavar="N", help="damaged files (default 40)")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what is said of hostile files")
    options = parser.parse_args()
    chromium = "" if options.firefox else browser(options.chromium)
    axe = Path(options.axe).read_text(encoding="utf-8") if options.axe else ""
    with tempfile.TemporaryDirectory() as name:
        folder = options.built
        if folder is None:
            import build

            folder = Path(name) / "web"
            build.build(folder, list(build.PYODIDES))
        versions = list(json.loads((folder / "versions.json").read_text())["built"])
        if options.pictures:
            options.pictures.mkdir(parents=True, exist_ok=True)
        with serving(folder) as server:
            profile, port = Path(name) / "profile", server.server_port
            page = Firefox(options.firefox, profile, port) if options.firefox else Browser(chromium, profile, port)
            at = Session(page, server, axe, options.verbose)
            try:
                page.size(1280, 900, False)
                use_files(at, versions)
                use_views(at)
                use_archives(at, versions[-1])
                use_comparison(at, versions[-1])
                use_limits(at)
                use_report(at)
                use_hostile(at, versions[-1], options.damaged)
                use_offline(at, versions[-1])
                look(at, options.pictures, versions[-1])
                hosts = {one.split("://")[-1].split("/")[0].split(":")[0] for one in server.foreign}
                foreign = [one for one in hosts if not one.endswith(OWN_HOSTS)]
                at.note(f"requests to other hosts: {foreign}", not foreign)
                requests = page.requests
                asked = [one for one in requests if not one.startswith((server.address, "blob:" + server.address))]
                at.note(f"requests of the page to other hosts: {asked}", not asked and requests)
                for one in dict.fromkeys(page.complaints()):
                    at.note(f"the browser complains: {one}", any(map(one.count, OF_PYODIDE)))
            finally:
                page.close()
        for one in at.wrong:
            print("wrong: " + one)
        print(f"{at.count} checks, {len(at.wrong)} wrong; {len(requests)} requests by the page and its workers")
        for what, seconds in at.times.items():
            print(f"  {what}: {seconds:.2f} s")
        sizes(folder)
    return 1 if at.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
