"""How the HTML form of the model looks: one style sheet, no script, no font or file from elsewhere.

Colours are variables, light by default. A notebook says which theme it has (JupyterLab, VS Code, Colab and Sphinx's
themes each in their way); where nobody says, the browser's preference counts.
"""

from __future__ import annotations

__all__ = ["STYLE"]

_LIGHT = {
    "bg": "#ffffff", "panel": "#f6f8fa", "raised": "#ffffff", "border": "#d9dfe6", "soft": "#eaeef2",
    "text": "#1f2328", "muted": "#636c76", "link": "#0757ba", "mark": "#fff5d6", "target": "#ddf0ff",
    "good": "#146c2e", "good-bg": "#dafbe1", "warn": "#8a5300", "warn-bg": "#fff3d0", "bad": "#b3261e",
    "bad-bg": "#ffe5e2", "info": "#0757ba", "info-bg": "#e3f0ff",
    "k": "#b1203b", "s": "#0a3069", "n": "#0550ae", "c": "#59636e", "f": "#6639ba", "b": "#8a3b00", "d": "#6639ba",
    "t": "#0550ae", "p": "#8a3b00",
}
_DARK = {
    "bg": "#0f141a", "panel": "#161c24", "raised": "#12181f", "border": "#2d3642", "soft": "#212933",
    "text": "#e2e8ef", "muted": "#94a0ad", "link": "#77b7ff", "mark": "#33290c", "target": "#12304d",
    "good": "#6fdd8b", "good-bg": "#12301c", "warn": "#eec25a", "warn-bg": "#33290c", "bad": "#ff9b92",
    "bad-bg": "#3d1513", "info": "#84beff", "info-bg": "#11294a",
    "k": "#ff8f88", "s": "#a9d6ff", "n": "#84beff", "c": "#8d99a6", "f": "#d6b4ff", "b": "#ffb37a", "d": "#d6b4ff",
    "t": "#84beff", "p": "#ffb37a",
}
_SAYS_LIGHT = ('[data-jp-theme-light="true"]', ".vscode-light", '[data-theme="light"]', '[theme="light"]')
_SAYS_DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", '[data-theme="dark"]', '[theme="dark"]')

_RULES = """
.depyf{background:var(--bg);color:var(--text);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",
"DejaVu Sans",sans-serif;border:1px solid var(--border);border-radius:8px;padding:16px 18px;margin:4px 0;
box-sizing:border-box;max-width:100%;text-align:left;overflow-wrap:break-word}
.depyf *{box-sizing:border-box}
.depyf a{color:var(--link);text-decoration:none}.depyf a:hover{text-decoration:underline}
.depyf code,.depyf pre,.depyf .mono{font-family:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,
"DejaVu Sans Mono",monospace;font-size:12.5px}
.depyf code,.depyf :not(pre)>code,.depyf :not(pre)>code:not(x){background:none;color:inherit;padding:0;border:0}
.depyf header{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 10px;margin:0 0 10px}
.depyf .title{font-size:19px;font-weight:650;letter-spacing:-.01em}
.depyf .place{color:var(--muted);font-size:12.5px;font-weight:400}
.depyf .made{color:var(--muted);font-size:12px;margin:12px 0 0;padding:0}
.depyf .chip{display:inline-block;border-radius:10px;padding:0 8px;font-size:11.5px;line-height:19px;font-weight:550;
background:var(--soft);color:var(--muted);white-space:nowrap}
.depyf .chip.good{background:var(--good-bg);color:var(--good)}
.depyf .chip.warn{background:var(--warn-bg);color:var(--warn)}
.depyf .chip.bad{background:var(--bad-bg);color:var(--bad)}
.depyf .chip.info{background:var(--info-bg);color:var(--info)}
.depyf nav{background:var(--panel);border:1px solid var(--border);border-radius:6px;padding:9px 14px;margin:0 0 14px}
.depyf nav ul,.depyf nav ul:not(.x):not(.y){list-style:none;margin:0;padding:0}
.depyf nav ul ul,.depyf nav ul ul:not(.x):not(.y){
margin:0 0 0 5px;padding:0 0 0 15px;border-left:1px solid var(--border)}
.depyf nav li{margin:1px 0;padding:0;line-height:1.6}
.depyf nav .ops{color:var(--muted)}.depyf nav .ops::before{content:" "}
.depyf nav b{font-weight:600}.depyf nav .id{margin:0 6px 0 4px}.depyf nav .why{color:var(--warn)}
.depyf details{margin:0;padding:0;border:0;background:none}
.depyf summary{cursor:pointer;list-style:none;display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 8px;
padding:5px 8px 5px 24px;position:relative;border-radius:6px;color:var(--text);font-weight:550}
.depyf summary::-webkit-details-marker{display:none}
.depyf summary::before{content:"";position:absolute;left:9px;top:11px;width:6px;height:6px;
border-right:1.6px solid var(--muted);border-bottom:1.6px solid var(--muted);transform:rotate(-45deg)}
.depyf details[open]>summary::before{transform:rotate(45deg);top:10px}
.depyf summary:hover{background:var(--soft)}
.depyf summary:focus-visible,.depyf a:focus-visible{outline:2px solid var(--link);outline-offset:1px}
.depyf .name{font-weight:400}
.depyf .frame{border:1px solid var(--border);border-radius:8px;margin:0 0 12px;background:var(--raised)}
.depyf .frame>summary{background:var(--panel);padding-top:8px;padding-bottom:8px;font-size:15px;font-weight:650;
border-radius:7px}
.depyf .frame[open]>summary{border-bottom:1px solid var(--border);border-radius:7px 7px 0 0}
.depyf .frame>summary::before{top:15px}.depyf .frame[open]>summary::before{top:14px}
.depyf .in{padding:8px 10px 10px}
.depyf .part>.in{padding:2px 0 8px 24px}
.depyf .entry>summary{font-size:14px}.depyf .part .part>summary{font-weight:450;font-size:13px}
.depyf .entry>.in{margin:0 0 4px 11px;padding:2px 0 4px 10px;border-left:2px solid var(--soft)}
.depyf .entry:target>.in,.depyf .frame:target{border-color:var(--link)}
.depyf .part:target>summary,.depyf .entry:target>summary{background:var(--target)}
.depyf pre.code{background:var(--panel);color:var(--text);border:1px solid var(--border);border-radius:6px;
margin:2px 0 4px;padding:8px 0;overflow-x:auto;line-height:1.55;tab-size:4;white-space:pre;max-height:none}
.depyf pre.code code{display:inline-block;min-width:100%;white-space:pre}
.depyf .l{display:block;padding-right:14px}.depyf .l.m{background:var(--mark)}.depyf .l:target{background:var(--target)}
.depyf .l>i{display:inline-block;position:sticky;left:0;background:var(--panel);margin-right:12px;width:44px;
color:var(--muted);text-align:right;padding-right:10px;font-style:normal;user-select:none;-webkit-user-select:none;
border-right:1px solid var(--border)}
.depyf .l>i::before{content:attr(data-n);opacity:.75}
.depyf .w4 .l>i,.depyf .w5 .l>i{width:56px}
.depyf .l.m>i{background:var(--mark)}.depyf .l:target>i{background:var(--target)}
.depyf .l a{text-decoration:underline;text-decoration-color:var(--border);text-underline-offset:2px}
.depyf .l a:hover{text-decoration-color:currentColor}
.depyf .note{color:var(--muted);font-size:12.5px;margin:2px 0 6px;padding:0}
.depyf .call{border-left:3px solid var(--info);background:var(--info-bg);border-radius:0 6px 6px 0;padding:6px 12px;
margin:6px 0 8px;font-size:13px}
.depyf .call.warn{border-color:var(--warn);background:var(--warn-bg)}
.depyf .call.bad{border-color:var(--bad);background:var(--bad-bg)}
.depyf .call ul{margin:3px 0 0;padding:0 0 0 18px}.depyf .call p{margin:2px 0;padding:0}
.depyf .asked{margin:6px 0 8px}.depyf .asked>.line{display:flex;flex-wrap:wrap;gap:0 14px;align-items:baseline;
padding:2px 0;color:var(--muted)}
.depyf .asked>.line code{color:var(--text)}
.depyf .guard>summary{font-weight:400;padding-top:1px;padding-bottom:1px;font-size:13px}
.depyf .guard>summary::before{top:8px}.depyf .guard[open]>summary::before{top:7px}
.depyf .guard>pre,.depyf pre.plain{margin:2px 0 6px 24px;padding:6px 10px;background:var(--panel);color:var(--text);
border:1px solid var(--border);border-radius:6px;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.depyf .files{font-size:12.5px;color:var(--muted);margin:0 0 6px}
""" + "".join(f".depyf .{name}{{color:var(--{name})}}\n" for name in "ksncfbdtp") + """
.depyf .c{font-style:italic}.depyf .l .c a{font-style:normal}
.depyf-page{margin:0;padding:24px 16px 48px}
.depyf-page>.depyf{max-width:1180px;margin:0 auto;border:0;padding:0}
@media print{.depyf{border:0}.depyf pre.code{white-space:pre-wrap}}
"""


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{name}:{value}" for name, value in colours.items())


def _style() -> str:
    light = "{" + _variables(_LIGHT) + ";color-scheme:light}"
    dark = "{" + _variables(_DARK) + ";color-scheme:dark}"
    parts = [".depyf" + light, ".depyf-page{background:#ffffff}"]
    parts.append("@media (prefers-color-scheme:dark){.depyf" + dark + ".depyf-page{background:#0f141a}}")
    parts.append(",".join(f"{says} .depyf" for says in _SAYS_LIGHT) + light)
    parts.append(",".join(f"{says} .depyf" for says in _SAYS_DARK) + dark)
    return "\n".join(parts) + _RULES


STYLE = _style()
