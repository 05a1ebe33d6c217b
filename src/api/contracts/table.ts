// Owns the table of contracts of other tools: a new one is one file and one line here.
import { chat } from "./chat/chat-completions.ts";
import type { Contract } from "./contract.ts";
import { scoreBatch } from "./flat/score-batch.ts";
import { bareRerank } from "./rerank/bare-rerank.ts";
import { classify } from "./rerank/classify.ts";
import { cohereRerank } from "./rerank/rerank.ts";
import { score } from "./rerank/score.ts";
import { evalProtocol } from "./samples/eval-protocol.ts";
import { nemoGym } from "./samples/nemo-gym.ts";
import { openRlhf } from "./samples/openrlhf.ts";
import { slime } from "./samples/slime.ts";
import { verl } from "./samples/verl.ts";

export const CONTRACTS: readonly Contract[] = [
  cohereRerank,
  bareRerank,
  score,
  classify,
  scoreBatch,
  chat,
  openRlhf,
  slime,
  verl,
  evalProtocol,
  nemoGym,
];
