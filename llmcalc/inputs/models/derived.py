"""Config fields that need more than a formula: the rare code of the table."""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.fields import Fields
from llmcalc.inputs.models.table import MAX_LAYERS

# Mamba widens by 2; no model by a thousand.
_MAX_EXPAND = 1000


def num_labels(fields: Fields) -> int:
    """Return the classes of a classifier: id2label's, else num_labels, else 2."""
    return _labels(fields, 2)


def three_labels(fields: Fields) -> int:
    """Return the classes where BART's class takes three, not two."""
    return _labels(fields, 3)


def sparse_by_step(fields: Fields) -> list[int]:
    """Return the layers with experts: every decoder_sparse_step-th but those listed."""
    step = fields.size("decoder_sparse_step")
    dense = fields["mlp_only_layers"]
    if not isinstance(dense, list):
        raise _wrong(fields, "mlp_only_layers", "a list of layers")
    if not step or not fields.size("num_experts"):
        return []
    return [i for i in _layers(fields) if i not in dense and (i + 1) % step == 0]


def sparse_first(fields: Fields) -> list[int]:
    """Return the layers with experts: those after first_k_dense_replace."""
    return [i for i in _layers(fields) if i >= fields.size("first_k_dense_replace")]


def dense(fields: Fields) -> list[int]:
    """Return the layers without experts."""
    sparse = set(fields["sparse_layers"])
    return [i for i in _layers(fields) if i not in sparse]


def gated(fields: Fields) -> bool:
    """Return whether T5's feed-forward layers are gated: "gated-gelu" and its kind."""
    return str(fields["feed_forward_proj"]).split("-", maxsplit=1)[0] == "gated"


def falcon_two_norms(fields: Fields) -> bool:
    """Return whether attention and MLP of a Falcon layer have norms of their own."""
    norms = fields.config.get("num_ln_in_parallel_attn")
    if norms is None:
        norms = 2 if fields.holds("new_decoder_architecture") else 1
    return bool(norms == 2 and fields.holds("parallel_attn"))


def falcon_one_norm(fields: Fields) -> bool:
    """Return whether a Falcon layer has the usual input norm."""
    return not falcon_two_norms(fields)


def falcon_qkv(fields: Fields) -> int:
    """Return the width of Falcon's fused projection."""
    head = fields.size("hidden_size//num_attention_heads")
    if fields.holds("new_decoder_architecture"):
        return head * fields.size("2*num_kv_heads+num_attention_heads")
    if fields.holds("multi_query"):
        return fields.size("hidden_size") + 2 * head
    return 3 * fields.size("hidden_size")


def bigcode_qkv(fields: Fields) -> int:
    """Return the width of GPTBigCode's fused projection."""
    if fields.holds("multi_query"):
        return fields.size("n_embd") + 2 * fields.size("n_embd//n_head")
    return 3 * fields.size("n_embd")


def differs(one: str, other: str, fields: Fields) -> bool:
    """Return whether two sizes differ: a projection lies between them."""
    return fields.size(one) != fields.size(other)


def deberta_attention(kind: str, fields: Fields) -> bool:
    """Return whether relative attention of this kind (c2p, p2c) has a projection."""
    types = fields["pos_att_type"] or []
    if isinstance(types, str):
        types = [name.strip() for name in types.lower().split("|")]
    if not isinstance(types, list):
        raise _wrong(fields, "pos_att_type", "a list of names")
    shared = fields.holds("share_att_key")
    return fields.holds("relative_attention") and not shared and kind in types


def relative_rows(fields: Fields) -> int:
    """Return the rows of DeBERTa's relative table: twice its buckets or positions."""
    span = fields["max_relative_positions"]
    if not isinstance(span, int) or span < 1:
        span = fields.size("max_position_embeddings")
    buckets = fields["position_buckets"]
    return 2 * (buckets if isinstance(buckets, int) and buckets > 0 else span)


def relative_norm(fields: Fields) -> bool:
    """Return whether DeBERTa normalises its relative table."""
    return "layer_norm" in str(fields["norm_rel_ebd"]).lower()


def patches(fields: Fields) -> int:
    """Return the patches of an image: (height // patch) (width // patch)."""
    height, width = _pair(fields, "image_size")
    tall, wide = _pair(fields, "patch_size")
    if not tall or not wide:
        raise LlmcalcError(f"{fields.name}: patch_size is 0")
    return (height // tall) * (width // wide)


def phi3_qkv(fields: Fields) -> int:
    """Return the width of Phi-3's fused projection."""
    heads = fields.size("num_attention_heads+2*num_key_value_heads")
    return heads * fields.size("head_dim")


def opt_final_norm(weighted: bool, fields: Fields) -> bool:
    """Return whether OPT's decoder ends in a norm, with or without weights."""
    if fields.holds("_remove_final_layer_norm"):
        return False
    affine = fields.holds("layer_norm_elementwise_affine")
    return fields.holds("do_layer_norm_before") and affine == weighted


def stablelm_normed(fields: Fields) -> list[int]:
    """Return the layers whose heads StableLM normalises: all or none."""
    return list(_layers(fields)) if fields.holds("qk_layernorm") else []


def mamba_inner(fields: Fields) -> int:
    """Return Mamba's inner width: expand x hidden_size."""
    expand = fields["expand"]
    if not isinstance(expand, float):
        return fields.size("expand*hidden_size")
    if not 0 < expand < _MAX_EXPAND:
        raise _wrong(fields, "expand", "a size")
    return int(expand * fields.size("hidden_size"))


def mamba_rank(fields: Fields) -> int:
    """Return the rank of Mamba's time step: given, or ceil(hidden_size / 16)."""
    if fields.config.get("time_step_rank") not in (None, "auto"):
        return fields.size("time_step_rank")
    return -(-fields.size("hidden_size") // 16)


def _labels(fields: Fields, usual: int) -> int:
    listed = fields.config.get("id2label")
    if isinstance(listed, dict):
        return len(listed)
    count = fields.default("num_labels", usual)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise _wrong(fields, "num_labels", "a size")
    return count


def _wrong(fields: Fields, field: str, wanted: str) -> LlmcalcError:
    value = fields.config.get(field)
    return LlmcalcError(f"{fields.name}: {field}: {value!r:.60} is not {wanted}")


def _layers(fields: Fields) -> range:
    count = fields.size("num_hidden_layers")
    if count > MAX_LAYERS:
        raise LlmcalcError(f"{fields.name}: num_hidden_layers: {count} are too many")
    return range(count)


def _pair(fields: Fields, field: str) -> tuple[int, int]:
    value: Any = fields[field]
    sides = value if isinstance(value, list) else [value, value]
    if len(sides) != 2 or not all(type(side) is int and side >= 0 for side in sides):
        raise _wrong(fields, field, "a size")
    return sides[0], sides[1]
