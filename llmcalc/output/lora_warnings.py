"""What a user of `lora` should know of what was asked for."""

from collections.abc import Iterable

from llmcalc.core.lora.estimate import Answer, Estimate, Module


def warnings_of(answer: Answer) -> list[str]:
    """Return what a user should know of what was asked for, each once."""
    found = [answer.main] if answer.main else []
    found += [estimate for _, estimate in answer.compare]
    if not answer.main:
        found += answer.sweep
    return list(dict.fromkeys(line for e in found for line in _warnings(e)))


def _warnings(estimate: Estimate) -> Iterable[str]:
    high = [m for m in estimate.modules if m.rank > min(m.d_in, m.d_out)]
    if high:
        yield (
            f"rank {high[0].rank} is above the smaller dimension of {_named(high)}; "
            "B A has no higher rank than that"
        )
    more = [m for m in estimate.modules if m.lora_params > m.full_params]
    if more:
        yield (
            f"LoRA trains more than the matrix holds: {more[0].lora_params:,} against "
            f"{more[0].full_params:,} in {_named(more)}"
        )
    if estimate.scaling == 0:
        yield "the scaling is 0: the adapter changes nothing"
    if estimate.adapted is not None:
        if estimate.adapted.unmatched:
            names = ", ".join(estimate.adapted.unmatched)
            yield f"nothing in the model matches {names}"
        yield from estimate.adapted.notes
    if estimate.model is not None:
        yield from estimate.model.notes


def _named(modules: list[Module]) -> str:
    first = modules[0]
    shape = f"{first.d_in}x{first.d_out}"
    name = first.name if first.name == shape else f"{first.name} ({shape})"
    others = sum(module.copies for module in modules) - 1
    return name if not others else f"{name} and {others} more"
