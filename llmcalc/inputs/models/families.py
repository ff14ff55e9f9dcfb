"""The families of models: which layers a config.json stands for.

This table is the documentation: `table.py` explains its language. Names are those of
transformers 5, which PEFT matches. A new model type is a new entry of FAMILIES; every
entry was held against the model that transformers builds from the same config
(tests/reference/test_lora_peft.py).
"""

# ruff: noqa: E501 - a row of the table is one line
from collections.abc import Callable
from functools import partial
from typing import Any

from llmcalc.inputs.models import derived
from llmcalc.inputs.models.fields import Family, Fields

# Heads: rows beside the body; "~" stands for the body's prefix ------------------------

_LM_HEAD = "lm_head  Linear  hidden_size  vocab_size  ties=embed_tokens  output"
_SCORE = "score  Linear  hidden_size  num_labels"
_TOKENS = """
dropout  Module
score    Linear  hidden_size  num_labels  bias
"""
_ANSWERS = "qa_outputs  Linear  hidden_size  2  bias"
_LABELLED_ANSWERS = "qa_outputs  Linear  hidden_size  num_labels  bias"
_CLASSIFIED_TOKENS = """
dropout     Module
classifier  Linear  hidden_size  num_labels  bias
"""
_DECODER_HEADS = {
    "ForCausalLM": _LM_HEAD,
    "ForSequenceClassification": _SCORE,
    "ForTokenClassification": _TOKENS,
    "ForQuestionAnswering": _ANSWERS,
}
_Computed = dict[str, Callable[[Fields], Any]]
_LABELS: _Computed = {"num_labels": derived.num_labels}

# Blocks of decoder layers -------------------------------------------------------------


def _attention(
    qkv: str = "bias=attention_bias", out: str = "", o: str = "o_proj"
) -> str:
    """Return attention with grouped keys and values; its biases as row options."""
    return f"""
  self_attn.q_proj  Linear  hidden_size  num_attention_heads*head_dim  {qkv}
  self_attn.k_proj  Linear  hidden_size  num_key_value_heads*head_dim  {qkv}
  self_attn.v_proj  Linear  hidden_size  num_key_value_heads*head_dim  {qkv}
  self_attn.{o}     Linear  num_attention_heads*head_dim  hidden_size  {out or qkv}
"""


def _mlp(bias: str = "", width: str = "intermediate_size", at: str = "mlp") -> str:
    """Return a gated MLP of the given width."""
    return f"""
  {at}.gate_proj  Linear  hidden_size  {width}  {bias}
  {at}.up_proj    Linear  hidden_size  {width}  {bias}
  {at}.down_proj  Linear  {width}  hidden_size  {bias}
  {at}.act_fn     Module
"""


def _experts(count: str, width: str, router: str = "gate") -> str:
    """Return stacked experts: gate and up in one tensor, down in another."""
    return f"""
  mlp.{router}.weight       Tensor  {count}  hidden_size
  mlp.experts.gate_up_proj  Tensor  {count}  2*{width}  hidden_size
  mlp.experts.down_proj     Tensor  {count}  hidden_size  {width}
  mlp.experts.act_fn        Module
"""


_FUSED_MLP = """
  mlp.gate_up_proj   Linear  hidden_size  2*intermediate_size
  mlp.down_proj      Linear  intermediate_size  hidden_size
  mlp.activation_fn  Module
"""
_NORMS = """
  input_layernorm           Norm  hidden_size
  post_attention_layernorm  Norm  hidden_size
"""
_LAYER_NORMS = """
  input_layernorm           LayerNorm  hidden_size
  post_attention_layernorm  LayerNorm  hidden_size
"""
_FEEDFORWARD_NORMS = """
  pre_feedforward_layernorm   Norm  hidden_size
  post_feedforward_layernorm  Norm  hidden_size
"""
_POST_NORMS = """
  post_attention_layernorm    Norm  hidden_size
  post_feedforward_layernorm  Norm  hidden_size
"""
_UNGATED_MLP = """
  mlp.up_proj    Linear  hidden_size  intermediate_size  bias=mlp_bias
  mlp.down_proj  Linear  intermediate_size  hidden_size  bias=mlp_bias
  mlp.act_fn     Module
"""
_HEAD_NORMS = """
  self_attn.q_norm  Norm  head_dim
  self_attn.k_norm  Norm  head_dim
"""
_WIDE_NORMS = """
  self_attn.q_norm  Norm  num_attention_heads*head_dim
  self_attn.k_norm  Norm  num_key_value_heads*head_dim
"""


def _decoder(layers: str, norm: str = "norm  Norm  hidden_size", more: str = "") -> str:
    """Return the body of a decoder with these layers."""
    return f"""
embed_tokens  Embedding  vocab_size  hidden_size  embedding
layers[num_hidden_layers]
{layers}
{more}
{norm}
rotary_emb  Module
"""


# null means: as many key heads as query heads, heads that share the width.
_NULLS = (
    "num_key_value_heads=num_attention_heads head_dim=hidden_size//num_attention_heads"
)
# What nearly every decoder's class takes for a missing field; its own come on top.
_USUAL = f"{_NULLS} attention_bias=false mlp_bias=false tie_word_embeddings=false "


def _decoder_family(body: str, defaults: str, **more: Any) -> Family:
    """Return a family of decoders with the usual heads under ``model.``."""
    more.setdefault("heads", _DECODER_HEADS)
    computed = {**_LABELS, **more.pop("computed", {})}
    return Family(
        "model.",
        body,
        defaults=_USUAL + defaults,
        nulls=_NULLS,
        computed=computed,
        **more,
    )


_LLAMA = _decoder(_attention() + _mlp("bias=mlp_bias") + _NORMS)
_PLAIN = _decoder(_attention("", "") + _mlp() + _NORMS)
_QWEN2 = _decoder(_attention("bias", " ") + _mlp() + _NORMS)
_GEMMA = _decoder(_attention() + _mlp() + _NORMS)
_GEMMA2 = _decoder(_attention() + _mlp() + _NORMS + _FEEDFORWARD_NORMS)

_MIXTRAL = _decoder(
    _attention("") + _experts("num_local_experts", "intermediate_size") + _NORMS
)
_SPARSE: _Computed = {
    "sparse_layers": derived.sparse_by_step,
    "dense_layers": derived.dense,
}
_SPARSE_FIRST: _Computed = {
    "sparse_layers": derived.sparse_first,
    "dense_layers": derived.dense,
}


def _mixture(attention: str, dense: str, sparse: str) -> str:
    """Return a decoder of which some layers have experts, the others a dense MLP."""
    blocks = f"layers[dense_layers]\n{dense}\nlayers[sparse_layers]\n{sparse}"
    return _decoder(attention + _NORMS, more=blocks)


_DEEPSEEK_ATTENTION = """
  self_attn.q_proj              Linear  hidden_size  query_size  unless=q_lora_rank
  self_attn.q_a_proj            Linear  hidden_size  q_lora_rank  if=q_lora_rank  {bias}
  self_attn.q_a_layernorm       Norm  q_lora_rank  if=q_lora_rank
  self_attn.q_b_proj            Linear  q_lora_rank  query_size  if=q_lora_rank
  self_attn.kv_a_proj_with_mqa  Linear  hidden_size  kv_lora_rank+qk_rope_head_dim  {bias}
  self_attn.kv_a_layernorm      Norm  kv_lora_rank
  self_attn.kv_b_proj           Linear  kv_lora_rank  key_value_size
  self_attn.o_proj              Linear  num_attention_heads*v_head_dim  hidden_size  {bias}
"""
_DEEPSEEK_SHARED = _mlp(
    at="mlp.shared_experts", width="moe_intermediate_size*n_shared_experts"
)
_DEEPSEEK = _mixture(
    _DEEPSEEK_ATTENTION.format(bias="bias=attention_bias"),
    _mlp(),
    _experts("n_routed_experts", "moe_intermediate_size") + _DEEPSEEK_SHARED,
)
_DEEPSEEK_COMPUTED: _Computed = {
    **_SPARSE_FIRST,
    "query_size": lambda f: (
        f.size("num_attention_heads") * f.size("qk_nope_head_dim+qk_rope_head_dim")
    ),
    "key_value_size": lambda f: (
        f.size("num_attention_heads") * f.size("qk_nope_head_dim+v_head_dim")
    ),
}

# GPT-2 and its kin ----------------------------------------------------------------------

_GPT2_NAMES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}
_GPT2_DEFAULTS = (
    "vocab_size=50257 n_embd=768 n_layer=12 n_head=12 n_positions=1024 "
    "n_inner=4*n_embd tie_word_embeddings=true"
)
_GPT2_HEADS = {
    "LMHeadModel": "lm_head  Linear  n_embd  vocab_size  ties=wte  output",
    "ForSequenceClassification": "score  Linear  n_embd  num_labels",
    "ForTokenClassification": """
dropout     Module
classifier  Linear  n_embd  num_labels  bias
""",
    "ForQuestionAnswering": "qa_outputs  Linear  n_embd  2  bias",
}


def _gpt2(kind: str, qkv: str, more: str) -> str:
    return f"""
wte   Embedding  vocab_size  n_embd  embedding
wpe   Embedding  n_positions  n_embd
drop  Module
h[n_layer]
  ln_1                LayerNorm  n_embd
  attn.c_attn         {kind}  n_embd  {qkv}  bias
  attn.c_proj         {kind}  n_embd  n_embd  bias
  attn.resid_dropout  Module
  {more}
  ln_2                LayerNorm  n_embd
  mlp.c_fc            {kind}  n_embd  n_inner  bias
  mlp.c_proj          {kind}  n_inner  n_embd  bias
  mlp.act             Module
  mlp.dropout         Module
ln_f  LayerNorm  n_embd
"""


_GPTJ = """
wte   Embedding  vocab_size  n_embd  embedding
drop  Module
h[n_layer]
  ln_1                LayerNorm  n_embd
  {attention}
  attn.out_proj       Linear  n_embd  n_embd
  attn.resid_dropout  Module
  mlp.fc_in           Linear  n_embd  n_inner  bias
  mlp.fc_out          Linear  n_inner  n_embd  bias
  mlp.act             Module
  mlp.dropout         Module
ln_f        LayerNorm  n_embd
rotary_emb  Module
"""
_GPTJ_ATTENTION = """attn.q_proj  Linear  n_embd  n_embd
  attn.k_proj  Linear  n_embd  n_embd
  attn.v_proj  Linear  n_embd  n_embd
"""
_GPTJ_DEFAULTS = (
    "vocab_size=50400 n_embd=4096 n_layer=28 n_head=16 n_inner=4*n_embd "
    "tie_word_embeddings=false"
)
_GPTJ_LM_HEAD = "lm_head  Linear  n_embd  vocab_size  bias  ties=wte  output"

_GPT_NEO = """
wte   Embedding  vocab_size  hidden_size  embedding
wpe   Embedding  max_position_embeddings  hidden_size
drop  Module
h[num_layers]
  ln_1                          LayerNorm  hidden_size
  attn.attention.attn_dropout   Module
  attn.attention.resid_dropout  Module
  attn.attention.k_proj         Linear  hidden_size  hidden_size
  attn.attention.v_proj         Linear  hidden_size  hidden_size
  attn.attention.q_proj         Linear  hidden_size  hidden_size
  attn.attention.out_proj       Linear  hidden_size  hidden_size  bias
  ln_2                          LayerNorm  hidden_size
  mlp.c_fc                      Linear  hidden_size  intermediate_size  bias
  mlp.c_proj                    Linear  intermediate_size  hidden_size  bias
  mlp.act                       Module
  mlp.dropout                   Module
ln_f  LayerNorm  hidden_size
"""
_WTE_HEADS = {
    "ForCausalLM": "lm_head  Linear  hidden_size  vocab_size  ties=wte  output",
    "ForSequenceClassification": _SCORE,
    "ForTokenClassification": _CLASSIFIED_TOKENS,
    "ForQuestionAnswering": _ANSWERS,
}

_GPT_NEOX = """
embed_in     Embedding  vocab_size  hidden_size  embedding
emb_dropout  Module
layers[num_hidden_layers]
  input_layernorm            LayerNorm  hidden_size
  post_attention_layernorm   LayerNorm  hidden_size
  post_attention_dropout     Module
  post_mlp_dropout           Module
  attention.query_key_value  Linear  hidden_size  3*hidden_size  bias=attention_bias
  attention.dense            Linear  hidden_size  hidden_size  bias=attention_bias
  mlp.dense_h_to_4h          Linear  hidden_size  intermediate_size  bias
  mlp.dense_4h_to_h          Linear  intermediate_size  hidden_size  bias
  mlp.act                    Module
final_layer_norm  LayerNorm  hidden_size
rotary_emb        Module
"""

_OPT = """
decoder.embed_tokens      Embedding  vocab_size  word_embed_proj_dim  embedding
decoder.embed_positions   Embedding  max_position_embeddings+2  hidden_size
decoder.project_out       Linear  hidden_size  word_embed_proj_dim  if=projected
decoder.project_in        Linear  word_embed_proj_dim  hidden_size  if=projected
decoder.final_layer_norm  LayerNorm  hidden_size  if=final_norm
decoder.final_layer_norm  Module  if=bare_final_norm
decoder.layers[num_hidden_layers]
  self_attn.k_proj      Linear  hidden_size  hidden_size  bias=enable_bias
  self_attn.v_proj      Linear  hidden_size  hidden_size  bias=enable_bias
  self_attn.q_proj      Linear  hidden_size  hidden_size  bias=enable_bias
  self_attn.out_proj    Linear  hidden_size  hidden_size  bias=enable_bias
  activation_fn         Module
  self_attn_layer_norm  LayerNorm  hidden_size  if=layer_norm_elementwise_affine
  self_attn_layer_norm  Module  unless=layer_norm_elementwise_affine
  fc1                   Linear  hidden_size  ffn_dim  bias=enable_bias
  fc2                   Linear  ffn_dim  hidden_size  bias=enable_bias
  final_layer_norm      LayerNorm  hidden_size  if=layer_norm_elementwise_affine
  final_layer_norm      Module  unless=layer_norm_elementwise_affine
"""

_BLOOM = """
word_embeddings            Embedding  vocab_size  hidden_size  embedding
word_embeddings_layernorm  LayerNorm  hidden_size
h[n_layer]
  input_layernorm                   LayerNorm  hidden_size
  self_attention.query_key_value    Linear  hidden_size  3*hidden_size  bias
  self_attention.dense              Linear  hidden_size  hidden_size  bias
  self_attention.attention_dropout  Module
  post_attention_layernorm          LayerNorm  hidden_size
  mlp.dense_h_to_4h                 Linear  hidden_size  4*hidden_size  bias
  mlp.gelu_impl                     Module
  mlp.dense_4h_to_h                 Linear  4*hidden_size  hidden_size  bias
ln_f  LayerNorm  hidden_size
"""
_WORD_HEADS = {
    "ForCausalLM": """
lm_head  Linear  hidden_size  vocab_size  ties=word_embeddings  output
""",
    "ForSequenceClassification": _SCORE,
    "ForTokenClassification": _CLASSIFIED_TOKENS,
    "ForQuestionAnswering": _ANSWERS,
}

_FALCON = """
word_embeddings  Embedding  vocab_size  hidden_size  embedding
h[num_hidden_layers]
  self_attention.query_key_value    Linear  hidden_size  qkv_size  bias=bias
  self_attention.dense              Linear  hidden_size  hidden_size  bias=bias
  self_attention.attention_dropout  Module
  mlp.dense_h_to_4h                 Linear  hidden_size  ffn_hidden_size  bias=bias
  mlp.act                           Module
  mlp.dense_4h_to_h                 Linear  ffn_hidden_size  hidden_size  bias=bias
  post_attention_layernorm          LayerNorm  hidden_size  unless=parallel_attn
  input_layernorm                   LayerNorm  hidden_size  if=one_norm
  ln_attn                           LayerNorm  hidden_size  if=two_norms
  ln_mlp                            LayerNorm  hidden_size  if=two_norms
ln_f        LayerNorm  hidden_size
rotary_emb  Module
"""
_FALCON_DEFAULTS = (
    "vocab_size=65024 hidden_size=4544 num_hidden_layers=32 "
    "num_attention_heads=71 num_kv_heads=num_attention_heads "
    "ffn_hidden_size=4*hidden_size bias=false multi_query=true "
    "new_decoder_architecture=false parallel_attn=true "
    "tie_word_embeddings=true"
)
_FALCON_COMPUTED: _Computed = {
    **_LABELS,
    "qkv_size": derived.falcon_qkv,
    "one_norm": derived.falcon_one_norm,
    "two_norms": derived.falcon_two_norms,
}
_FALCON_NAMES = {
    "n_embed": "hidden_size",
    "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_head_kv": "num_kv_heads",
}

_MPT = """
wte  Embedding  vocab_size  d_model  embedding
blocks[n_layers]
  norm_1              Norm  d_model
  attn.Wqkv           Linear  d_model  3*d_model
  attn.out_proj       Linear  d_model  d_model
  norm_2              Norm  d_model
  ffn.up_proj         Linear  d_model  4*d_model
  ffn.act             Module
  ffn.down_proj       Linear  4*d_model  d_model
  resid_attn_dropout  Module
norm_f  Norm  d_model
"""

_PHI = _decoder(
    _attention("bias", o="dense")
    + """
  self_attn.q_layernorm  LayerNorm  head_dim  if=qk_layernorm
  self_attn.k_layernorm  LayerNorm  head_dim  if=qk_layernorm
  mlp.activation_fn      Module
  mlp.fc1                Linear  hidden_size  intermediate_size  bias
  mlp.fc2                Linear  intermediate_size  hidden_size  bias
  input_layernorm        LayerNorm  hidden_size
  resid_dropout          Module
""",
    "final_layernorm  LayerNorm  hidden_size\nembed_dropout  Module",
)
_PHI3 = _decoder(
    """
  self_attn.o_proj    Linear  num_attention_heads*head_dim  hidden_size
  self_attn.qkv_proj  Linear  hidden_size  qkv_size
  resid_attn_dropout  Module
  resid_mlp_dropout   Module
"""
    + _FUSED_MLP
    + _NORMS
)
_STABLELM = _decoder(
    _attention("bias=use_qkv_bias", " ")
    + _mlp()
    + """
  input_layernorm           LayerNorm  hidden_size
  post_attention_layernorm  LayerNorm  hidden_size  unless=use_parallel_residual
  dropout                   Module
""",
    "norm  LayerNorm  hidden_size",
    """
layers[normed_layers]
  self_attn.q_layernorm.norms[num_attention_heads]
    weight  Tensor  head_dim
  self_attn.k_layernorm.norms[num_key_value_heads]
    weight  Tensor  head_dim
""",
)
_STARCODER2 = _decoder(
    _attention("bias=use_bias")
    + """
  mlp.c_fc    Linear  hidden_size  intermediate_size  bias=use_bias
  mlp.c_proj  Linear  intermediate_size  hidden_size  bias=use_bias
  mlp.act     Module
"""
    + _LAYER_NORMS,
    "norm  LayerNorm  hidden_size",
)
_COHERE = _decoder(
    _attention()
    + _mlp()
    + """
  self_attn.q_norm.weight  Tensor  num_attention_heads  head_dim  if=use_qk_norm
  self_attn.k_norm.weight  Tensor  num_key_value_heads  head_dim  if=use_qk_norm
  input_layernorm          Norm  hidden_size
"""
)
_GPT_OSS = _decoder(
    _attention()
    + """
  self_attn.sinks                Tensor  num_attention_heads
  mlp.router.weight              Tensor  num_local_experts  hidden_size
  mlp.router.bias                Tensor  num_local_experts
  mlp.experts.gate_up_proj       Tensor  num_local_experts  hidden_size  2*intermediate_size  transposed
  mlp.experts.gate_up_proj_bias  Tensor  num_local_experts  2*intermediate_size
  mlp.experts.down_proj          Tensor  num_local_experts  intermediate_size  hidden_size  transposed
  mlp.experts.down_proj_bias     Tensor  num_local_experts  hidden_size
"""
    + _NORMS
)
_OLMO = _decoder(
    _attention()
    + _mlp()
    + """
  input_layernorm           Module
  post_attention_layernorm  Module
""",
    "norm  Module",
)
_OLMO2 = _decoder(_attention() + _mlp() + _WIDE_NORMS + _POST_NORMS)
_GLM = _decoder(_attention(out=" ") + _FUSED_MLP + _NORMS)
_GLM4 = _decoder(
    _attention(out=" ")
    + _FUSED_MLP
    + _NORMS
    + """
  post_self_attn_layernorm  Norm  hidden_size
  post_mlp_layernorm        Norm  hidden_size
"""
)

_MAMBA = """
embeddings  Embedding  vocab_size  hidden_size  embedding
layers[num_hidden_layers]
  norm            Norm  hidden_size
  mixer.A_log     Tensor  inner_size  state_size
  mixer.D         Tensor  inner_size
  mixer.conv1d    Conv1d  inner_size  inner_size  kernel=conv_kernel  groups=inner_size  bias=use_conv_bias
  mixer.act       Module
  mixer.in_proj   Linear  hidden_size  2*inner_size  bias=use_bias
  mixer.x_proj    Linear  inner_size  time_rank+2*state_size
  mixer.dt_proj   Linear  time_rank  inner_size  bias
  mixer.out_proj  Linear  inner_size  hidden_size  bias=use_bias
norm_f  Norm  hidden_size
"""

# Encoders -------------------------------------------------------------------------------


def _bert(query: str = "query", more: str = "") -> str:
    """Return BERT's encoder; ``query`` is how its projections are called."""
    key, value = query.replace("query", "key"), query.replace("query", "value")
    return f"""
encoder.layer[num_hidden_layers]
  attention.self.{query}            Linear  hidden_size  hidden_size  bias
  attention.self.{key}              Linear  hidden_size  hidden_size  bias
  attention.self.{value}            Linear  hidden_size  hidden_size  bias
  attention.self.dropout            Module
  {more}
  attention.output.dense            Linear  hidden_size  hidden_size  bias
  attention.output.LayerNorm        LayerNorm  hidden_size
  attention.output.dropout          Module
  intermediate.dense                Linear  hidden_size  intermediate_size  bias
  intermediate.intermediate_act_fn  Module
  output.dense                      Linear  intermediate_size  hidden_size  bias
  output.LayerNorm                  LayerNorm  hidden_size
  output.dropout                    Module
"""


def _embeddings(width: str = "hidden_size") -> str:
    """Return BERT's three embeddings with their norm."""
    return f"""
embeddings.word_embeddings        Embedding  vocab_size  {width}  embedding
embeddings.position_embeddings    Embedding  max_position_embeddings  {width}
embeddings.token_type_embeddings  Embedding  type_vocab_size  {width}
embeddings.LayerNorm              LayerNorm  {width}
embeddings.dropout                Module
"""


_POOLER = """
~pooler.dense       Linear  hidden_size  hidden_size  bias
~pooler.activation  Module
"""
_DROP = "dropout  Module\n"
_CLASSIFIER = "classifier  Linear  hidden_size  num_labels  bias\n"


def _predictions(width: str = "hidden_size", at: str = "cls.predictions") -> str:
    """Return BERT's head for masked words; its bias is one tensor of two names."""
    return f"""
{at}.bias                        Tensor  vocab_size
{at}.transform.dense             Linear  hidden_size  {width}  bias
{at}.transform.transform_act_fn  Module
{at}.transform.LayerNorm         LayerNorm  {width}
{at}.decoder                     Linear  {width}  vocab_size  bias  ties=embeddings.word_embeddings  biasties={at}.bias  output
"""


_BERT_HEADS = {
    "ForMaskedLM": _predictions(),
    "LMHeadModel": _predictions(),
    "ForPreTraining": _predictions()
    + _POOLER
    + "cls.seq_relationship  Linear  hidden_size  2  bias",
    "ForSequenceClassification": _POOLER + _DROP + _CLASSIFIER,
    "ForTokenClassification": _DROP + _CLASSIFIER,
    "ForQuestionAnswering": _LABELLED_ANSWERS,
    "ForMultipleChoice": _POOLER + _DROP + "classifier  Linear  hidden_size  1  bias",
    "ForNextSentencePrediction": _POOLER
    + "cls.seq_relationship  Linear  hidden_size  2  bias",
    "Model": _POOLER,
}
_BERT_DEFAULTS = (
    "vocab_size=30522 hidden_size=768 num_hidden_layers=12 "
    "intermediate_size=3072 max_position_embeddings=512 "
    "type_vocab_size=2 tie_word_embeddings=true"
)
_ROBERTA_LM = """
lm_head.bias        Tensor  vocab_size
lm_head.dense       Linear  hidden_size  hidden_size  bias
lm_head.layer_norm  LayerNorm  hidden_size
lm_head.decoder     Linear  hidden_size  vocab_size  bias  ties=embeddings.word_embeddings  biasties=lm_head.bias  output
"""
_CLASSIFICATION_HEAD = """
{at}.dense     Linear  {width}  {width}  bias
{at}.dropout   Module
{at}.out_proj  Linear  {width}  num_labels  bias
"""
_ROBERTA_HEADS = {
    "ForMaskedLM": _ROBERTA_LM,
    "ForCausalLM": _ROBERTA_LM,
    "ForSequenceClassification": _CLASSIFICATION_HEAD.format(
        at="classifier", width="hidden_size"
    ),
    "ForTokenClassification": _DROP + _CLASSIFIER,
    "ForQuestionAnswering": _LABELLED_ANSWERS,
    "ForMultipleChoice": _POOLER + _DROP + "classifier  Linear  hidden_size  1  bias",
    "Model": _POOLER,
}
_ELECTRA = (
    _embeddings("embedding_size")
    + "embeddings_project  Linear  embedding_size  hidden_size  bias  if=projected"
    + _bert()
)
_ELECTRA_HEADS = {
    "ForPreTraining": """
discriminator_predictions.activation        Module
discriminator_predictions.dense             Linear  hidden_size  hidden_size  bias
discriminator_predictions.dense_prediction  Linear  hidden_size  1  bias
""",
    "ForMaskedLM": """
generator_predictions.activation  Module
generator_predictions.LayerNorm   LayerNorm  embedding_size
generator_predictions.dense       Linear  hidden_size  embedding_size  bias
generator_lm_head  Linear  embedding_size  vocab_size  bias  ties=embeddings.word_embeddings  output
""",
    "ForSequenceClassification": "classifier.activation  Module\n"
    + _CLASSIFICATION_HEAD.format(at="classifier", width="hidden_size"),
    "ForTokenClassification": _DROP + _CLASSIFIER,
    "ForQuestionAnswering": _LABELLED_ANSWERS,
}

_DEBERTA_EMBEDDINGS = """
embeddings.word_embeddings        Embedding  vocab_size  embedding_size  embedding
embeddings.position_embeddings    Embedding  max_position_embeddings  embedding_size  if=position_biased_input
embeddings.token_type_embeddings  Embedding  type_vocab_size  embedding_size  if=type_vocab_size
embeddings.embed_proj             Linear  embedding_size  hidden_size  if=projected
embeddings.LayerNorm              LayerNorm  hidden_size
embeddings.dropout                Module
"""
_DEBERTA_V2 = (
    _DEBERTA_EMBEDDINGS
    + _bert(
        "query_proj",
        """
  attention.self.pos_dropout    Module  if=relative_attention
  attention.self.pos_key_proj   Linear  hidden_size  hidden_size  bias  if=c2p
  attention.self.pos_query_proj  Linear  hidden_size  hidden_size  bias  if=p2c
""",
    )
    + """
encoder.rel_embeddings  Embedding  relative_rows  hidden_size  if=relative_attention
encoder.LayerNorm       LayerNorm  hidden_size  if=relative_norm
encoder.conv.conv       Conv1d  hidden_size  hidden_size  kernel=conv_kernel_size  groups=conv_groups  bias  if=conv_kernel_size
encoder.conv.LayerNorm  LayerNorm  hidden_size  if=conv_kernel_size
encoder.conv.dropout    Module  if=conv_kernel_size
"""
)
_DEBERTA = (
    _DEBERTA_EMBEDDINGS
    + """
encoder.layer[num_hidden_layers]
  attention.self.q_bias             Tensor  hidden_size
  attention.self.v_bias             Tensor  hidden_size
  attention.self.in_proj            Linear  hidden_size  3*hidden_size
  attention.self.pos_dropout        Module  if=relative_attention
  attention.self.pos_proj           Linear  hidden_size  hidden_size  if=c2p
  attention.self.pos_q_proj         Linear  hidden_size  hidden_size  bias  if=p2c
  attention.self.head_logits_proj   Linear  num_attention_heads  num_attention_heads  if=talking_head
  attention.self.head_weights_proj  Linear  num_attention_heads  num_attention_heads  if=talking_head
  attention.self.dropout            Module
  attention.output.dense            Linear  hidden_size  hidden_size  bias
  attention.output.LayerNorm        LayerNorm  hidden_size
  attention.output.dropout          Module
  intermediate.dense                Linear  hidden_size  intermediate_size  bias
  intermediate.intermediate_act_fn  Module
  output.dense                      Linear  intermediate_size  hidden_size  bias
  output.LayerNorm                  LayerNorm  hidden_size
  output.dropout                    Module
encoder.rel_embeddings  Embedding  relative_rows  hidden_size  if=relative_attention
"""
)
_CONTEXT_POOLER = """
pooler.dense    Linear  pooler_hidden_size  pooler_hidden_size  bias
pooler.dropout  Module
classifier      Linear  pooler_hidden_size  num_labels  bias
dropout         Module
"""
_DEBERTA_HEADS = {
    "ForSequenceClassification": _CONTEXT_POOLER,
    "ForMaskedLM": _predictions("embedding_size"),
    "ForTokenClassification": _DROP + _CLASSIFIER,
    "ForQuestionAnswering": _LABELLED_ANSWERS,
    "ForMultipleChoice": _CONTEXT_POOLER.replace("num_labels", "1"),
}
_DEBERTA_DEFAULTS = (
    "type_vocab_size=0 embedding_size=hidden_size "
    "pooler_hidden_size=hidden_size position_biased_input=true "
    "relative_attention=false max_relative_positions=-1 "
    "position_buckets=-1 share_att_key=false pos_att_type=null "
    "norm_rel_ebd='none' conv_kernel_size=0 conv_groups=1 "
    "talking_head=false"
)
_DEBERTA_COMPUTED: _Computed = {
    **_LABELS,
    "projected": partial(derived.differs, "embedding_size", "hidden_size"),
    "c2p": partial(derived.deberta_attention, "c2p"),
    "p2c": partial(derived.deberta_attention, "p2c"),
    "relative_rows": derived.relative_rows,
    "relative_norm": derived.relative_norm,
}

_DISTILBERT = """
embeddings.word_embeddings      Embedding  vocab_size  dim  embedding
embeddings.position_embeddings  Embedding  max_position_embeddings  dim
embeddings.LayerNorm            LayerNorm  dim
embeddings.dropout              Module
transformer.layer[n_layers]
  attention.q_lin    Linear  dim  dim  bias
  attention.k_lin    Linear  dim  dim  bias
  attention.v_lin    Linear  dim  dim  bias
  attention.out_lin  Linear  dim  dim  bias
  attention.dropout  Module
  sa_layer_norm      LayerNorm  dim
  ffn.dropout        Module
  ffn.lin1           Linear  dim  hidden_dim  bias
  ffn.lin2           Linear  hidden_dim  dim  bias
  ffn.activation     Module
  output_layer_norm  LayerNorm  dim
"""
_DISTILBERT_HEADS = {
    "ForMaskedLM": """
activation        Module
vocab_transform   Linear  dim  dim  bias
vocab_layer_norm  LayerNorm  dim
vocab_projector   Linear  dim  vocab_size  bias  ties=embeddings.word_embeddings  output
mlm_loss_fct      Module
""",
    "ForSequenceClassification": """
pre_classifier  Linear  dim  dim  bias
classifier      Linear  dim  num_labels  bias
dropout         Module
""",
    "ForTokenClassification": """
dropout     Module
classifier  Linear  dim  num_labels  bias
""",
    "ForQuestionAnswering": """
qa_outputs  Linear  dim  num_labels  bias
dropout     Module
""",
    "ForMultipleChoice": """
pre_classifier  Linear  dim  dim  bias
classifier      Linear  dim  1  bias
dropout         Module
""",
}

_VIT = """
embeddings.cls_token            Tensor  1  1  hidden_size
embeddings.position_embeddings  Tensor  1  patches+1  hidden_size
embeddings.patch_embeddings.projection  Conv2d  num_channels  hidden_size  kernel=patch_size,patch_size  bias
embeddings.dropout              Module
layers[num_hidden_layers]
  attention.q_proj   Linear  hidden_size  hidden_size  bias=qkv_bias
  attention.k_proj   Linear  hidden_size  hidden_size  bias=qkv_bias
  attention.v_proj   Linear  hidden_size  hidden_size  bias=qkv_bias
  attention.o_proj   Linear  hidden_size  hidden_size  bias
  layernorm_before   LayerNorm  hidden_size
  layernorm_after    LayerNorm  hidden_size
  mlp.activation_fn  Module
  mlp.fc1            Linear  hidden_size  intermediate_size  bias
  mlp.fc2            Linear  intermediate_size  hidden_size  bias
  dropout            Module
layernorm  LayerNorm  hidden_size
"""
_SIGLIP = """
embeddings.patch_embedding     Conv2d  num_channels  hidden_size  kernel=patch_size,patch_size  bias
embeddings.position_embedding  Embedding  patches  hidden_size
encoder.layers[num_hidden_layers]
  layer_norm1         LayerNorm  hidden_size
  self_attn.k_proj    Linear  hidden_size  hidden_size  bias
  self_attn.v_proj    Linear  hidden_size  hidden_size  bias
  self_attn.q_proj    Linear  hidden_size  hidden_size  bias
  self_attn.out_proj  Linear  hidden_size  hidden_size  bias
  layer_norm2         LayerNorm  hidden_size
  mlp.activation_fn   Module
  mlp.fc1             Linear  hidden_size  intermediate_size  bias
  mlp.fc2             Linear  intermediate_size  hidden_size  bias
post_layernorm           LayerNorm  hidden_size
head.probe               Tensor  1  1  hidden_size  if=vision_use_head
head.attention           MultiheadAttention  hidden_size  3*hidden_size  bias  if=vision_use_head
head.attention.out_proj  Linear  hidden_size  hidden_size  bias  if=vision_use_head
head.layernorm           LayerNorm  hidden_size  if=vision_use_head
head.mlp.activation_fn   Module  if=vision_use_head
head.mlp.fc1             Linear  hidden_size  intermediate_size  bias  if=vision_use_head
head.mlp.fc2             Linear  intermediate_size  hidden_size  bias  if=vision_use_head
"""
# Encoders with decoders -----------------------------------------------------------------


def _t5_side(side: str, depth: str, cross: str, last: int) -> str:
    """Return the encoder or the decoder of T5; ``last`` numbers its feed-forward."""
    return f"""
{side}.embed_tokens  Embedding  vocab_size  d_model  is=shared
{side}.block.0.layer.0.SelfAttention.relative_attention_bias  Embedding  relative_attention_num_buckets  num_heads
{side}.block[{depth}]
  layer.0.SelfAttention.q              Linear  d_model  num_heads*d_kv
  layer.0.SelfAttention.k              Linear  d_model  num_heads*d_kv
  layer.0.SelfAttention.v              Linear  d_model  num_heads*d_kv
  layer.0.SelfAttention.o              Linear  num_heads*d_kv  d_model
  layer.0.layer_norm                   Norm  d_model
  layer.0.dropout                      Module
{cross}
  layer.{last}.DenseReluDense.wi       Linear  d_model  d_ff  unless=gated
  layer.{last}.DenseReluDense.wi_0     Linear  d_model  d_ff  if=gated
  layer.{last}.DenseReluDense.wi_1     Linear  d_model  d_ff  if=gated
  layer.{last}.DenseReluDense.wo       Linear  d_ff  d_model
  layer.{last}.DenseReluDense.act      Module
  layer.{last}.DenseReluDense.dropout  Module
  layer.{last}.layer_norm              Norm  d_model
  layer.{last}.dropout                 Module
{side}.final_layer_norm  Norm  d_model
{side}.dropout           Module
"""


_T5_ENCODER = "shared  Embedding  vocab_size  d_model  embedding\n" + _t5_side(
    "encoder", "num_layers", "", 1
)
_T5 = _T5_ENCODER + _t5_side(
    "decoder",
    "num_decoder_layers",
    """
  layer.1.EncDecAttention.q  Linear  d_model  num_heads*d_kv
  layer.1.EncDecAttention.k  Linear  d_model  num_heads*d_kv
  layer.1.EncDecAttention.v  Linear  d_model  num_heads*d_kv
  layer.1.EncDecAttention.o  Linear  num_heads*d_kv  d_model
  layer.1.layer_norm         Norm  d_model
  layer.1.dropout            Module
""",
    2,
)
_T5_HEADS = {
    "ForConditionalGeneration": "lm_head  Linear  d_model  vocab_size  ties=shared  output",
    "ForSequenceClassification": _CLASSIFICATION_HEAD.format(
        at="classification_head", width="d_model"
    ),
    "ForTokenClassification": _CLASSIFIED_TOKENS.replace("hidden_size", "d_model"),
    "ForQuestionAnswering": "qa_outputs  Linear  d_model  num_labels  bias",
    "EncoderModel": "",
}
_T5_PREFIXES = {
    "ForSequenceClassification": "transformer.",
    "ForTokenClassification": "transformer.",
}
_T5_BODIES = {"EncoderModel": _T5_ENCODER, "ForTokenClassification": _T5_ENCODER}
_T5_DEFAULTS = (
    "vocab_size=32128 d_model=512 d_kv=64 d_ff=2048 num_layers=6 "
    "num_decoder_layers=num_layers num_heads=8 "
    "relative_attention_num_buckets=32 feed_forward_proj='relu' "
    "tie_word_embeddings=true"
)
_T5_COMPUTED: _Computed = {**_LABELS, "gated": derived.gated}
_T5_NAMES = {
    "hidden_size": "d_model",
    "num_attention_heads": "num_heads",
    "num_hidden_layers": "num_layers",
    "head_dim": "d_kv",
}


def _bart_side(side: str, key_bias: str, cross: str) -> str:
    """Return the layers of one side of BART or Whisper."""
    return f"""
{side}.layers[{side}_layers]
  self_attn.k_proj      Linear  d_model  d_model  {key_bias}
  self_attn.v_proj      Linear  d_model  d_model  bias
  self_attn.q_proj      Linear  d_model  d_model  bias
  self_attn.out_proj    Linear  d_model  d_model  bias
  activation_fn         Module
  self_attn_layer_norm  LayerNorm  d_model
{cross}
  fc1                   Linear  d_model  {side}_ffn_dim  bias
  fc2                   Linear  {side}_ffn_dim  d_model  bias
  final_layer_norm      LayerNorm  d_model
"""


def _cross_attention(key_bias: str) -> str:
    return f"""
  encoder_attn.k_proj      Linear  d_model  d_model  {key_bias}
  encoder_attn.v_proj      Linear  d_model  d_model  bias
  encoder_attn.q_proj      Linear  d_model  d_model  bias
  encoder_attn.out_proj    Linear  d_model  d_model  bias
  encoder_attn_layer_norm  LayerNorm  d_model
"""


_BART = (
    """
shared                       Embedding  vocab_size  d_model  embedding
encoder.embed_tokens         Embedding  vocab_size  d_model  ties=shared
encoder.embed_positions      Embedding  max_position_embeddings+2  d_model
encoder.layernorm_embedding  LayerNorm  d_model
decoder.embed_tokens         Embedding  vocab_size  d_model  ties=shared
decoder.embed_positions      Embedding  max_position_embeddings+2  d_model
decoder.layernorm_embedding  LayerNorm  d_model
"""
    + _bart_side("encoder", "bias", "")
    + _bart_side("decoder", "bias", _cross_attention("bias"))
)
_BART_HEADS = {
    "ForConditionalGeneration": "lm_head  Linear  d_model  vocab_size  ties=shared  output",
    "ForSequenceClassification": _CLASSIFICATION_HEAD.format(
        at="classification_head", width="d_model"
    ),
    "ForQuestionAnswering": "qa_outputs  Linear  d_model  2  bias",
}
_BART_DEFAULTS = (
    "vocab_size=50265 d_model=1024 encoder_layers=12 decoder_layers=12 "
    "encoder_ffn_dim=4096 decoder_ffn_dim=4096 "
    "max_position_embeddings=1024 tie_word_embeddings=true"
)
_BART_NAMES = {"hidden_size": "d_model", "num_hidden_layers": "encoder_layers"}

_WHISPER = (
    """
encoder.conv1            Conv1d  num_mel_bins  d_model  kernel=3  bias
encoder.conv2            Conv1d  d_model  d_model  kernel=3  bias
encoder.embed_positions  Embedding  max_source_positions  d_model
encoder.layer_norm       LayerNorm  d_model
decoder.embed_tokens     Embedding  vocab_size  d_model  embedding
decoder.embed_positions  Embedding  max_target_positions  d_model
decoder.layer_norm       LayerNorm  d_model
"""
    + _bart_side("encoder", "", "")
    + _bart_side("decoder", "", _cross_attention(""))
)
_WHISPER_HEADS = {
    "ForConditionalGeneration": """
proj_out  Linear  d_model  vocab_size  ties=decoder.embed_tokens  output
""",
}
_WHISPER_DEFAULTS = (
    "vocab_size=51865 d_model=384 encoder_layers=4 decoder_layers=4 "
    "encoder_ffn_dim=1536 decoder_ffn_dim=1536 num_mel_bins=80 "
    "max_source_positions=1500 max_target_positions=448 "
    "tie_word_embeddings=true"
)

# The table ------------------------------------------------------------------------------

_MOE_WIDTH = "moe_intermediate_size"

FAMILIES: dict[str, Family] = {
    "llama": _decoder_family(
        _LLAMA,
        "vocab_size=32000 hidden_size=4096 intermediate_size=11008 "
        "num_hidden_layers=32 num_attention_heads=32",
    ),
    "mistral": _decoder_family(
        _PLAIN,
        "vocab_size=32000 hidden_size=4096 intermediate_size=14336 "
        "num_hidden_layers=32 num_attention_heads=32 num_key_value_heads=8",
    ),
    "ministral": _decoder_family(
        _PLAIN,
        "vocab_size=32000 hidden_size=4096 intermediate_size=14336 "
        "num_hidden_layers=32 num_attention_heads=32 num_key_value_heads=8",
    ),
    "mixtral": _decoder_family(
        _MIXTRAL,
        "vocab_size=32000 hidden_size=4096 intermediate_size=14336 "
        "num_hidden_layers=32 num_attention_heads=32 num_key_value_heads=8 "
        "num_local_experts=8",
        aliases={"num_experts": "num_local_experts"},
    ),
    "qwen2": _decoder_family(
        _QWEN2,
        "vocab_size=151936 hidden_size=4096 intermediate_size=22016 "
        "num_hidden_layers=32 num_attention_heads=32 num_key_value_heads=32",
    ),
    "qwen2_moe": _decoder_family(
        _mixture(
            _attention("bias=qkv_bias", " "),
            _mlp(),
            _experts("num_experts", _MOE_WIDTH)
            + _mlp(at="mlp.shared_expert", width="shared_expert_intermediate_size")
            + "  mlp.shared_expert_gate  Linear  hidden_size  1\n",
        ),
        "vocab_size=151936 hidden_size=2048 intermediate_size=5632 "
        "num_hidden_layers=24 num_attention_heads=16 num_key_value_heads=16 "
        "num_experts=60 moe_intermediate_size=1408 "
        "shared_expert_intermediate_size=5632 decoder_sparse_step=1 "
        "mlp_only_layers=[] qkv_bias=true",
        computed=_SPARSE,
    ),
    "qwen3": _decoder_family(
        _decoder(_attention() + _HEAD_NORMS + _mlp() + _NORMS),
        "vocab_size=151936 hidden_size=4096 intermediate_size=22016 "
        "num_hidden_layers=32 num_attention_heads=32 num_key_value_heads=32 "
        "head_dim=128",
    ),
    "qwen3_moe": _decoder_family(
        _mixture(
            _attention() + _HEAD_NORMS, _mlp(), _experts("num_experts", _MOE_WIDTH)
        ),
        "vocab_size=151936 hidden_size=2048 intermediate_size=6144 "
        "num_hidden_layers=24 num_attention_heads=32 num_key_value_heads=4 "
        "num_experts=128 moe_intermediate_size=768 decoder_sparse_step=1 "
        "mlp_only_layers=[]",
        computed=_SPARSE,
        aliases={"num_local_experts": "num_experts"},
    ),
    "gemma": _decoder_family(
        _GEMMA,
        "vocab_size=256000 hidden_size=3072 intermediate_size=24576 "
        "num_hidden_layers=28 num_attention_heads=16 num_key_value_heads=16 "
        "head_dim=256 tie_word_embeddings=true",
    ),
    "gemma2": _decoder_family(
        _GEMMA2,
        "vocab_size=256000 hidden_size=2304 intermediate_size=9216 "
        "num_hidden_layers=26 num_attention_heads=8 num_key_value_heads=4 "
        "head_dim=256 tie_word_embeddings=true",
    ),
    "gemma3_text": _decoder_family(
        _decoder(_attention() + _HEAD_NORMS + _mlp() + _NORMS + _FEEDFORWARD_NORMS),
        "vocab_size=262208 hidden_size=2304 intermediate_size=9216 "
        "num_hidden_layers=26 num_attention_heads=8 num_key_value_heads=4 "
        "head_dim=256 tie_word_embeddings=true",
    ),
    "phi": _decoder_family(
        _PHI,
        "vocab_size=51200 hidden_size=2048 intermediate_size=8192 "
        "num_hidden_layers=24 num_attention_heads=32 qk_layernorm=false",
        heads={**_DECODER_HEADS, "ForCausalLM": _LM_HEAD + "  bias"},
    ),
    "phi3": _decoder_family(
        _PHI3,
        "vocab_size=32064 hidden_size=3072 intermediate_size=8192 "
        "num_hidden_layers=32 num_attention_heads=32",
        computed={"qkv_size": derived.phi3_qkv},
    ),
    "gpt2": Family(
        "transformer.",
        _gpt2("Conv1D", "3*n_embd", "attn.attn_dropout  Module"),
        _GPT2_HEADS,
        _GPT2_DEFAULTS,
        computed=_LABELS,
        aliases=_GPT2_NAMES,
    ),
    "gpt_bigcode": Family(
        "transformer.",
        _gpt2("Linear", "qkv_size", ""),
        {"ForCausalLM": _GPT2_HEADS["LMHeadModel"], **_GPT2_HEADS},
        (_GPT2_DEFAULTS + " " + "multi_query=true"),
        computed={**_LABELS, "qkv_size": derived.bigcode_qkv},
        aliases=_GPT2_NAMES,
    ),
    "gptj": Family(
        "transformer.",
        _GPTJ.format(attention=_GPTJ_ATTENTION),
        {**_GPT2_HEADS, "ForCausalLM": _GPTJ_LM_HEAD},
        _GPTJ_DEFAULTS,
        computed=_LABELS,
        aliases=_GPT2_NAMES,
    ),
    "codegen": Family(
        "transformer.",
        _GPTJ.format(attention="attn.qkv_proj  Linear  n_embd  3*n_embd"),
        {"ForCausalLM": _GPTJ_LM_HEAD},
        _GPTJ_DEFAULTS,
        computed=_LABELS,
        aliases=_GPT2_NAMES,
    ),
    "gpt_neo": Family(
        "transformer.",
        _GPT_NEO,
        _WTE_HEADS,
        "vocab_size=50257 hidden_size=2048 num_layers=24 "
        "max_position_embeddings=2048 intermediate_size=4*hidden_size "
        "tie_word_embeddings=true",
        computed=_LABELS,
        aliases={"num_hidden_layers": "num_layers"},
    ),
    "gpt_neox": Family(
        "gpt_neox.",
        _GPT_NEOX,
        {
            "ForCausalLM": _LM_HEAD.replace("embed_tokens", "embed_in"),
            "ForSequenceClassification": _SCORE,
            "ForTokenClassification": _CLASSIFIED_TOKENS,
            "ForQuestionAnswering": _ANSWERS,
        },
        "vocab_size=50432 hidden_size=6144 intermediate_size=24576 "
        "num_hidden_layers=44 attention_bias=true tie_word_embeddings=false",
        computed=_LABELS,
    ),
    "opt": Family(
        "model.",
        _OPT,
        {
            "ForCausalLM": """
lm_head  Linear  word_embed_proj_dim  vocab_size  ties=decoder.embed_tokens  output
""",
            "ForSequenceClassification": "score  Linear  word_embed_proj_dim  num_labels",
            "ForQuestionAnswering": "qa_outputs  Linear  word_embed_proj_dim  2  bias",
        },
        "vocab_size=50272 hidden_size=768 num_hidden_layers=12 ffn_dim=3072 "
        "max_position_embeddings=2048 word_embed_proj_dim=hidden_size "
        "enable_bias=true do_layer_norm_before=true "
        "layer_norm_elementwise_affine=true _remove_final_layer_norm=false "
        "tie_word_embeddings=true",
        computed={
            **_LABELS,
            "projected": partial(derived.differs, "word_embed_proj_dim", "hidden_size"),
            "final_norm": partial(derived.opt_final_norm, True),
            "bare_final_norm": partial(derived.opt_final_norm, False),
        },
    ),
    "bloom": Family(
        "transformer.",
        _BLOOM,
        _WORD_HEADS,
        "vocab_size=250880 hidden_size=64 n_layer=2 tie_word_embeddings=true",
        computed=_LABELS,
        aliases={"n_embed": "hidden_size", "num_hidden_layers": "n_layer"},
    ),
    "falcon": Family(
        "transformer.",
        _FALCON,
        _WORD_HEADS,
        _FALCON_DEFAULTS,
        computed=_FALCON_COMPUTED,
        aliases=_FALCON_NAMES,
    ),
    "mpt": Family(
        "transformer.",
        _MPT,
        {
            "ForCausalLM": "lm_head  Linear  d_model  vocab_size  ties=wte  output",
            "ForSequenceClassification": "score  Linear  d_model  num_labels",
            "ForTokenClassification": _CLASSIFIED_TOKENS.replace(
                "hidden_size", "d_model"
            ),
            "ForQuestionAnswering": _ANSWERS.replace("hidden_size", "d_model"),
        },
        "vocab_size=50368 d_model=2048 n_layers=24 tie_word_embeddings=true",
        computed=_LABELS,
        aliases={"hidden_size": "d_model", "num_hidden_layers": "n_layers"},
    ),
    "starcoder2": _decoder_family(
        _STARCODER2,
        "vocab_size=49152 hidden_size=3072 intermediate_size=12288 "
        "num_hidden_layers=30 num_attention_heads=24 num_key_value_heads=2 "
        "tie_word_embeddings=true use_bias=true",
    ),
    "stablelm": _decoder_family(
        _STABLELM,
        "vocab_size=50304 hidden_size=2560 intermediate_size=6912 "
        "num_hidden_layers=32 num_attention_heads=32 num_key_value_heads=32 "
        "use_qkv_bias=false qk_layernorm=false use_parallel_residual=false",
        computed={"normed_layers": derived.stablelm_normed},
    ),
    "cohere": _decoder_family(
        _COHERE,
        "vocab_size=256000 hidden_size=8192 intermediate_size=22528 "
        "num_hidden_layers=40 num_attention_heads=64 "
        "tie_word_embeddings=true use_qk_norm=false",
    ),
    "cohere2": _decoder_family(
        _COHERE,
        "vocab_size=256000 hidden_size=8192 intermediate_size=22528 "
        "num_hidden_layers=40 num_attention_heads=64 "
        "tie_word_embeddings=true use_qk_norm=false",
    ),
    "deepseek_v2": _decoder_family(
        _DEEPSEEK,
        "vocab_size=102400 hidden_size=4096 intermediate_size=11008 "
        "num_hidden_layers=32 num_attention_heads=32 n_routed_experts=64 "
        "n_shared_experts=2 moe_intermediate_size=1407 "
        "first_k_dense_replace=0 q_lora_rank=1536 kv_lora_rank=512 "
        "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128",
        computed=_DEEPSEEK_COMPUTED,
        aliases={"num_experts": "n_routed_experts"},
        optional=("q_lora_rank",),
    ),
    "deepseek_v3": _decoder_family(
        _DEEPSEEK,
        "vocab_size=129280 hidden_size=7168 intermediate_size=18432 "
        "num_hidden_layers=61 num_attention_heads=128 n_routed_experts=256 "
        "n_shared_experts=1 moe_intermediate_size=2048 "
        "first_k_dense_replace=3 q_lora_rank=1536 kv_lora_rank=512 "
        "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128",
        computed=_DEEPSEEK_COMPUTED,
        aliases={"num_local_experts": "n_routed_experts"},
        optional=("q_lora_rank",),
    ),
    "gpt_oss": _decoder_family(
        _GPT_OSS,
        "vocab_size=201088 hidden_size=2880 intermediate_size=2880 "
        "num_hidden_layers=36 num_attention_heads=64 num_key_value_heads=8 "
        "head_dim=64 attention_bias=true num_local_experts=128",
        aliases={"num_experts": "num_local_experts"},
    ),
    "olmo": _decoder_family(
        _OLMO,
        "vocab_size=50304 hidden_size=4096 intermediate_size=11008 "
        "num_hidden_layers=32 num_attention_heads=32",
    ),
    "olmo2": _decoder_family(
        _OLMO2,
        "vocab_size=50304 hidden_size=4096 intermediate_size=11008 "
        "num_hidden_layers=32 num_attention_heads=32",
    ),
    "olmo3": _decoder_family(
        _OLMO2,
        "vocab_size=50304 hidden_size=4096 intermediate_size=11008 "
        "num_hidden_layers=32 num_attention_heads=32",
    ),
    "olmoe": _decoder_family(
        _decoder(
            _attention()
            + _WIDE_NORMS
            + _experts("num_experts", "intermediate_size")
            + _NORMS
        ),
        "vocab_size=50304 hidden_size=2048 intermediate_size=2048 "
        "num_hidden_layers=16 num_attention_heads=16 num_experts=64",
        aliases={"num_local_experts": "num_experts"},
    ),
    "granite": _decoder_family(
        _LLAMA,
        "vocab_size=32000 hidden_size=4096 intermediate_size=11008 "
        "num_hidden_layers=32 num_attention_heads=32",
    ),
    "smollm3": _decoder_family(
        _LLAMA,
        "vocab_size=128256 hidden_size=2048 intermediate_size=11008 "
        "num_hidden_layers=36 num_attention_heads=16 num_key_value_heads=4 "
        "tie_word_embeddings=true",
    ),
    "glm": _decoder_family(
        _GLM,
        "vocab_size=151552 hidden_size=4096 intermediate_size=13696 "
        "num_hidden_layers=40 num_attention_heads=32 num_key_value_heads=2 "
        "head_dim=128 attention_bias=true",
    ),
    "glm4": _decoder_family(
        _GLM4,
        "vocab_size=151552 hidden_size=4096 intermediate_size=13696 "
        "num_hidden_layers=40 num_attention_heads=32 num_key_value_heads=2 "
        "head_dim=128 attention_bias=true",
    ),
    "ernie4_5": _decoder_family(
        _decoder(_attention("bias=use_bias") + _mlp("bias=use_bias") + _NORMS),
        "vocab_size=103424 hidden_size=1024 intermediate_size=3072 "
        "num_hidden_layers=18 num_attention_heads=16 num_key_value_heads=2 "
        "head_dim=128 use_bias=false tie_word_embeddings=true",
    ),
    "seed_oss": _decoder_family(
        _decoder(
            _attention(out="bias=attention_out_bias") + _mlp("bias=mlp_bias") + _NORMS
        ),
        "vocab_size=155136 hidden_size=4096 intermediate_size=27648 "
        "num_hidden_layers=64 num_attention_heads=80 num_key_value_heads=8 "
        "head_dim=128 attention_bias=true attention_out_bias=false",
    ),
    "exaone4": _decoder_family(
        _decoder(_attention("", "") + _HEAD_NORMS + _mlp() + _POST_NORMS),
        "vocab_size=102400 hidden_size=4096 intermediate_size=16384 "
        "num_hidden_layers=32 num_attention_heads=32 num_key_value_heads=32",
    ),
    "arcee": _decoder_family(
        _decoder(_attention() + _UNGATED_MLP + _NORMS),
        "vocab_size=32000 hidden_size=2560 intermediate_size=18432 "
        "num_hidden_layers=32 num_attention_heads=32",
    ),
    "nemotron": _decoder_family(
        _decoder(
            _attention() + _UNGATED_MLP + _LAYER_NORMS, "norm  LayerNorm  hidden_size"
        ),
        "vocab_size=256000 hidden_size=6144 intermediate_size=24576 "
        "num_hidden_layers=32 num_attention_heads=48",
    ),
    "glm4_moe": _decoder_family(
        _mixture(
            _attention(out=" ")
            + """
  self_attn.q_norm  Norm  head_dim  if=use_qk_norm
  self_attn.k_norm  Norm  head_dim  if=use_qk_norm
""",
            _mlp(),
            _experts("n_routed_experts", _MOE_WIDTH) + _DEEPSEEK_SHARED,
        ),
        "vocab_size=151552 hidden_size=4096 intermediate_size=10944 "
        "num_hidden_layers=46 num_attention_heads=96 num_key_value_heads=8 "
        "n_routed_experts=128 n_shared_experts=1 moe_intermediate_size=1408 "
        "first_k_dense_replace=1 use_qk_norm=false",
        computed=_SPARSE_FIRST,
        aliases={"num_local_experts": "n_routed_experts"},
    ),
    "dots1": _decoder_family(
        _mixture(
            _attention() + _HEAD_NORMS,
            _mlp(),
            _experts("n_routed_experts", _MOE_WIDTH) + _DEEPSEEK_SHARED,
        ),
        "vocab_size=152064 hidden_size=4608 intermediate_size=10944 "
        "num_hidden_layers=62 num_attention_heads=32 num_key_value_heads=32 "
        "moe_intermediate_size=1408 first_k_dense_replace=0",
        computed=_SPARSE_FIRST,
        aliases={"num_local_experts": "n_routed_experts"},
    ),
    "granitemoe": _decoder_family(
        _decoder(
            _attention()
            + _experts("num_local_experts", "intermediate_size", "router").replace(
                "mlp.", "block_sparse_moe."
            )
            + _NORMS
        ),
        "vocab_size=32000 hidden_size=4096 intermediate_size=11008 "
        "num_hidden_layers=32 num_attention_heads=32 num_local_experts=8",
    ),
    "mamba": Family(
        "backbone.",
        _MAMBA,
        {"ForCausalLM": _LM_HEAD.replace("embed_tokens", "embeddings")},
        "vocab_size=50280 hidden_size=768 num_hidden_layers=32 "
        "state_size=16 expand=2 conv_kernel=4 use_bias=false "
        "use_conv_bias=true tie_word_embeddings=true",
        computed={"inner_size": derived.mamba_inner, "time_rank": derived.mamba_rank},
    ),
    "bert": Family(
        "bert.",
        _embeddings() + _bert(),
        _BERT_HEADS,
        _BERT_DEFAULTS,
        computed=_LABELS,
    ),
    "roberta": Family(
        "roberta.",
        _embeddings() + _bert(),
        _ROBERTA_HEADS,
        (_BERT_DEFAULTS + " " + "vocab_size=50265"),
        computed=_LABELS,
    ),
    "xlm-roberta": Family(
        "roberta.",
        _embeddings() + _bert(),
        _ROBERTA_HEADS,
        _BERT_DEFAULTS,
        computed=_LABELS,
    ),
    "electra": Family(
        "electra.",
        _ELECTRA,
        _ELECTRA_HEADS,
        (
            _BERT_DEFAULTS
            + " "
            + "embedding_size=128 hidden_size=256 intermediate_size=1024"
        ),
        computed={
            **_LABELS,
            "projected": partial(derived.differs, "embedding_size", "hidden_size"),
        },
    ),
    "deberta-v2": Family(
        "deberta.",
        _DEBERTA_V2,
        _DEBERTA_HEADS,
        (
            _BERT_DEFAULTS
            + " "
            + _DEBERTA_DEFAULTS
            + " "
            + "vocab_size=128100 hidden_size=1536 num_hidden_layers=24 "
            "intermediate_size=6144"
        ),
        computed=_DEBERTA_COMPUTED,
    ),
    "deberta": Family(
        "deberta.",
        _DEBERTA,
        _DEBERTA_HEADS,
        (
            _BERT_DEFAULTS
            + " "
            + _DEBERTA_DEFAULTS
            + " "
            + "vocab_size=50265 num_attention_heads=12"
        ),
        computed=_DEBERTA_COMPUTED,
    ),
    "distilbert": Family(
        "distilbert.",
        _DISTILBERT,
        _DISTILBERT_HEADS,
        "vocab_size=30522 dim=768 n_layers=6 hidden_dim=3072 "
        "max_position_embeddings=512 tie_word_embeddings=true",
        computed=_LABELS,
        aliases={"hidden_size": "dim", "num_hidden_layers": "n_layers"},
    ),
    "vit": Family(
        "vit.",
        _VIT,
        {
            "ForImageClassification": _CLASSIFIER,
            "Model": """
~pooler.dense       Linear  hidden_size  pooler_output_size  bias
~pooler.activation  Module
""",
        },
        "hidden_size=768 intermediate_size=3072 num_hidden_layers=12 "
        "num_channels=3 image_size=224 patch_size=16 qkv_bias=true "
        "pooler_output_size=hidden_size",
        computed={**_LABELS, "patches": derived.patches},
    ),
    "t5": Family(
        "",
        _T5,
        _T5_HEADS,
        _T5_DEFAULTS,
        computed=_T5_COMPUTED,
        aliases=_T5_NAMES,
        prefixes=_T5_PREFIXES,
        bodies=_T5_BODIES,
    ),
    "mt5": Family(
        "",
        _T5,
        _T5_HEADS,
        (
            _T5_DEFAULTS + " " + "vocab_size=250112 d_ff=1024 num_layers=8 num_heads=6 "
            "feed_forward_proj='gated-gelu'"
        ),
        computed=_T5_COMPUTED,
        aliases=_T5_NAMES,
        prefixes=_T5_PREFIXES,
        bodies=_T5_BODIES,
    ),
    "bart": Family(
        "model.",
        _BART,
        _BART_HEADS,
        _BART_DEFAULTS,
        computed={"num_labels": derived.three_labels},
        aliases=_BART_NAMES,
    ),
    "whisper": Family(
        "model.",
        _WHISPER,
        _WHISPER_HEADS,
        _WHISPER_DEFAULTS,
        aliases=_BART_NAMES,
    ),
}
_SIGLIP_FAMILY = Family(
    "",
    _SIGLIP,
    {},
    "hidden_size=768 intermediate_size=3072 num_hidden_layers=12 "
    "num_channels=3 image_size=224 patch_size=16 vision_use_head=true",
    computed={"patches": derived.patches},
)
FAMILIES["gemma3"] = Family(
    "model.",
    """
vision_tower    Family  vision_config
multi_modal_projector.mm_input_projection_weight  Tensor  vision_config.hidden_size  text_config.hidden_size
multi_modal_projector.mm_soft_emb_norm            Norm  vision_config.hidden_size
multi_modal_projector.avg_pool                    Module
language_model  Family  text_config
""",
    {
        "ForConditionalGeneration": """
lm_head  Linear  text_config.hidden_size  text_config.vocab_size  ties=language_model.embed_tokens  output
""",
    },
    "tie_word_embeddings=true",
    inner={"text_config": FAMILIES["gemma3_text"], "vision_config": _SIGLIP_FAMILY},
)


def _qwen_vision(norm: str, mlp: str) -> str:
    """Return the vision tower of Qwen's models, with its projector."""
    return f"""
patch_embed.proj  Conv3d  in_channels  width  kernel=temporal_patch_size,patch_size,patch_size
rotary_pos_emb    Module
blocks[depth]
  norm1      {norm}  width
  norm2      {norm}  width
  attn.qkv   Linear  width  3*width  bias
  attn.proj  Linear  width  width  bias
{mlp}
merger.ln_q   {norm}  width
merger.mlp.0  Linear  width*merged  width*merged  bias
merger.mlp.1  Module
merger.mlp.2  Linear  width*merged  language_width  bias
"""


_MERGED: _Computed = {
    "merged": lambda f: f.size("spatial_merge_size*spatial_merge_size"),
}
_QWEN_VISION_DEFAULTS = (
    "in_channels=3 patch_size=14 spatial_merge_size=2 temporal_patch_size=2 depth=32"
)
_QWEN2_VISION = Family(
    "",
    _qwen_vision(
        "LayerNorm",
        """
  mlp.fc1  Linear  embed_dim  embed_dim*mlp_ratio  bias
  mlp.act  Module
  mlp.fc2  Linear  embed_dim*mlp_ratio  embed_dim  bias
""",
    )
    .replace("language_width", "hidden_size")
    .replace("width", "embed_dim"),
    {},
    _QWEN_VISION_DEFAULTS + " embed_dim=1280 hidden_size=3584 mlp_ratio=4",
    computed=_MERGED,
    aliases={"in_chans": "in_channels", "num_hidden_layers": "depth"},
)
_QWEN25_VISION = Family(
    "",
    _qwen_vision("Norm", _mlp("bias"))
    .replace("language_width", "out_hidden_size")
    .replace("width", "hidden_size"),
    {},
    _QWEN_VISION_DEFAULTS
    + " hidden_size=3584 intermediate_size=3420 out_hidden_size=3584",
    computed=_MERGED,
    aliases={"in_chans": "in_channels", "num_hidden_layers": "depth"},
)
_QWEN_TEXT = FAMILIES["qwen2"]._replace(
    defaults=_USUAL + "vocab_size=152064 hidden_size=8192 intermediate_size=29568 "
    "num_hidden_layers=80 num_attention_heads=64 num_key_value_heads=8"
)
for _name, _tower in (("qwen2_vl", _QWEN2_VISION), ("qwen2_5_vl", _QWEN25_VISION)):
    FAMILIES[_name] = Family(
        "model.",
        "visual  Family  vision_config\nlanguage_model  Family  text_config",
        FAMILIES["gemma3"].heads,
        "tie_word_embeddings=false",
        inner={"text_config": _QWEN_TEXT, "vision_config": _tower},
    )
# These classes call the decoder otherwise.
for _name in (
    *("llama", "ministral", "qwen2", "qwen3", "qwen3_moe", "smollm3"),
    *("seed_oss", "exaone4", "arcee", "nemotron"),
):
    FAMILIES[_name] = FAMILIES[_name]._replace(
        prefixes={"ForQuestionAnswering": "transformer."}
    )
# Files from before transformers had Falcon.
FAMILIES["RefinedWebModel"] = FAMILIES["falcon"]
FAMILIES["RefinedWeb"] = FAMILIES["falcon"]._replace(
    defaults=(_FALCON_DEFAULTS + " " + "new_decoder_architecture=true")
)
