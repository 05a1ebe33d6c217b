// Owns the examples of the contracts' own pages by name, for the tests that send them.
export { EXAMPLE as chat } from "../../../src/api/contracts/chat/chat-completions.ts";
export { EXAMPLE as ruler } from "../../../src/api/contracts/chat/ruler.ts";
export { EXAMPLE as scoreBatch } from "../../../src/api/contracts/flat/score-batch.ts";
export { EXAMPLE as graders } from "../../../src/api/contracts/graders/graders.ts";
export { EXAMPLE as tei } from "../../../src/api/contracts/rerank/bare-rerank.ts";
export { EXAMPLE as classify } from "../../../src/api/contracts/rerank/classify.ts";
export { EXAMPLE as rerank } from "../../../src/api/contracts/rerank/rerank.ts";
export { EXAMPLE as score } from "../../../src/api/contracts/rerank/score.ts";
export { EXAMPLE as azureGrader } from "../../../src/api/contracts/samples/azure-grader.ts";
export { EXAMPLE as evalProtocol } from "../../../src/api/contracts/samples/eval-protocol.ts";
export { EXAMPLE as googleTuning } from "../../../src/api/contracts/samples/google-tuning.ts";
export { EXAMPLE as nemoGymCompare } from "../../../src/api/contracts/samples/nemo-gym-compare.ts";
export {
  ROWS_EXAMPLE as nemoGymRows,
  VERIFY_EXAMPLE as nemoGym,
} from "../../../src/api/contracts/samples/nemo-gym-page.ts";
export { EXAMPLE as openRlhf } from "../../../src/api/contracts/samples/openrlhf.ts";
export { EXAMPLE as slime } from "../../../src/api/contracts/samples/slime.ts";
export { EXAMPLE as verl } from "../../../src/api/contracts/samples/verl.ts";
