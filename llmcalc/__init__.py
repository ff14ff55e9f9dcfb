"""Perplexity, softmax, attention scaling, cosine similarity and LoRA budgets."""

__version__ = "0.1.0"
