"""Dumps and logs with something else in their fields, and what no report on them may do.

Starts from the recording and the log in tests/cases/reports.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import html.parser
import io
import json
import os
import random
import re
import unicodedata
import urllib.parse
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple

from depyf.cli import main
from depyf.explain.report.html.report_page import report_page
from depyf.explain.report.remarks.stored import Report

CASES = Path(__file__).resolve().parents[2] / "tests" / "cases" / "reports"
DUMP = ("remarks.json", "compile_times.json", "sources.json")
LOG = "dedicated_log_torch_trace_x.log"
FORMATS = ("text", "html", "json", "sarif", "github")
CANARY = "the text of another file"
DEEP = "a list in lists, 100,000 deep"  # put into the text: `json` can't write it
SPOKEN = (
    "a\nb", "\n::error::forged", "\r\n  ::set-output name=a::b", "::stop-commands::x", "%0A::error::forged",
    "  ::error file=a,line=1::forged", "words so long that ::error::forged begins a line " * 12,
    "::error::forged " * 40, "##[error]forged", "x ##[group]y", "##vso[task.complete]",
    "\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "\x7f\x08\x00", "\u202eesrever", "\u2066\u200f",
    "\u2028\u2029\x85", "a\u3164b\ufe0f",
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "'\" onmouseover='alert(1)' x=\"",
    "--><svg/onload=alert(1)>", "javascript:alert(1)", "https://a/\" onclick=\"b", "![a](http://b/c)",
    "[a](javascript:b)", "```\n# a", "a b#c?d&e.py", "//host/share/a.py", "C:\\a.py", "\udcff", "{0} {x} %s %(a)s",
    "x" * 20_000, "", " ", "torch_dynamo_resume_in_f_at_99999999999999999999", "L['x'] == " + "9" * 5000,
)  # fmt: skip
"""Texts that some reader of a report would take for more than text."""

OTHERS: tuple[Any, ...] = (
    -1, 0, 1, 3, 2**31, 2**63, 10**400, 1.5, -0.0, 1e308, float("nan"), float("inf"), True, False, None, [], {}, [1],
    ["a"], [[]], {"a": 1}, [None], DEEP, "\ud800", "x" * 1_100_000,
)  # fmt: skip
"""Values of other types and sizes."""


class Place(NamedTuple):
    """A field: the file, which record of it, and the keys that lead to the field."""

    file: str
    record: int
    keys: tuple[Any, ...]


class Received:
    """A dump and a log, as data that may be changed, and written."""

    def __init__(self) -> None:
        self.files: dict[str, list[Any]] = {name: [json.loads((CASES / "dump" / name).read_text())] for name in DUMP}
        self.heads: list[str] = []
        self.payloads: list[list[str] | None] = []
        records: list[Any] = []
        for line in (CASES / "trace.log").read_text(encoding="utf-8").splitlines():
            if line.startswith("\t"):
                self.payloads[-1] = [*(self.payloads[-1] or []), line[1:]]
                continue
            head, _, data = line.partition("{")
            self.heads.append(head)
            self.payloads.append(None)
            records.append(json.loads("{" + data))
        self.files[LOG] = records

    def places(self) -> list[Place]:
        """Every field of every record."""
        return [Place(name, at, keys) for name, records in self.files.items() for at, one in enumerate(records)
                for keys in _fields(one)]  # fmt: skip

    def put(self, place: Place, value: Any) -> None:
        """Another value for a field, if no other one has replaced what holds it."""
        *before, last = place.keys
        holder: Any = self.files[place.file][place.record]
        for key in before:
            try:
                holder = holder[key]
            except (KeyError, IndexError, TypeError):
                return
        if type(holder) not in (dict, list):
            return
        if last == "":  # the name of a field
            for name in list(holder):
                holder[str(value)] = holder.pop(name)
                return
        holder[last] = copy.deepcopy(value)  # no value is in itself

    def write(self, folder: Path) -> None:
        """The dump into `folder` / "dump", the log into `folder` / "trace"."""
        for name, records in self.files.items():
            path = folder / ("trace" if name == LOG else "dump") / name
            path.parent.mkdir(parents=True, exist_ok=True)
            texts = [json.dumps(one).replace(json.dumps(DEEP), "[" * 100_000 + "]" * 100_000) for one in records]
            if name == LOG:
                texts = [self._record(at, text) for at, text in enumerate(texts)]
            path.write_text("".join(texts), encoding="utf-8", errors="surrogatepass")

    def _record(self, at: int, text: str) -> str:
        payload = self.payloads[at]
        if payload is None:
            return self.heads[at] + text + "\n"
        body = "\n".join(payload)
        md5 = hashlib.md5(body.encode("utf-8", "surrogatepass")).hexdigest()
        text = re.sub(r'("has_payload": )"\w*"', rf'\1"{md5}"', text)
        return self.heads[at] + text + "\n" + "".join("\t" + line + "\n" for line in body.split("\n"))

    def damage(self, dice: random.Random, files: tuple[str, ...] = (*DUMP, LOG)) -> None:
        """Changes one thing or some, in fields and in payloads."""
        places = [one for one in self.places() if one.file in files]
        for _ in range(dice.choice((1, 1, 1, 2, 4, 30))):
            if LOG in files and dice.random() < 0.4:
                self._damage_payload(dice)
            else:
                value = dice.choice(SPOKEN) if dice.random() < 0.6 else dice.choice(OTHERS)
                with contextlib.suppress(KeyError, IndexError, TypeError, AttributeError):  # what was there is gone
                    self.put(dice.choice(places), value)

    def _damage_payload(self, dice: random.Random) -> None:
        payload = dice.choice([one for one in self.payloads if one])
        at = dice.randrange(len(payload))
        line = payload[at]
        way = dice.randrange(7)
        if way == 0:
            begin = dice.randrange(len(line) + 1)
            payload[at] = line[:begin] + dice.choice(SPOKEN) + line[begin:]
        elif way == 1:
            payload[at] = re.sub(r"\d+", lambda _: str(dice.choice((0, 2**63, "9" * 5000))), line)
        elif way == 2:
            payload[at] = line * dice.choice((2, 30, 1000)) if len(line) < 200 else line[::-1]
        elif way == 3:
            payload[at:at] = dice.choice([one for one in self.payloads if one])[: dice.choice((1, 5, 40))]
        elif way == 4:
            words = re.split(r"(\W)", line)
            dice.shuffle(words)
            payload[at] = "".join(words)
        elif way == 5:
            sign = dice.choice("([{.-#:'\" ,=\t|+~")
            payload[at] = line + dice.choice((sign, sign + "a")) * dice.choice((40, 3000))
        else:
            del payload[at : at + dice.choice((1, 3))]


def _fields(value: Any, keys: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield (*keys, key)
        yield from _fields(one, (*keys, key))
    if isinstance(value, dict) and value:
        yield (*keys, "")


def surroundings(folder: Path) -> list[str]:
    """Makes files that no report may show; the names by which a dump may ask for them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("canary.py", "canary"):
        (folder / name).write_text(f"{CANARY}\n" * 40)
    for name in ("dump", "trace"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "out.py").symlink_to(folder / "canary.py")
        (folder / name / "up").symlink_to(folder)
    dump = folder / "dump"
    return [
        str(folder / "canary.py"), str(folder / "canary"), "../canary.py", "up/canary.py", "out.py", "/home/me/out.py",
        str(dump / "out.py"), str(dump / ".." / "canary.py"), "canary.py", "/dev/zero", (folder / "canary.py").as_uri(),
    ]  # fmt: skip


class Said(NamedTuple):
    """What a command said."""

    status: Any
    out: str
    err: str


def command(*words: str) -> Said:
    """Runs the command line in this process; its exceptions pass through."""
    os.environ["DEPYF_TRACEBACK"] = "1"  # else one that no code expects is a line
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(list(words))
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))
    return Said(status, *texts)


def faults(form: str, said: Said) -> list[str]:
    """What is wrong with it, in words."""
    found = [] if said.status in (0, 1, 2) else [f"status {said.status!r}"]
    found += [] if said.err.count("\n") <= 1 else ["an error of several lines: " + said.err[:300]]
    found += [] if "(a mistake of depyf" not in said.err else ["a mistake: " + said.err]
    text = said.out + said.err
    found += ["another file's text"] if CANARY in text else []
    raw = sorted(
        {ascii(one) for one in set(text) - {"\n"} if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    )
    found += [f"raw {', '.join(raw)}"] if raw else []
    lines = text.split("\n")
    spoken = [line for line in lines if line.lstrip().startswith("::")] if form != "github" else [
        line for line in said.out.split("\n") if line and not _OURS.fullmatch(line)]  # fmt: skip
    found += [
        f"a command to the runner: {one[:90]!r}" for one in spoken + [line for line in lines if _MARK.search(line)]
    ]
    if said.status == 0 and form in _CHECKS:
        found += _CHECKS[form](said.out)
    return found


_MARK = re.compile(r"##(\[|vso\[)")
_OURS = re.compile(r"::warning file=[^:,]*,line=\d+,title=torch\.compile [a-z ]*::.*")


def _of_json(text: str) -> list[str]:
    try:
        json.loads(text)
    except ValueError:
        return ["no JSON"]
    return []


def _of_sarif(text: str) -> list[str]:
    found = []
    for result in json.loads(text)["runs"][0]["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        parts = urllib.parse.urlsplit(uri)
        if parts.scheme not in ("", "file") or parts.netloc or not re.fullmatch(r"[\w./%~:-]*", uri, re.ASCII):
            found.append(f"the URI {uri!r}")
        if re.search(r"\]\(", result["message"]["text"]):
            found.append("a link in a message")
        if result["locations"][0]["physicalLocation"]["region"]["startLine"] < 1:
            found.append("line 0")
    return found


class _Page(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.scripts: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self._inside = tag
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self.links += [value for name, value in attributes if name in ("href", "src", "action", "srcset")]

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts.append(data)


def _page(text: str) -> _Page:
    found = _Page()
    found.feed(text)
    return found


def _of_html(text: str) -> list[str]:
    from depyf.explain.report.remarks.remark import KINDS, Remark

    counts = dict.fromkeys(("functions", "breaks", "recompilations", "uncompiled"), 1)
    plain = [Remark("a.py", 1, kind, "words", hints=["hint"], gb_id="GB1", link="https://a/") for kind in KINDS]
    plain += [
        Remark("-packages/a.py", at, "recompile", "x = 'a'; def f(): pass # 1", follows=at > 1) for at in (1, 2, 9)
    ]
    lines = {
        1: "@a\ndef f(x: int): return 'a' + 1 is not abs(x)  # a".replace("\n", " "),
        2: "class A: pass",
        3: "import a",
    }
    ours = _page(report_page(Report(plain, counts, sources={"a.py": lines}, without={"a.py": "a"})))
    page = _page(text)
    found = [f"a tag {one}" for one in page.tags - ours.tags] + [
        f"an attribute {one}" for one in page.attributes - ours.attributes
    ]
    found += [] if page.scripts == ours.scripts else ["another script"]
    return found + [f"a link to {one}" for one in page.links if not re.match(r"#f\d+-\d+$|https://[\w.-]+/", one)]


_CHECKS: dict[str, Callable[[str], list[str]]] = {"json": _of_json, "sarif": _of_sarif, "html": _of_html}
