"""Opens each page of the built documentation in a headless Chromium, at two widths, and asks axe-core about it.

    make docs
    python benchmarks/docs/site_in_browser.py --axe axe.min.js [--site site]

axe-core is a package of npm. What it finds in the text of a page is wrong, and so is text wider than the window.
What it finds around the text is the theme's, and is only counted. Where the page that decompiles in the browser is
built into the site (`web/build.py --out site/browser`), an example is tried, too. Exits with 1 if something is wrong,
with 2 without a browser.
"""

from __future__ import annotations

import argparse
import collections
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "web"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "torch_compile"))

from devtools import Browser, serving
from report_in_browser import browser

WIDTHS = (1280, 400)
EXAMPLE = "walk.html"
PROVEN = """\
document.querySelector("iframe.try")?.contentDocument?.body?.innerText.includes("identical")"""
FOUND = """\
axe.run().then(({violations}) => violations.flatMap(({id, nodes}) => nodes.map((node) => {
  const at = document.querySelector(node.target[0]);
  return [id, Boolean(at && at.closest("article")), node.html.slice(0, 120)];
})))"""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--axe", type=Path, required=True, help="axe.min.js of axe-core")
    parser.add_argument("--site", type=Path, default=Path("site"), help="the built documentation (default: site)")
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM", ""), help="the browser")
    options = parser.parse_args()
    chromium = browser(options.chromium)
    axe = options.axe.read_text(encoding="utf-8")
    pages = sorted(path.relative_to(options.site).as_posix() for path in options.site.rglob("*.html")
                   if path.parent.name != "browser")
    wrong = 0
    theirs: Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as profile, serving(options.site) as server:
        page = Browser(chromium, Path(profile) / "profile", server.server_port)
        try:
            for name in pages:
                for width in WIDTHS:
                    page.size(width, 900, dark=False)
                    page.go(server.address + name)
                    page.run(axe + "; 0")
                    found: Any = page.run(FOUND)
                    theirs.update(rule for rule, is_text, _ in found if not is_text)
                    ours = [f"{rule}: {text}" for rule, is_text, text in found if is_text]
                    if not page.run("document.documentElement.scrollWidth <= innerWidth"):
                        ours.append("it is wider than the window")
                    for one in ours:
                        print(f"{name} at {width}: {one}")
                    wrong += len(ours)
            if (options.site / "browser" / "versions.json").is_file():
                page.go(server.address + EXAMPLE)
                page.wait("document.querySelector('button.try')")
                page.run("document.querySelector('button.try').click(); 0")
                print(f"an example is proven {page.wait(PROVEN):.1f} s after a click")
        finally:
            page.close()
    print(f"{len(pages)} pages at {len(WIDTHS)} widths: {wrong} wrong; the theme's: {dict(theirs) or 'none'}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
