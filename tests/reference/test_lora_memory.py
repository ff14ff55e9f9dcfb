"""Training memory against the bytes that torch and transformers really hold."""

import pytest

from llmcalc.core.lora.memory import Base, Trained, training_memory

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.reference

# A, B, a magnitude, and a stack of experts.
SHAPES = [(8, 96), (64, 8), (64,), (4, 16, 24)]
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def stepped(optimizer, dtype):
    """Parameters after one step of an optimizer, with its states."""
    parameters = [
        torch.nn.Parameter(torch.ones(shape, dtype=DTYPES[dtype])) for shape in SHAPES
    ]
    used = optimizer(parameters)
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    used.step()
    return parameters, used


def held(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def states(optimizer):
    """State tensors but the counters of steps, which are scalars."""
    found = [v for state in optimizer.state.values() for v in state.values()]
    return [v for v in found if torch.is_tensor(v) and v.dim() > 0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["adamw", "sgd", "adafactor"])
def test_states_and_gradients_take_what_is_said(name, dtype):
    makers = {
        "adamw": lambda p: torch.optim.AdamW(p, lr=1e-3),
        "sgd": lambda p: torch.optim.SGD(p, lr=1e-3),
    }
    if name == "adafactor":
        optimization = pytest.importorskip("transformers.optimization")
        makers["adafactor"] = optimization.Adafactor
    parameters, optimizer = stepped(makers[name], dtype)
    said = training_memory(Base(0), [Trained(s, dtype) for s in SHAPES], name)
    _, adapter, gradients, optimizer_states = (item.bytes for item in said.items)
    assert adapter == held(parameters)
    assert gradients == held(p.grad for p in parameters)
    assert optimizer_states == held(states(optimizer))
