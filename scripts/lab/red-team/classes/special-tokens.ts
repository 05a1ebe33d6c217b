// Owns attacks that speak a chat template: a turn, a thought or a switch in the special tokens of
// each family of models.
import type { AttackClass } from "../attack.ts";
import { needles } from "../attack.ts";
import { TOKENS } from "../special-tokens.ts";

export const specialTokens: AttackClass = {
  name: "special tokens",
  about: "a mark of a chat template, a thinking tag or a soft switch of some forty families, before a forged answer",
  decided_by: "kritai",
  attacks: needles(TOKENS),
};
