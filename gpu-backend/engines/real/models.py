# Owns the tiny models the engines serve: a tokenizer trained on the spot, weights from a fixed
# seed. Knows no engine and no network.
"""Usage: python models.py PROMPTS_DIR OUT_DIR

Writes each model twice: into OUT_DIR/hub, a Hugging Face cache (config, tokenizer, safetensors),
    and as OUT_DIR/NAME.gguf.

garbage random weights; ends by itself after some 60 tokens; its text is rich in option letters and
braces endless the same without an end decided thinks for two tokens, then boxes A with probability
3/4 and B with 1/4 looping says one long word over and over scoring a reward model: one number a text, its score head
over the last token; as Hugging Face files only
"""

import hashlib
import json
import sys
from itertools import pairwise
from pathlib import Path

import gguf
import numpy as np
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

SEED = 20261121
# Two heads, of 32 dimensions each: vLLM's attention on a CPU knows none of 16.
VOCAB, HIDDEN, LAYERS, HEADS, FEED_FORWARD, CONTEXT = 512, 64, 2, 2, 128, 131_072
NORM_EPSILON = 1e-5
START, END = "<|im_start|>", "<|im_end|>"
SPECIAL = [START, END]
THINK = ["<think>", "</think>"]
LETTERS_AND_BRACES = list("ABCDE{}")
LINE_BREAK = "\u010a"  # as a byte-level vocabulary spells it
# The token behind "assistant\n" is asked for first; each has one successor, but for the brace.
BOXED = [LINE_BREAK, "<think>", "h", "m", "</think>", *"\\boxed{"]
LOG_ODDS_OF_A = float(np.log(3.0))
CERTAIN = 30.0
# Mentions reasoning, which tells llama.cpp that this model thinks between tags: it then sends the
# thoughts apart.
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['reasoning_content'] %}<think>{{ message['reasoning_content'] }}</think>{% endif %}"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

Weights = dict[str, np.ndarray]


def train_tokenizer(prompts: Path) -> Tokenizer:
    """A byte-level BPE of VOCAB tokens over the product's own prompt templates."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB - len(THINK),
        special_tokens=SPECIAL,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train([str(path) for path in sorted(prompts.glob("*.txt"))], trainer)
    tokenizer.add_tokens([AddedToken(tag, normalized=False) for tag in THINK])
    assert tokenizer.get_vocab_size() == VOCAB, "the prompts are too short for this vocabulary"
    return tokenizer


def random_weights(tokenizer: Tokenizer, biases: dict[str, float]) -> Weights:
    """Random weights whose logits are normal with a standard deviation of about 1.5, moved by
    `biases`.

    The first dimension of every embedding is the same large number, through which a row of the head
    gets a bias.
    """
    rng = np.random.default_rng(SEED)
    normal = lambda *shape, scale: rng.normal(0.0, scale, shape).astype(np.float32)
    weights = skeleton(lambda *shape: normal(*shape, scale=0.1))
    embedding, head = normal(VOCAB, HIDDEN, scale=1.0), normal(VOCAB, HIDDEN, scale=0.2)
    embedding[:, 0] = 4.0
    head[:, 0] = 0.0
    for token, bias in biases.items():
        head[tokenizer.token_to_id(token), 0] = bias / 3.5
    return {**weights, "model.embed_tokens.weight": embedding, "lm_head.weight": head}


def score_weights(tokenizer: Tokenizer) -> Weights:
    """The random layers under a head of one label: some logit in about -3..3 for any text."""
    weights = random_weights(tokenizer, {})
    del weights["lm_head.weight"]
    rng = np.random.default_rng(SEED + 1)
    return {**weights, "score.weight": rng.normal(0.0, 0.25, (1, HIDDEN)).astype(np.float32)}


def chain_weights(tokenizer: Tokenizer, successors: dict[str, dict[str, float]]) -> Weights:
    """Layers that add nothing under a head that is a table: each token's successors with their
    logits, 0 for all others.

    Each token of the table has a dimension of the embedding for itself.
    """
    weights = skeleton(lambda *shape: np.zeros(shape, np.float32))
    embedding, head = np.zeros((VOCAB, HIDDEN), np.float32), np.zeros((VOCAB, HIDDEN), np.float32)
    embedding[:, HIDDEN - 1] = 1.0
    for place, (token, logits) in enumerate(successors.items()):
        row = tokenizer.token_to_id(token)
        embedding[row] = 0.0
        embedding[row, place] = 1.0
        for successor, logit in logits.items():
            # The last norm stretches a row to the length sqrt(HIDDEN).
            head[tokenizer.token_to_id(successor), place] = logit / np.sqrt(HIDDEN)
    return {**weights, "model.embed_tokens.weight": embedding, "lm_head.weight": head}


def successors(*chain: str) -> dict[str, dict[str, float]]:
    return {token: {follower: CERTAIN} for token, follower in pairwise(chain)}


def skeleton(fill) -> Weights:
    """A Llama's layers under transformers' names, matrices by `fill`, norms of one."""
    ones = np.ones(HIDDEN, np.float32)
    weights = {"model.norm.weight": ones}
    for layer in range(LAYERS):
        at = f"model.layers.{layer}"
        weights |= {f"{at}.self_attn.{name}_proj.weight": fill(HIDDEN, HIDDEN) for name in "qkvo"}
        weights |= {f"{at}.mlp.{name}_proj.weight": fill(FEED_FORWARD, HIDDEN) for name in ("gate", "up")}
        weights[f"{at}.mlp.down_proj.weight"] = fill(HIDDEN, FEED_FORWARD)
        weights |= {f"{at}.{name}_layernorm.weight": ones.copy() for name in ("input", "post_attention")}
    return weights


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


def main(prompts: Path, out: Path) -> None:
    tokenizer = train_tokenizer(prompts)
    never = dict.fromkeys(SPECIAL, -40.0)
    often = dict.fromkeys(LETTERS_AND_BRACES, 3.0)
    choice = {"A": CERTAIN + LOG_ODDS_OF_A, "B": CERTAIN}
    ends = {"A": {"}": CERTAIN}, "B": {"}": CERTAIN}, "}": {END: CERTAIN}}
    decided = {**successors(*BOXED), BOXED[-1]: choice, **ends}
    words = [token for token in tokenizer.get_vocab() if token.isascii() and token.isalpha()]
    word = max(words, key=lambda token: (len(token), token))
    made = {
        "garbage": random_weights(tokenizer, {**never, **often, END: 3.0}),
        "endless": random_weights(tokenizer, {**never, **often}),
        "decided": chain_weights(tokenizer, decided),
        "looping": chain_weights(tokenizer, successors(LINE_BREAK, word, word)),
    }
    for name, weights in made.items():
        write_hub(out / "hub", name, tokenizer, weights)
        write_gguf(out / f"{name}.gguf", name, tokenizer, weights)
    head = {
        "architectures": ["LlamaForSequenceClassification"],
        "num_labels": 1,
        "id2label": {"0": "reward"},
        "label2id": {"reward": 0},
        "pad_token_id": tokenizer.token_to_id(END),
    }
    write_hub(out / "hub", "scoring", tokenizer, score_weights(tokenizer), head)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
