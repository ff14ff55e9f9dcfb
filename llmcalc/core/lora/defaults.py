"""Tables of PEFT 0.21.2 and transformers 5.24 that decide what a config means."""

# utils/constants.py: the targets where a config names none; a text is an expression.
DEFAULT_TARGETS: dict[str, tuple[str, ...] | str] = {
    "t5": ("q", "v"),
    "mt5": ("q", "v"),
    "bart": ("q_proj", "v_proj"),
    "gpt2": ("c_attn",),
    "bloom": ("query_key_value",),
    "blip-2": ("q", "v", "q_proj", "v_proj"),
    "opt": ("q_proj", "v_proj"),
    "gptj": ("q_proj", "v_proj"),
    "gpt_neox": ("query_key_value",),
    "gpt_neo": ("q_proj", "v_proj"),
    "bert": ("query", "value"),
    "roberta": ("query", "value"),
    "xlm-roberta": ("query", "value"),
    "electra": ("query", "value"),
    "deberta-v2": ("query_proj", "value_proj"),
    "deberta": ("in_proj",),
    "layoutlm": ("query", "value"),
    "llama": ("q_proj", "v_proj"),
    "llama4": ("q_proj", "v_proj"),
    "chatglm": ("query_key_value",),
    "gpt_bigcode": ("c_attn",),
    "mpt": ("Wqkv",),
    "RefinedWebModel": ("query_key_value",),
    "RefinedWeb": ("query_key_value",),
    "falcon": ("query_key_value",),
    "btlm": ("c_proj", "c_attn"),
    "codegen": ("qkv_proj",),
    "mistral": ("q_proj", "v_proj"),
    "mixtral": ("q_proj", "v_proj"),
    "stablelm": ("q_proj", "v_proj"),
    "phi": ("q_proj", "v_proj", "fc1", "fc2"),
    "gemma": ("q_proj", "v_proj"),
    "gemma2": ("q_proj", "v_proj"),
    "gemma3_text": ("q_proj", "v_proj"),
    "gemma4": r".*language_model\..*\.(q_proj|v_proj)",
    "qwen2": ("q_proj", "v_proj"),
    "qwen3": ("q_proj", "v_proj"),
    "nemotron_h": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "rwkv": ("key", "value", "receptance", "output"),
    "rwkv7": ("r_proj", "k_proj", "v_proj", "o_proj", "key", "value"),
}

# The heads that a task type trains in full by itself (peft_model.py).
TASK_MODULES = {
    "SEQ_CLS": ("classifier", "score"),
    "TOKEN_CLS": ("classifier", "score"),
    "QUESTION_ANS": ("qa_outputs",),
}
TASK_TYPES = (*TASK_MODULES, "SEQ_2_SEQ_LM", "CAUSAL_LM", "FEATURE_EXTRACTION")

# The only names that make PEFT look for tied weights and store base matrices.
EMBEDDING_NAMES = ("embed_tokens", "lm_head")

# tuners_utils.py: layers that LoRA refuses, of these model types.
MAMBA_TYPES = frozenset(["falcon_h1", "mamba", "mamba2", "falcon_mamba", "nemotron_h"])
MAMBA_REFUSED = frozenset(["out_proj", "conv1d"])

# transformers_weight_conversion.py: names of experts before they were stacked ->
# the tensor that holds them now, by the way a model type is converted.
_MIXTRAL_NAMES = {
    "gate": "gate.weight",
    "w1": "gate_up_proj",
    "w3": "gate_up_proj",
    "w2": "down_proj",
}
_QWEN_NAMES = {
    "gate": "gate.weight",
    "gate_proj": "gate_up_proj",
    "up_proj": "gate_up_proj",
    "down_proj": "down_proj",
}
FUSED = "gate_up_proj"
# The pattern by which PEFT doubles the fused tensor's rank and alpha.
FUSED_KEY = rf".*\.{FUSED}"
# conversion_mapping.py of transformers: the types that are converted like these.
# Qwen2-MoE itself is not among them.
EXPERT_NAMES: dict[str, dict[str, str]] = {
    **dict.fromkeys(["mixtral", "minimax", "minimax_m2"], _MIXTRAL_NAMES),
    **dict.fromkeys(
        [
            *("afmoe", "deepseek_v2", "deepseek_v3", "deepseek_v32", "dots1"),
            *("ernie4_5_moe", "glm4_moe", "glm4_moe_lite", "glm_moe_dsa", "glm4v_moe"),
            *("longcat_flash", "solar_open", "mellum", "qwen3_moe", "beam"),
            *("qwen3_omni_moe", "qwen3_omni_moe_thinker", "qwen3_omni_moe_text"),
            *("qwen3_next", "hunyuan_v1_moe", "flex_olmo", "olmoe", "sarvam_mla"),
            *("exaone_moe", "cohere2_moe"),
        ],
        _QWEN_NAMES,
    ),
}
