"""One model, by itself: `python tests/real_models gcn [BACKEND]`. Under `depyf run` this is the user's program."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from real_models import load

NAME, BACKEND = [*sys.argv[1:], "eager"][:2]
torch.set_num_threads(1)
torch.manual_seed(0)
load()[NAME].make(lambda *args, **kwargs: torch.compile(*args, backend=BACKEND, **kwargs))()
if "RANK" in os.environ:
    torch.distributed.destroy_process_group()
