"""Writers: a directory to open, one page per function.

Takes the model (`explain/model.py`) and nothing else. Gives files of which every one that ends in .py is valid Python,
with no uuid, id, address or temporary path in name or text: two runs of one program give equal files.
"""

from depyf.explain.report.page.page import page_of
from depyf.explain.report.write import write_report

__all__ = ["page_of", "write_report"]
