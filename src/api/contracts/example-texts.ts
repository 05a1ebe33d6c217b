// Owns the problem and the answers of the contracts' examples, which the tests send, so that they
// stay true.

export const QUESTION = "Write f(xs): the sum of the even numbers in xs.\nassert f([1, 2, 4]) == 6";
export const CORRECT = "```python\ndef f(xs):\n    return sum(x for x in xs if x % 2 == 0)\n```";
export const WRONG = "```python\ndef f(xs):\n    return sum(xs)\n```";

/** The conversation as a chat template renders it; `closing` follows the answer. */
export const rendered = (answer: string, closing = "<|im_end|>\n"): string =>
  `<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n${answer}${closing}`;
