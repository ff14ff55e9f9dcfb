"""Writing safetensors files for tests, and reading them as models."""

import json
import struct

from llmcalc.inputs.models.model import read_model
from llmcalc.inputs.source import Source

BITS = {"F32": 32, "BF16": 16, "F16": 16, "I32": 32, "I8": 8, "U8": 8, "F8_E4M3": 8}


def write(path, tensors, payloads=()):
    """Write a safetensors file of zeros; ``payloads`` have bytes of their own."""
    header, data = {}, b""
    for name, (dtype, *shape) in tensors.items():
        size = BITS[dtype] // 8
        for extent in shape:
            size *= extent
        body = dict(payloads).get(name, bytes(size))
        span = [len(data), len(data) + len(body)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": span}
        data += body
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def read(path):
    return read_model(Source(str(path), str(path)))


def sizes(model):
    return {x.name: (x.kind, x.d_in, x.d_out, x.bias) for x in model.layers}


def packed(path, tensors, payloads=(), config=None):
    write(path / "model.safetensors", tensors, payloads)
    if config is not None:
        (path / "config.json").write_text(json.dumps(config))
    return read(path)
