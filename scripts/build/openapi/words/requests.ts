// Descriptions of fields in native requests.

export const REQUEST_WORDS: Readonly<Record<string, string>> = {
  run_id: "name of the training run; null if the request has none",
  step: "training step; null if the request has none",
  deadline_ms:
    "time limit for the reply, in milliseconds; rewards not decided by then are null with the code `deadline`",
  "RewardsRequest.groups": "groups to judge; a group is the rollouts of one prompt",
  group_id: "name of the group; default: its index in the request",
  prompt: "prompt of the policy, as a string or as chat messages",
  "prompt.role": "role of the message's author: `system`, `user`, `assistant`, ..",
  "prompt.content": "content of the message",
  "prompt.name": "name of the message's author",
  language: "programming language of the candidates, such as `python`; null if unknown",
  "Group.rollouts": "rollouts that are compared with each other",
  "addRollouts.rollouts": "rollouts to add to the group",
  "Rollout.text":
    "the whole completion, including thoughts; a text over `rollout_text_bytes` makes the rollout malformed (`too_long`), and only its beginning is stored",
  "files.path": "path of the file",
  "files.text": "contents of the file after the rollout",
  length_tokens: "length of the completion, in tokens of the policy's tokenizer",
  finish_reason: "why the generation ended: `stop`, or `length` at its token limit; null if unknown",
  "tests.weight": "weight of the test relative to the other tests",
  formulation:
    "training reward of the verifier: `list_` or `pair_` for its questions, `_em` for one letter, `_sc` for scores",
  options: "settings of the formulation",
  style: "`think`: the verifier thinks inside think tags; `cot`: it thinks in plain text",
  prefill: "text that the trainer put in front of the completion; prepended unless the completion begins with it",
  list_sc_wrong: "for `list_sc`: reward of a list that does not rate the correct candidate best",
  "VerdictsRequest.items": "verdict texts to reward, each about candidates with known labels",
  "VerdictItem.text": "the verifier's completion",
  "VerdictItem.candidates": "number of candidates that the verifier saw",
  pass_rates: "label of each candidate or rollout: the share of hidden tests that it passes; null if unknown",
  table: "table to export",
  "replayDeadLetters.limit": "maximum number of letters to put back in this call",
  before: "only letters that arrived before this time are put back; send it with the next call",
};
