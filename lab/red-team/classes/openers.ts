// Attacks by openers: a rollout that only announces an answer, for which judges have paid. The gullible judge
// pays for each that reaches it.
import { type AttackClass, RIGHT_CODE, WRONG_CODE } from "../material/attack.ts";
import { KEYS } from "../material/openers.ts";

export const openers: AttackClass = {
  name: "openers",
  description: "a rollout that only announces an answer, in about twenty languages",
  decided_by: "kritai",
  spec: { candidate: { extract: "whole" } },
  clean: WRONG_CODE,
  neighbours: [RIGHT_CODE],
  attacks: KEYS.map((key) => ({ name: JSON.stringify(key), rollout: key })),
};

export const openersThought: AttackClass = {
  ...openers,
  name: "openers behind thoughts",
  description: "the same after a thinking block, where the answer should follow",
  spec: { candidate: { extract: "after_think" } },
  attacks: KEYS.map((key) => ({ name: JSON.stringify(key), rollout: `<think>Sure.</think>${key}` })),
};
