"""The keys of each command's result, as the shell completes them after --field."""

FIELDS: dict[str, tuple[str, ...]] = {
    "ppl": (
        "n", "skipped", "unit", "sum_logprob", "mean_nll", "ppl", "log10_ppl",
        "se_mean_nll", "se_ppl", "ci95", "se_mean_nll_clustered", "ci95_clustered",
        "bits_per_token", "min_logprob", "max_logprob", "bytes", "bits_per_byte",
        "byte_ppl", "words", "word_ppl", "documents", "n_documents", "mean_ppl", "oov",
        "without_oov", "ppl1", "sentences", "files", "format", "part", "base", "ppl_b",
        "mean_nll_b", "se_mean_nll_b", "ln_ratio", "se_ln_ratio", "ppl_ratio",
        "se_ppl_ratio", "ci95_ratio", "p_value", "worse", "better", "ties",
        "se_ln_ratio_clustered", "ci95_ratio_clustered", "p_value_clustered",
        "worst_tokens", "tokens",
    ),
    "attn-scale": (
        "d_k", "scale", "default_scale", "unscaled_std", "ratio", "raw", "scores",
        "weights", "output", "group", "unscaled", "scaled", "empty_rows", "trials",
        "keys", "seed", "unscaled_variance", "scaled_variance", "scaled_mean",
        "std_error", "sweep", "softcap", "mscale", "rope_factor", "source",
        "model_type", "known", "assumed", "notes",
    ),
    "cossim": (
        "similarity", "angle_deg", "angle_rad", "distance", "dot", "norm_u", "norm_v",
        "dim", "matrix", "pairs", "nearest", "groups", "labels", "n", "metric",
        "cosine", "n_queries", "threshold", "n_reached", "n_possible", "n_listed",
        "lowest", "n_grouped", "shape", "output", "summary", "background",
    ),
    "softmax": (
        "n", "temperature", "order", "labels", "logits", "probs", "logprobs",
        "logsumexp", "entropy_nats", "entropy_bits", "effective_choices", "greedy",
        "ties", "top1", "gap", "masked", "kept", "listed_mass", "counts", "seed",
        "sweep", "kl_nats", "kl_reverse_nats", "orders", "base", "rows", "nll",
        "accuracy", "ece", "fitted_temperature", "fitted_nll", "fitted_accuracy",
        "fitted_ece",
    ),
    "lora": (
        "rank", "alpha", "scaling", "d_in", "d_out", "count", "full_params",
        "lora_params", "ratio", "break_even_rank", "trainable", "total", "percent",
        "peft_line", "model_type", "parts", "saved_modules", "modules", "unmatched",
        "notes", "assumed", "adapter_bytes", "adapter_bytes_by_dtype",
        "adapter_header_bytes", "adapter_file_bytes", "memory", "max_rank", "budget",
        "next", "sweep", "compare", "largest_rank", "peft_version", "task_type",
        "target_modules", "bias", "rslora", "dora", "layers", "parameters", "dtypes",
        "others", "differences", "modules_to_save",
    ),
}  # fmt: skip
