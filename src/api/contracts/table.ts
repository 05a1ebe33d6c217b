// Owns the table of contracts of other tools: a new one is one file and one line here.
import { chat } from "./chat/chat-completions.ts";
import { ruler } from "./chat/ruler.ts";
import type { Contract } from "./contract.ts";
import { scoreBatch } from "./flat/score-batch.ts";
import { graders } from "./graders/graders.ts";
import { bareRerank } from "./rerank/bare-rerank.ts";
import { classify } from "./rerank/classify.ts";
import { cohereRerank } from "./rerank/rerank.ts";
import { score } from "./rerank/score.ts";
import { azureGrader } from "./samples/azure-grader.ts";
import { evalProtocol } from "./samples/eval-protocol.ts";
import { googleTuning } from "./samples/google-tuning.ts";
import { nemoGym } from "./samples/nemo-gym.ts";
import { nemoGymCompare } from "./samples/nemo-gym-compare.ts";
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
  ruler,
  graders,
  openRlhf,
  slime,
  verl,
  evalProtocol,
  nemoGym,
  nemoGymCompare,
  azureGrader,
  googleTuning,
];
