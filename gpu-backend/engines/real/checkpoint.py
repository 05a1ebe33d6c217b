# Writes made models as engines read them: their tokenizer, a Hugging Face folder, a GGUF file.
"""Knows the models' sizes, and nothing of what they say."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import gguf
import numpy as np
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

# Two heads, of 32 dimensions each: vLLM's attention on a CPU knows none of 16.
VOCAB, HIDDEN, LAYERS, HEADS, FEED_FORWARD, CONTEXT = 512, 64, 2, 2, 128, 131_072
NORM_EPSILON = 1e-5
START, END = "<|im_start|>", "<|im_end|>"
SPECIAL = [START, END]
THINK = ["<think>", "</think>"]
# Mentions reasoning, which tells llama.cpp that this model thinks between tags: it then sends the
# thoughts apart.
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['reasoning_content'] %}<think>{{ message['reasoning_content'] }}</think>{% endif %}"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

Weights = dict[str, np.ndarray]


def train_tokenizer(prompts: Path, tags: Sequence[str] = THINK) -> Tokenizer:
    """A byte-level BPE of VOCAB tokens, `tags` among them, over the product's own prompt
    templates."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB - len(tags),
        special_tokens=SPECIAL,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train([str(path) for path in sorted(prompts.glob("*.txt"))], trainer)
    tokenizer.add_tokens([AddedToken(tag, normalized=False) for tag in tags])
    assert tokenizer.get_vocab_size() == VOCAB, "the prompts are too short for this vocabulary"
    return tokenizer


def write_hub(hub: Path, name: str, tokenizer: Tokenizer, weights: Weights, head: dict | None = None) -> None:
    """One snapshot in the layout of a Hugging Face cache: transformers' server lists what lies in
    the cache."""
    revision = hashlib.sha1(name.encode()).hexdigest()
    repository = hub / f"models--kritai--{name}"
    snapshot = repository / "snapshots" / revision
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    save_file(weights, snapshot / "model.safetensors", {"format": "pt"})
    tokenizer.save(str(snapshot / "tokenizer.json"))
    end = tokenizer.token_to_id(END)
    documents = {
        "config.json": {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "vocab_size": VOCAB,
            "hidden_size": HIDDEN,
            "intermediate_size": FEED_FORWARD,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": HEADS,
            "max_position_embeddings": CONTEXT,
            "rms_norm_eps": NORM_EPSILON,
            "tie_word_embeddings": False,
            "bos_token_id": None,
            "eos_token_id": end,
            "dtype": "float32",
            **(head or {}),
        },
        # transformers' own default would cut to the 50 likeliest tokens.
        "generation_config.json": {"do_sample": True, "top_k": 0, "eos_token_id": end, "pad_token_id": end},
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": END,
            "chat_template": TEMPLATE,
            "clean_up_tokenization_spaces": False,
        },
    }
    for file, document in documents.items():
        (snapshot / file).write_text(json.dumps(document))


# transformers' names on the left. The rotary order of q and k differs between the two; random
# weights have none.
GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "model.layers": "blk",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def write_gguf(path: Path, name: str, tokenizer: Tokenizer, weights: Weights) -> None:
    """The same model as llama.cpp reads it."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name(name)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    writer.add_layer_norm_rms_eps(NORM_EPSILON)
    writer.add_vocab_size(VOCAB)
    add_vocabulary(writer, tokenizer)
    for source, weight in weights.items():
        target = source
        for theirs, ours in GGUF_NAMES.items():
            target = target.replace(theirs, ours)
        writer.add_tensor(target, weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_vocabulary(writer: gguf.GGUFWriter, tokenizer: Tokenizer) -> None:
    kinds = {token: gguf.TokenType.CONTROL for token in SPECIAL} | {tag: gguf.TokenType.USER_DEFINED for tag in THINK}
    tokens = [tokenizer.id_to_token(index) for index in range(VOCAB)]
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([kinds.get(token, gguf.TokenType.NORMAL) for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_eos_token_id(tokenizer.token_to_id(END))
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
