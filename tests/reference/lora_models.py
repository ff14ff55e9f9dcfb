"""Small configs of every family, drawn: what the table is held against."""

import random
from typing import Any

# A field that takes this value is left out: its class's default holds.
LEFT_OUT = object()
_SWITCH = (True, False, LEFT_OUT)
_LABELS = ({str(i): f"L{i}" for i in range(3)}, LEFT_OUT)
_CAUSAL = ("ForCausalLM", "ForCausalLM", "ForSequenceClassification", "Model")
_TOKENS = (*_CAUSAL, "ForTokenClassification")
_ALL = (*_TOKENS, "ForQuestionAnswering")

Fields = dict[str, tuple[Any, ...]]

_SIZES: Fields = {
    "vocab_size": (50, 99),
    "hidden_size": (32, 48),
    "intermediate_size": (24, 40),
    "num_hidden_layers": (1, 2, 3),
    "num_attention_heads": (2, 4),
    "pad_token_id": (0,),
    "id2label": _LABELS,
}
_DECODER: Fields = {
    **_SIZES,
    "num_key_value_heads": (1, 2),
    "tie_word_embeddings": _SWITCH,
}
_HEADED: Fields = {**_DECODER, "head_dim": (4, 8, LEFT_OUT)}
_BIASED: Fields = {**_HEADED, "attention_bias": _SWITCH}
_MOE: Fields = {
    "num_experts": (3,),
    "moe_intermediate_size": (12,),
    "decoder_sparse_step": (1, 2, LEFT_OUT),
    "mlp_only_layers": ([0], [], LEFT_OUT),
}
_MLA: Fields = {
    **_DECODER,
    "attention_bias": _SWITCH,
    "n_routed_experts": (4,),
    "n_shared_experts": (1, 2),
    "moe_intermediate_size": (12,),
    "first_k_dense_replace": (0, 1, 2),
    "q_lora_rank": (None, 10),
    "kv_lora_rank": (6,),
    "qk_nope_head_dim": (4,),
    "qk_rope_head_dim": (2,),
    "v_head_dim": (4, 6),
    "n_group": (1,),
    "topk_group": (1,),
    "topk_method": ("greedy",),
    "num_key_value_heads": (2,),
    "num_attention_heads": (2,),
}
_ROUTED: Fields = {
    **_DECODER,
    "attention_bias": _SWITCH,
    "n_routed_experts": (4,),
    "n_shared_experts": (1, 2),
    "moe_intermediate_size": (12,),
    "first_k_dense_replace": (0, 1, 2),
    "num_experts_per_tok": (2,),
    "n_group": (1,),
    "topk_group": (1,),
}
_GPT: Fields = {
    "vocab_size": (50, 99),
    "n_embd": (32, 48),
    "n_head": (4,),
    "n_layer": (1, 2),
    "n_positions": (40,),
    "n_inner": (24, None, LEFT_OUT),
    "rotary_dim": (2,),
    "id2label": _LABELS,
    "pad_token_id": (0,),
    "tie_word_embeddings": _SWITCH,
}
_ENCODER: Fields = {
    **_SIZES,
    "max_position_embeddings": (40,),
    "type_vocab_size": (1, 2, LEFT_OUT),
    "tie_word_embeddings": _SWITCH,
}
_DEBERTA: Fields = {
    **_ENCODER,
    "type_vocab_size": (0, 2, LEFT_OUT),
    "relative_attention": _SWITCH,
    "pos_att_type": (["c2p", "p2c"], ["p2c"], "c2p|p2c", [], LEFT_OUT),
    "position_biased_input": _SWITCH,
    "max_relative_positions": (-1, 16, LEFT_OUT),
    "embedding_size": (12, LEFT_OUT),
}
_SIDES: Fields = {
    "vocab_size": (50,),
    "d_model": (32, 48),
    "encoder_layers": (1, 2),
    "decoder_layers": (1, 2),
    "encoder_ffn_dim": (24,),
    "decoder_ffn_dim": (28,),
    "encoder_attention_heads": (4,),
    "decoder_attention_heads": (4,),
    "tie_word_embeddings": _SWITCH,
    "pad_token_id": (0,),
}
_T5: Fields = {
    "vocab_size": (50,),
    "d_model": (32, 48),
    "d_kv": (6, 12),
    "d_ff": (24,),
    "num_heads": (2, 4),
    "num_layers": (1, 2),
    "num_decoder_layers": (1, 2, LEFT_OUT),
    "feed_forward_proj": ("relu", "gated-gelu", "gated-silu", LEFT_OUT),
    "relative_attention_num_buckets": (8, LEFT_OUT),
    "pad_token_id": (0,),
}
_T5_HEADS = (
    "ForConditionalGeneration",
    "Model",
    "EncoderModel",
    "ForTokenClassification",
)
_BERT_HEADS = (
    *("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"),
    *("ForQuestionAnswering", "Model"),
)
_FALCON: Fields = {
    **{k: v for k, v in _SIZES.items() if k != "intermediate_size"},
    "num_kv_heads": (1, 2, LEFT_OUT),
    "new_decoder_architecture": _SWITCH,
    "multi_query": _SWITCH,
    "parallel_attn": _SWITCH,
    "bias": _SWITCH,
    "num_ln_in_parallel_attn": (1, 2, None, LEFT_OUT),
    "ffn_hidden_size": (30, LEFT_OUT),
    "tie_word_embeddings": _SWITCH,
}
_OPT: Fields = {
    **{k: v for k, v in _SIZES.items() if k != "intermediate_size"},
    "ffn_dim": (24,),
    "max_position_embeddings": (40,),
    "word_embed_proj_dim": (12, LEFT_OUT),
    "enable_bias": _SWITCH,
    "do_layer_norm_before": _SWITCH,
    "layer_norm_elementwise_affine": _SWITCH,
    "tie_word_embeddings": _SWITCH,
}

# model type -> what its classes' names start with, their endings, its fields.
MODELS: dict[str, tuple[str, tuple[str, ...], Fields]] = {
    "llama": ("Llama", _ALL, {**_BIASED, "mlp_bias": _SWITCH}),
    "mistral": ("Mistral", _ALL, _HEADED),
    "mixtral": ("Mixtral", _TOKENS, {**_HEADED, "num_local_experts": (3,)}),
    "qwen2": ("Qwen2", _ALL, _HEADED),
    "qwen2_moe": (
        "Qwen2Moe",
        _TOKENS,
        {**_HEADED, **_MOE, "shared_expert_intermediate_size": (20,)},
    ),
    "qwen3": ("Qwen3", _ALL, _BIASED),
    "qwen3_moe": ("Qwen3Moe", _ALL, {**_BIASED, **_MOE}),
    "gemma": ("Gemma", _TOKENS, _BIASED),
    "gemma2": ("Gemma2", _TOKENS, _BIASED),
    "gemma3_text": ("Gemma3", ("ForCausalLM", "TextModel"), _BIASED),
    "phi": ("Phi", _TOKENS, {**_DECODER, "qk_layernorm": _SWITCH}),
    "phi3": ("Phi3", _TOKENS, _DECODER),
    "gpt2": ("GPT2", ("LMHeadModel", "ForSequenceClassification", "Model"), _GPT),
    "gpt_bigcode": ("GPTBigCode", _TOKENS, {**_GPT, "multi_query": _SWITCH}),
    "gptj": ("GPTJ", _CAUSAL, _GPT),
    "codegen": ("CodeGen", ("ForCausalLM", "Model"), {**_GPT, "n_embd": (32,)}),
    "gpt_neox": ("GPTNeoX", _ALL, {**_DECODER, "attention_bias": _SWITCH}),
    "opt": ("OPT", _CAUSAL, _OPT),
    "bloom": (
        "Bloom",
        _ALL,
        {"vocab_size": (50,), "hidden_size": (32,), "n_head": (4,), "n_layer": (1, 2)},
    ),
    "falcon": ("Falcon", _ALL, _FALCON),
    "starcoder2": ("Starcoder2", _TOKENS, {**_HEADED, "use_bias": _SWITCH}),
    "stablelm": (
        "StableLm",
        _TOKENS,
        {
            **_DECODER,
            "use_qkv_bias": _SWITCH,
            "qk_layernorm": _SWITCH,
            "use_parallel_residual": _SWITCH,
        },
    ),
    "cohere": ("Cohere", ("ForCausalLM",), {**_BIASED, "use_qk_norm": _SWITCH}),
    "deepseek_v2": ("DeepseekV2", _CAUSAL, _MLA),
    "deepseek_v3": ("DeepseekV3", _CAUSAL, {**_MLA, "topk_method": (LEFT_OUT,)}),
    "gpt_oss": ("GptOss", _TOKENS, {**_BIASED, "num_local_experts": (3,)}),
    "olmo2": (
        "Olmo2",
        ("ForCausalLM", "Model"),
        {**_DECODER, "attention_bias": _SWITCH},
    ),
    "granite": ("Granite", ("ForCausalLM", "Model"), {**_BIASED, "mlp_bias": _SWITCH}),
    "smollm3": ("SmolLM3", _ALL, {**_BIASED, "mlp_bias": _SWITCH}),
    "glm4": ("Glm4", _TOKENS, _BIASED),
    "ernie4_5": (
        "Ernie4_5",
        ("ForCausalLM", "Model"),
        {**_HEADED, "use_bias": _SWITCH},
    ),
    "seed_oss": ("SeedOss", _ALL, {**_BIASED, "attention_out_bias": _SWITCH}),
    "exaone4": ("Exaone4", _ALL, _DECODER),
    "arcee": ("Arcee", _ALL, {**_BIASED, "mlp_bias": _SWITCH}),
    "nemotron": ("Nemotron", _ALL, {**_BIASED, "mlp_bias": _SWITCH}),
    "granitemoe": (
        "GraniteMoe",
        ("ForCausalLM", "Model"),
        {**_DECODER, "num_local_experts": (3,)},
    ),
    "glm4_moe": (
        "Glm4Moe",
        ("ForCausalLM", "Model"),
        {**_ROUTED, "use_qk_norm": _SWITCH, "head_dim": (8, LEFT_OUT)},
    ),
    "dots1": ("Dots1", ("ForCausalLM", "Model"), _ROUTED),
    "mamba": (
        "Mamba",
        ("ForCausalLM", "Model"),
        {
            "vocab_size": (50,),
            "hidden_size": (32, 40),
            "num_hidden_layers": (1, 2),
            "state_size": (4, LEFT_OUT),
            "time_step_rank": (5, "auto", LEFT_OUT),
            "use_bias": _SWITCH,
            "use_conv_bias": _SWITCH,
        },
    ),
    "bert": ("Bert", (*_BERT_HEADS, "ForPreTraining", "LMHeadModel"), _ENCODER),
    "roberta": ("Roberta", (*_BERT_HEADS, "ForCausalLM"), _ENCODER),
    "electra": ("Electra", _BERT_HEADS, {**_ENCODER, "embedding_size": (12, 32)}),
    "deberta-v2": (
        "DebertaV2",
        _BERT_HEADS,
        {
            **_DEBERTA,
            "share_att_key": _SWITCH,
            "position_buckets": (8, -1, LEFT_OUT),
            "norm_rel_ebd": ("layer_norm", LEFT_OUT),
            "conv_kernel_size": (3, LEFT_OUT),
        },
    ),
    "deberta": ("Deberta", _BERT_HEADS, {**_DEBERTA, "talking_head": _SWITCH}),
    "vit": (
        "ViT",
        ("ForImageClassification", "Model"),
        {
            **{k: v for k, v in _SIZES.items() if k != "vocab_size"},
            "image_size": (32, 24),
            "patch_size": (8,),
            "num_channels": (1, 3, LEFT_OUT),
            "qkv_bias": _SWITCH,
        },
    ),
    "t5": ("T5", _T5_HEADS, _T5),
    "mt5": ("MT5", _T5_HEADS, _T5),
    "bart": (
        "Bart",
        ("ForConditionalGeneration", "ForSequenceClassification", "Model"),
        {**_SIDES, "max_position_embeddings": (40,)},
    ),
    "whisper": (
        "Whisper",
        ("ForConditionalGeneration", "Model"),
        {**_SIDES, "max_source_positions": (30,), "max_target_positions": (20,)},
    ),
}


def draw_model(rng: random.Random, model_type: str) -> dict[str, Any]:
    """Return a small config of a model type."""
    stem, endings, fields = MODELS[model_type]
    drawn = {field: rng.choice(values) for field, values in fields.items()}
    config = {field: value for field, value in drawn.items() if value is not LEFT_OUT}
    return config | {
        "model_type": model_type,
        "architectures": [stem + rng.choice(endings)],
    }
