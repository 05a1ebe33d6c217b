// The table of other tools' APIs. Adding one takes a file and a line here; adding a reranker takes a row in
// shared/reranker-rows.ts.

import { chat } from "./chat-completions.ts";
import { classify } from "./classify.ts";
import { evalProtocol } from "./eval-protocol.ts";
import { nemoGym } from "./nemo-gym.ts";
import { nemoGymCompare } from "./nemo-gym-compare.ts";
import { openRlhf } from "./openrlhf.ts";
import { RERANK_CONTRACTS } from "./rerankers.ts";
import { responses } from "./responses.ts";
import { ruler } from "./ruler.ts";
import { score } from "./score.ts";
import { scoreBatch } from "./score-batch.ts";
import type { Contract } from "./shared/contract.ts";
import { slime } from "./slime.ts";
import { verl } from "./verl.ts";

export const CONTRACTS: readonly Contract[] = [
  ...RERANK_CONTRACTS,
  score,
  classify,
  scoreBatch,
  chat,
  responses,
  ruler,
  openRlhf,
  slime,
  verl,
  evalProtocol,
  nemoGym,
  nemoGymCompare,
];
