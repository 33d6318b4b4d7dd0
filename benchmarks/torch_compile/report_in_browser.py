"""Opens the HTML report in a headless Chromium and uses it: clicks, keys, links, widths, colours.

The page is opened from the disk, in a frame: a window of a browser without a screen is never narrower than 500 pixels.
A script in it acts and looks, and tells the frame's owner, of which `--dump-dom` gives the text. Exits with 1 if
anything is not as it should be, with 2 without a browser.

    python benchmarks/torch_compile/report_in_browser.py [--chromium PATH] [--axe axe.min.js] [REPORT.html]

Without a report, one of a program with a break, a recompilation and layers is made first. With axe-core, a package of
npm, its violations are wrong too.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

NAMES = ("chromium", "chromium-browser", "google-chrome")

PROGRAM = """\
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.linear(x)) + x


layers = torch.nn.Sequential(*[Layer() for _ in range(12)])


@torch.compile
def step(x):
    h = layers(x)
    if h.sum() > 1e6:
        h = h / 2
    return (h * h).sum()


for size in (4, 5):
    step(torch.ones(size, 8))
"""

# What a user does, and what must come of it: [name, what was found], true for what is as it should be.
ACTS = """
const found = [];
const note = (name, value) => found.push([name, Boolean(value)]);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const press = (key, target = document.body) =>
  target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
const over = (row) => row.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
const lit = (root) => all('.l.on', root);
const paneOf = (row) => row.closest('.pane') ? row.closest('.pane').dataset.pane : 'drawing';
const visible = (element) => element.getClientRects().length > 0;

async function look() {
  note('there are compilations', all('.comp').length > 0);
  note('every link leads to a line or a compilation', all('a[href^="#"]').every((link) => {
    const name = decodeURIComponent(link.getAttribute('href').slice(1));
    if (document.getElementById(name)) return true;
    const root = all('.comp').find((one) => name.startsWith(one.id + ':'));
    return root && root.dataset.places.split('\\n').includes(name.slice(root.id.length + 1));
  }));
  const whole = all('.comp').filter((one) => all('.pane', one).length === 4);
  const root = whole.find((one) => one.querySelector('.l[data-t]')) || whole[0];
  note('one has four panes', root);
  root.open = true;
  await new Promise((done) => setTimeout(done, 100));
  const inSight = (row, box) => {
    const [at, around] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
    return at.top >= around.top && at.bottom <= around.bottom;
  };
  for (const pane of all('.pane', root).filter(visible)) {
    const main = pane.querySelector('.main');
    note('a pane begins where it matters: ' + pane.dataset.pane, !main || inSight(main, pane.querySelector('pre')));
  }
  const source = all('.pane[data-pane=source] .l[data-k]', root);
  note('lines of the source are linked', source.length > 0);
  let widest = 0;
  for (const row of source) {
    over(row);
    widest = Math.max(widest, new Set(lit(root).map(paneOf)).size);
    note('a line lights up itself: ' + row.textContent.trim(), row.classList.contains('on'));
    const own = row.dataset.k;
    note('and only what is made of it', lit(root).every((other) =>
      ((other.dataset.k || '') + ' ' + (other.dataset.t || '')).split(' ').includes(own)));
  }
  note('a line lights up counterparts in all panes', widest >= 4);
  root.dispatchEvent(new MouseEvent('mouseleave'));
  note('leaving puts it out', !root.classList.contains('lit'));

  const rows = all('.times .row');
  note('there are times', rows.length > 0);
  note('each with its name', rows.every((row) => visible(row.querySelector('.what'))));
  const wanted = (part) => parseFloat(part.style.width) / 100 * part.parentElement.clientWidth;
  note('as long as it took', all('.times .bar i').every((part) => Math.abs(wanted(part) - part.offsetWidth) < 2));
  const begins = rows.map((row) => row.querySelector('.bar i[class]')).filter(Boolean).map((bar) => bar.offsetLeft);
  note('in their order', begins.every((left, at) => !at || left >= begins[at - 1]));
  note('a recompilation is told by what is checked', all('.comp').length < 2 || all('.differ tbody tr').length > 0);

  const graph = root.querySelector('.pane[data-pane=graphs] .l[data-k]');
  over(graph);
  note('a node lights up its line', lit(root).some((row) => paneOf(row) === 'source'));
  const box = root.querySelector('.drawn g[data-k]');
  if (box) {
    over(box);
    note('a box of the drawing lights up its line', lit(root).some((row) => paneOf(row) === 'source'));
  }
  const called = root.querySelector('.pane[data-pane=graphs] .l[data-t]');
  if (called) {
    over(called);
    note('and the calls that led there', all('.l.via', root).length > 0);
  }

  source[0].click();
  const place = root.id + ':' + root.dataset.places.split('\\n')[source[0].dataset.k];
  note('a click is in the address', decodeURIComponent(location.hash.slice(1)) === place);
  over(source[source.length - 1]);
  note('and is held', source[0].classList.contains('from'));
  press('j');
  note('j goes to the next line', source[1] && source[1].classList.contains('from'));
  press('k');
  note('k goes back', source[0].classList.contains('from'));
  press('Escape');
  note('Escape lets go', !root.classList.contains('lit') && !location.hash);
  source[0].focus();
  press('Enter', source[0]);
  note('Enter holds the line in focus', source[0].classList.contains('from'));
  press('Escape');

  const tabs = all('.tabs button', root);
  if (innerWidth < 1200) {
    const shown = () => all('.pane', root).filter(visible).map((pane) => pane.dataset.pane).join();
    note('one pane is shown', shown() === 'source');
    tabs[2].click();
    note('a tab shows another', shown() === 'graphs' && tabs[2].getAttribute('aria-selected') === 'true');
    tabs[0].click();
  } else {
    note('all panes are shown', all('.pane', root).every(visible));
    const tops = all('.pane', root).map((pane) => pane.getBoundingClientRect().top);
    note('side by side', tops.every((top) => top === tops[0]));
  }

  const remarked = all('.l.has');
  press('j');
  note('j goes to the first remark', remarked[0].classList.contains('at'));
  press('j');
  note('and on', remarked[1].classList.contains('at') && location.hash === '#' + remarked[1].id);
  const search = document.querySelector('input[type=search]');
  press('/');
  note('/ goes to the search', document.activeElement === search);
  search.value = 'return';
  search.dispatchEvent(new Event('input'));
  press('Enter', search);
  note('which finds lines', /^1 of \\d+$/.test(document.querySelector('.found').textContent));
  search.blur();
  press('?');
  note('? shows the keys', document.querySelector('dialog').open);
  document.querySelector('dialog').close();

  const isWide = (element) => element.getBoundingClientRect().right > innerWidth && !element.closest('pre');
  note('nothing is wider than the window: ' + all('main *').filter(isWide).map((one) => one.className).join(),
       document.documentElement.scrollWidth <= innerWidth);
  const colours = (element) => [getComputedStyle(element).color, getComputedStyle(element).backgroundColor];
  const [text] = colours(document.querySelector('.depyf .title'));
  const [, ground] = colours(document.querySelector('main.depyf'));
  note('text can be read', Math.abs(light(text) - light(ground)) > 0.6);
  note(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark where dark is wanted' : 'light where light is wanted',
       (light(ground) < 0.5) === matchMedia('(prefers-color-scheme: dark)').matches);
}
function light(colour) {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
  return (0.3 * r + 0.59 * g + 0.11 * b) / 255;
}
const errors = [];
addEventListener('error', (event) => errors.push(event.message));
addEventListener('load', async () => {
  try {
    await look();
    all('details').forEach((one) => { one.open = true; });
    const {violations} = window.axe ? await axe.run() : {violations: []};
    for (const {help, nodes} of violations)
      note(help + ', ' + nodes.length + ' times: ' + nodes[0].html.slice(0, 150), false);
  } catch (error) { errors.push(String(error.stack || error)); }
  parent.postMessage(JSON.stringify({found, errors, width: innerWidth,
                                     dark: matchMedia('(prefers-color-scheme: dark)').matches}), '*');
});
"""

OWNER = """<!doctype html>
<iframe src="page.html" width="{}" height="900"></iframe><textarea id="found"></textarea><script>
addEventListener('message', (event) => { document.getElementById('found').textContent = event.data; });
</script>"""


def browser(wanted: str) -> str:
    """The path of a Chromium. Raises SystemExit without one."""
    path = next(filter(None, map(shutil.which, [wanted] if wanted else NAMES)), None)
    if path is None:
        print("no Chromium here: install one, or name it with --chromium", file=sys.stderr)
        raise SystemExit(2)
    return path


def opened(chromium: str, folder: Path, width: int, dark: bool) -> Dict[str, Any]:
    """What the script found in ``page.html``, that many pixels wide."""
    owner = folder / "owner.html"
    owner.write_text(OWNER.replace("{}", str(width)), encoding="utf-8")
    words = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--dump-dom",
             "--virtual-time-budget=20000", "--user-data-dir={}".format(folder / "profile"), "--window-size=1400,1000",
             "--blink-settings=preferredColorScheme={}".format(0 if dark else 1), owner.as_uri()]  # fmt: skip
    done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=120)
    match = re.search(r'<textarea id="found">(.+?)</textarea>', done.stdout, re.DOTALL)
    if match is None:
        return {"found": [], "errors": ["the page did not come to its end: " + done.stderr[-500:]]}
    data: Dict[str, Any] = json.loads(html.unescape(match[1]))
    if (data["width"], data["dark"]) != (width, dark):
        data["errors"].append("the window was {width} pixels wide, dark: {dark}".format(**data))
    return data


def made(folder: Path) -> Path:
    """The report of `PROGRAM`, which is run for it."""
    (folder / "train.py").write_text(PROGRAM)
    words = [sys.executable, "-m", "depyf", "run", "-q", "--html", "-o", "out", "train.py"]
    subprocess.run(words, cwd=str(folder), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "out" / "report.html"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("report", nargs="?", help="a report.html")
    parser.add_argument("--axe", default="", help="axe.min.js of axe-core")
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM", ""), help="the browser")
    options = parser.parse_args()
    chromium = browser(options.chromium)
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report = Path(options.report) if options.report else made(folder)
        text = report.read_text(encoding="utf-8")
        page = folder / "page.html"
        axe = Path(options.axe).read_text(encoding="utf-8") if options.axe else ""
        scripts = "".join("<script>{}</script>".format(one) for one in (axe, ACTS))
        page.write_text(text.replace("<head>", "<head>" + scripts, 1), encoding="utf-8")
        print("{}: {:.0f} kB".format(report.name, len(text.encode()) / 1000))
        for width, dark in [(1280, False), (1280, True), (400, False), (400, True)]:
            seen = opened(chromium, folder, width, dark)
            failed: List[str] = [name for name, is_right in seen["found"] if not is_right] + seen["errors"]
            wrong += len(failed)
            print("{:5} px, {:5}  {:3} checks, {} wrong".format(
                width, "dark" if dark else "light", len(seen["found"]), len(failed)))  # fmt: skip
            for one in failed:
                print("    " + one)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
