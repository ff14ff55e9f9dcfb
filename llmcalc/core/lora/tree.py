"""The modules and tensors of a model by name, as PEFT walks through them."""

from functools import cached_property

from llmcalc.core.lora.layers import Layer, Model, Parameter


class Tree:
    """Names of a model: its modules in order, its layers, its tensors.

    ``modules`` has every module, containers too; ``tensors`` maps each tensor to its
    shape, a tied one under each of its names; ``owners`` maps an alias to the name
    under which the tensor counts. What most counts don't ask for is made when asked.

    >>> tree = Tree(Model("x", [Layer("a.0.q", "Linear", 4, 8, True)], [], 40))
    >>> list(tree.modules), tree.tensors
    (['a', 'a.0', 'a.0.q'], {'a.0.q.weight': (8, 4), 'a.0.q.bias': (8,)})
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.layers: dict[str, Layer] = {layer.name: layer for layer in model.layers}
        self.modules: dict[str, None] = {}
        for name in self.layers:
            _add_module(name, self.modules)
        for parameter in model.parameters:
            _add_module(parameter.name.rpartition(".")[0], self.modules)
        for name in model.modules:
            _add_module(name, self.modules)

    @cached_property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each tensor, layers' first."""
        found: dict[str, tuple[int, ...]] = {}
        for layer in self._model.layers:
            found.update(layer_tensors(layer))
        found.update({p.name: p.shape for p in self._model.parameters})
        return found

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Return the tensors that belong to no layer."""
        return {parameter.name: parameter for parameter in self._model.parameters}

    @cached_property
    def owners(self) -> dict[str, str]:
        """Return each alias with the last name of its chain of ties."""
        tied = dict(self._model.tied)
        found = {}
        for alias in tied:
            owner, seen = alias, {alias}
            while owner in tied and tied[owner] not in seen:
                owner = tied[owner]
                seen.add(owner)
            found[alias] = owner
        return found

    def owner(self, tensor: str) -> str:
        """Return the name under which a tensor counts."""
        return self.owners.get(tensor, tensor)

    def inside(self, module: str) -> dict[str, tuple[int, ...]]:
        """Return the tensors of a module and of all below it."""
        prefix = f"{module}."
        return {
            name: shape
            for name, shape in self.tensors.items()
            if name.startswith(prefix)
        }

    def is_list(self, module: str) -> bool:
        """Return whether a module is a mere list: its children have numbers."""
        prefix = f"{module}."
        children = {
            name[len(prefix) :].partition(".")[0]
            for name in self.modules
            if name.startswith(prefix)
        }
        return bool(children) and all(child.isdigit() for child in children)


def total_params(model: Model) -> int:
    """Return the distinct parameters of a model: a tied tensor counts once.

    >>> head = Layer("lm_head", "Linear", 8, 100)
    >>> embedding = Layer("embed", "Embedding", 100, 8)
    >>> tied = (("lm_head.weight", "embed.weight"),)
    >>> total_params(Model("x", [embedding, head], [], 0, tied=tied))
    800
    """
    aliases = {alias for alias, _ in model.tied}
    total = sum(p.params for p in model.parameters if p.name not in aliases)
    for layer in model.layers:
        if f"{layer.name}.weight" not in aliases:
            total += layer.weight_params
        if layer.bias and f"{layer.name}.bias" not in aliases:
            total += layer.d_out
    return total


def layer_tensors(layer: Layer) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of a layer's weight and bias.

    >>> layer_tensors(Layer("c", "Conv1d", 8, 16, False, (3,), 2))
    {'c.weight': (16, 4, 3)}
    """
    name, stem = layer.name, ""
    shape: tuple[int, ...] = (layer.d_out, layer.d_in)
    if layer.kind in ("Conv1D", "Embedding"):
        shape = (layer.d_in, layer.d_out)
    elif layer.kind.startswith("Conv"):
        shape = (layer.d_out, layer.d_in // layer.groups, *layer.kernel)
    elif layer.kind == "MultiheadAttention":
        stem = "in_proj_"
    tensors = {f"{name}.{stem}weight": shape}
    if layer.bias:
        tensors[f"{name}.{stem}bias"] = (layer.d_out,)
    return tensors


def _add_module(name: str, modules: dict[str, None]) -> None:
    missing = []
    while name and name not in modules:
        missing.append(name)
        name = name.rpartition(".")[0]
    for part in reversed(missing):
        modules[part] = None
