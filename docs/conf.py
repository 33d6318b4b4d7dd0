"""The site: `make docs` builds it into site/. Pages are Markdown (MyST), the API reference comes from docstrings."""

import os
import subprocess
import sys

from docutils import nodes
from docutils.parsers.rst import Directive

project = "depyf"
author = "The depyf developers"
copyright = "the depyf developers, MIT licence"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["**/.*"]

myst_enable_extensions = ["attrs_block", "colon_fence"]
myst_heading_anchors = 3

default_role = "code"  # single backticks in docstrings
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {
    "members": True,
    "exclude-members": "code, globals, graph_module, guard_manager, original_code",  # live objects
}
autodoc_preserve_defaults = True
napoleon_use_ivar = True
napoleon_use_rtype = False
python_display_short_literal_types = True
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "depyf"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["scrolling.js", "try.js"]
html_theme_options = {"top_of_page_buttons": []}
pygments_style = "default"
pygments_dark_style = "monokai"


class CommandHelp(Directive):
    """`{depyf-help} COMMAND`: what the program says, as it says it."""

    optional_arguments = 1

    def run(self):
        command = [sys.executable, "-I", "-m", "depyf", *self.arguments, "--help"]
        text = subprocess.run(
            command, stdout=subprocess.PIPE, encoding="utf-8", check=True, env={**os.environ, "COLUMNS": "100"}
        ).stdout
        return [nodes.literal_block(text, text, language="text")]


def setup(app):
    app.add_directive("depyf-help", CommandHelp)
