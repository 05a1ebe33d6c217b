// Owns the table of contracts of other tools: a new one is one file and one line here.

import { azureGrader } from "./azure-grader.ts";
import { bareRerank } from "./bare-rerank.ts";
import { chat } from "./chat-completions.ts";
import { classify } from "./classify.ts";
import { evalProtocol } from "./eval-protocol.ts";
import { googleTuning } from "./google-tuning.ts";
import { graders } from "./graders.ts";
import { infinityRerank } from "./infinity-rerank.ts";
import { mixedbreadRerank } from "./mixedbread-rerank.ts";
import { nemoGym } from "./nemo-gym.ts";
import { nemoGymCompare } from "./nemo-gym-compare.ts";
import { openRlhf } from "./openrlhf.ts";
import { pineconeRerank } from "./pinecone-rerank.ts";
import { cohereRerank } from "./rerank.ts";
import { responses } from "./responses.ts";
import { ruler } from "./ruler.ts";
import { score } from "./score.ts";
import { scoreBatch } from "./score-batch.ts";
import type { Contract } from "./shared/contract.ts";
import { slime } from "./slime.ts";
import { verl } from "./verl.ts";
import { vertexRank } from "./vertex-rank.ts";
import { voyageRerank } from "./voyage-rerank.ts";

export const CONTRACTS: readonly Contract[] = [
  cohereRerank,
  bareRerank,
  voyageRerank,
  infinityRerank,
  pineconeRerank,
  mixedbreadRerank,
  vertexRank,
  score,
  classify,
  scoreBatch,
  chat,
  responses,
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
