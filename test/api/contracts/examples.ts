// Owns the examples of the contracts' own pages by name, for the tests that send them.

export { EXAMPLE as azureGrader } from "../../../src/api/tools/azure-grader.ts";
export { EXAMPLE as tei } from "../../../src/api/tools/bare-rerank.ts";
export { EXAMPLE as chat } from "../../../src/api/tools/chat-completions.ts";
export { EXAMPLE as classify } from "../../../src/api/tools/classify.ts";
export { EXAMPLE as evalProtocol } from "../../../src/api/tools/eval-protocol.ts";
export { EXAMPLE as googleTuning } from "../../../src/api/tools/google-tuning.ts";
export { EXAMPLE as graders } from "../../../src/api/tools/graders.ts";
export { EXAMPLE as infinity } from "../../../src/api/tools/infinity-rerank.ts";
export { EXAMPLE as mixedbread } from "../../../src/api/tools/mixedbread-rerank.ts";
export { EXAMPLE as nemoGymCompare } from "../../../src/api/tools/nemo-gym-compare.ts";
export { EXAMPLE as openRlhf } from "../../../src/api/tools/openrlhf.ts";
export { EXAMPLE as pinecone } from "../../../src/api/tools/pinecone-rerank.ts";
export { EXAMPLE as rerank } from "../../../src/api/tools/rerank.ts";
export { EXAMPLE as responses } from "../../../src/api/tools/responses.ts";
export { EXAMPLE as ruler } from "../../../src/api/tools/ruler.ts";
export { EXAMPLE as score } from "../../../src/api/tools/score.ts";
export { EXAMPLE as scoreBatch } from "../../../src/api/tools/score-batch.ts";
export {
  ROWS_EXAMPLE as nemoGymRows,
  VERIFY_EXAMPLE as nemoGym,
} from "../../../src/api/tools/shared/nemo-gym-page.ts";
export { EXAMPLE as slime } from "../../../src/api/tools/slime.ts";
export { EXAMPLE as verl } from "../../../src/api/tools/verl.ts";
export { EXAMPLE as vertex } from "../../../src/api/tools/vertex-rank.ts";
export { EXAMPLE as voyage } from "../../../src/api/tools/voyage-rerank.ts";
