# The tiny models the engines serve: a tokenizer trained on the spot, weights from a fixed seed.
"""Usage: python models.py PROMPTS_DIR OUT_DIR

Writes each model into OUT_DIR/hub, a Hugging Face cache (config, tokenizer, safetensors), and those
of the first table also as OUT_DIR/NAME.gguf:

- garbage: random weights; ends by itself after some 60 tokens; its text is rich in option letters
  and braces
- endless: the same without an end
- decided: thinks for two tokens, then boxes A with probability 3/4 and B with 1/4
- looping: says one long word over and over

- rambling: thinks for a random number of tokens, MEAN_THOUGHTS in the mean, then as `decided`
- plain: boxes at once, with the same odds, and never thinks
- scoring: a reward model: one number a text, its score head over the last token
- stepping: a process reward model: two numbers at each STEP_TAG of a text
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from checkpoint import (
    END,
    FEED_FORWARD,
    HIDDEN,
    LAYERS,
    SPECIAL,
    VOCAB,
    Weights,
    train_tokenizer,
    write_gguf,
    write_hub,
)
from tokenizers import Tokenizer

SEED = 20261121
WITH_GGUF = {"garbage", "endless", "decided", "looping"}
LETTERS_AND_BRACES = list("ABCDE{}")
LINE_BREAK = "\u010a"  # as a byte-level vocabulary spells it
# The token behind "assistant\n" is asked for first; each has one successor, but for the brace.
BOXED = [LINE_BREAK, "<think>", "h", "m", "</think>", *"\\boxed{"]
LOG_ODDS_OF_A = float(np.log(3.0))
CERTAIN = 30.0
# Thoughts of a random length: some are over, and some are under way, whenever one looks.
MEAN_THOUGHTS, THOUGHT_WORDS = 250, 20
STEP_TAG = "<extra_0>"


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


def step_weights(tokenizer: Tokenizer) -> Weights:
    """Random layers as Qwen2's process reward models have them: two labels by two layers."""
    weights = random_weights(tokenizer, {})
    del weights["lm_head.weight"]
    rng = np.random.default_rng(SEED + 2)
    normal = lambda *shape: rng.normal(0.0, 0.25, shape).astype(np.float32)
    attention = [f"model.layers.{layer}.self_attn.{name}_proj.bias" for layer in range(LAYERS) for name in "qkv"]
    head = {"score.0.weight": (HIDDEN, HIDDEN), "score.0.bias": (HIDDEN,), "score.2.weight": (2, HIDDEN)}
    shapes = {**dict.fromkeys(attention, (HIDDEN,)), **head, "score.2.bias": (2,)}
    return {**weights, **{name: normal(*shape) for name, shape in shapes.items()}}


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


def chains(tokenizer: Tokenizer) -> dict[str, dict[str, dict[str, float]]]:
    """By model: each token's successors with their logits."""
    choice = {"A": CERTAIN + LOG_ODDS_OF_A, "B": CERTAIN}
    ends = {"A": {"}": CERTAIN}, "B": {"}": CERTAIN}, "}": {END: CERTAIN}}
    verdict = {BOXED[-1]: choice, **ends}
    words = [token for token in tokenizer.get_vocab() if token.isascii() and token.isalpha()]
    words.sort(key=lambda token: (len(token), token))
    think, answer = BOXED.index("<think>"), BOXED.index("</think>")
    thoughts = dict.fromkeys(words[-THOUGHT_WORDS:], CERTAIN)
    goes_on = {**thoughts, BOXED[answer]: CERTAIN + float(np.log(THOUGHT_WORDS / MEAN_THOUGHTS))}
    rambling = {**successors(*BOXED[: think + 1]), BOXED[think]: thoughts, **dict.fromkeys(thoughts, goes_on)}
    return {
        "decided": {**successors(*BOXED), **verdict},
        "looping": successors(LINE_BREAK, words[-1], words[-1]),
        "rambling": {**rambling, **successors(*BOXED[answer:]), **verdict},
        "plain": {**successors(LINE_BREAK, *BOXED[answer + 1 :]), **verdict},
    }


def main(prompts: Path, out: Path) -> None:
    tokenizer = train_tokenizer(prompts)
    never = dict.fromkeys(SPECIAL, -40.0)
    often = dict.fromkeys(LETTERS_AND_BRACES, 3.0)
    made = {
        "garbage": random_weights(tokenizer, {**never, **often, END: 3.0}),
        "endless": random_weights(tokenizer, {**never, **often}),
        **{name: chain_weights(tokenizer, chain) for name, chain in chains(tokenizer).items()},
    }
    for name, weights in made.items():
        write_hub(out / "hub", name, tokenizer, weights)
        if name in WITH_GGUF:
            write_gguf(out / f"{name}.gguf", name, tokenizer, weights)
    labels = lambda *names: {
        "num_labels": len(names),
        "id2label": {str(at): name for at, name in enumerate(names)},
        "label2id": {name: at for at, name in enumerate(names)},
        "pad_token_id": tokenizer.token_to_id(END),
    }
    one = {"architectures": ["LlamaForSequenceClassification"], **labels("reward")}
    write_hub(out / "hub", "scoring", tokenizer, score_weights(tokenizer), one)
    tagged = train_tokenizer(prompts, [STEP_TAG])
    two = {"architectures": ["Qwen2ForProcessRewardModel"], "model_type": "qwen2", **labels("bad", "good")}
    write_hub(out / "hub", "stepping", tagged, step_weights(tagged), two)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
