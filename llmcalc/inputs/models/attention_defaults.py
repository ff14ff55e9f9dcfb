"""The families that scale q.k by 1/sqrt(d_k), sorted by their default head width.

Types of transformers 5.24 whose attention says so, and of older published code.
"""

from llmcalc.inputs.models.attention_families import NORMALISED, Family

_PLAIN = """
RefinedWeb RefinedWebModel Yi albert aquila arcee aria_text audioflamingo3 baichuan
bamba bart bert bert-generation big_bird bigbird_pegasus biogpt bitnet blenderbot
blenderbot-small bloom camembert codegen cohere cohere2 cohere_compass_text ctrl
dbrx deepseek deepseek_ocr2_text diffllama distilbert electra emu3 ernie
ernie4_5_moe ernie4_5_vl_moe_text esm eurobert exaone falcon falcon_h1 flaubert fsmt
git glm4_moe glm4v_moe_text glm4v_text glm_image_text glmasr got_ocr2 gpt_neox
gpt_neox_japanese gptj granite_speech_plus gte hunyuan_v1_dense hunyuan_v1_moe
hunyuan_vl_text ibert internlm internlm2 internlm3 jais2 jamba jina_embeddings_v3
kyutai_speech_to_text layoutlm led llama longformer luke m2m_100 marian mbart
megatron-bert minicpm minimax ministral mistral mixtral mllama modernbert
modernbert-decoder moshi moss_transcribe_diarize mpnet musicgen_melody mvp nemotron
nemotron-nas nllb-moe nomic_bert nystromformer olmo omniasr openai-gpt opt orion
pegasus pegasus_x persimmon phi phi-msft phi3 phi4_multimodal phimoe plbart
pp_formulanet_text qwen qwen2 qwen2_5_omni_text qwen2_5_vl_text qwen2_audio
qwen2_moe qwen2_vl_text qwen3_asr recurrent_gemma rembert roberta
roberta-prelayernorm roc_bert roformer seamless_m4t seamless_m4t_v2 smollm3
speech_to_text squeezebert stablelm stablelm_epoch starcoder2 tapas trocr ultrabert
unlimited_ocr_text voxtral voxtral_realtime voxtral_realtime_text whisper xglm xlm
xlm-roberta xlm-roberta-xl xmod xverse
"""
_NORMALISED = """
apertus apertus1p5_text doge dots1 esmc exaone4 exaone_moe flex_olmo
glm_ocr_text lfm2 lfm2_moe mllama_text_model nanochat nemo_speechlm olmo2 olmo3
olmo_hybrid olmoe qwen3_5 qwen3_5_moe qwen3_moe qwen3_omni_moe_talker_text
qwen3_omni_moe_text qwen3_vl_moe_text qwen4_exp
"""
_PLAIN_128 = """
cohere2_moe cosmos3_edge_text cwm ernie4_5 glm glm4 helium hrm_text
inkling2_loop_text inkling2_text nemotron_h paddleocr_vl_text seed_oss solar_open
"""
_NORMALISED_128 = """
afmoe beam flint hy_v3 kolibri1 laguna lara_mini lfm3 mellum minimax_m2
minimax_m3_vl_text molmo2_text muse_glimmer_text qwen3 qwen3_vl_text zaya
"""
_NORMALISED_256 = """
dory qwen3_5_moe_text qwen3_5_text qwen3_next qwen4_exp_text
"""
_NORMALISED_64 = """
muse_spark_text neomme
"""

DEFAULT_FAMILIES = (
    Family(tuple(_PLAIN.split())),
    Family(tuple(_NORMALISED.split()), note=NORMALISED),
    Family(tuple(_PLAIN_128.split()), width_default=128),
    Family(tuple(_NORMALISED_128.split()), width_default=128, note=NORMALISED),
    Family(tuple(_NORMALISED_256.split()), width_default=256, note=NORMALISED),
    Family(tuple(_NORMALISED_64.split()), width_default=64, note=NORMALISED),
    Family(("gemma",), width_default=256),
    Family(("funnel", "xlnet"), width=("d_head",), width_default=64),
    Family(("jetmoe", "chatglm"), width=("kv_channels",), width_default=128),
)
