// Probes how much of its input a decision model reads: one request with the largest state that the backend is
// sent, and known words at five depths. Finds servers that cut a state at its end, start or middle.
import { createRandom, hashText, shuffled } from "../../core/math/random.ts";
import { tokensAtMost } from "../../core/text/token-estimate.ts";
import { timeoutSignal } from "../../platform/clock.ts";
import type { ReadProbe } from "../../ports/read-probes.ts";
import { askQuestions, type DecisionEndpoint } from "./exchange.ts";
import { isRead, questionTokens, WORDS } from "./state.ts";

const DEPTHS = 5;
/** The first call after a pause may take 20 s; a Worker may run for 30 s after its reply. */
const TIMEOUT_MS = 25_000;
const FILLER = "The archive has a page for each day of the year, and the pages are in the order of the days.\n";

/** Builds the state. Its words differ by `seed`, so that a cached reply to an earlier probe does not count. */
function probeState(state_tokens: number, seed: string) {
  const words = shuffled(WORDS, createRandom(hashText("probe", seed))).slice(0, DEPTHS);
  const lineOf = (word: string, at: number) => `CHECK WORD ${at + 1}: ${word}\n`;
  const questions = words.map((_, at) => ({
    id: `check.${at + 1}`,
    instructions: `Which word follows CHECK WORD ${at + 1} in the state?`,
    options: WORDS,
  }));
  const asked = questions.reduce((sum, question) => sum + questionTokens(question), 0);
  const each = (state_tokens - asked) / DEPTHS - tokensAtMost(lineOf(WORDS[0], 0));
  const filler = FILLER.repeat(Math.floor(each / tokensAtMost(FILLER)));
  return { words, parts: words.map((word, at) => filler + lineOf(word, at)), questions };
}

/** Sends one probe. Costs up to the API's `state_tokens` of input. */
export async function probeReading(endpoint: DecisionEndpoint, secret: string): Promise<ReadProbe> {
  const seed = `${secret} ${endpoint.clock.date().toISOString()}`;
  const { words, parts, questions } = probeState(endpoint.api.state_tokens, seed);
  const state = { text: parts.join(""), questions, images: [] };
  const signal = timeoutSignal(TIMEOUT_MS);
  const { failed, answers, input_tokens } = await askQuestions(endpoint, state, signal);
  if (failed !== null) {
    const { generation, refusal } = failed;
    return { depths: [], error: generation.error, refused: refusal !== null && !signal.aborted };
  }
  const shares = answers.flatMap((answer) => answer.shares ?? []);
  if (shares.length < DEPTHS * WORDS.length) return { depths: [], error: "verifier_bad_reply", refused: false };
  const depths = words.map((word, at) => {
    const before = parts.slice(0, at + 1).join("");
    return {
      tokens: tokensAtMost(before),
      read: isRead(before, { word, shares: answers[at]?.shares ?? null, input_tokens }),
    };
  });
  return { depths, error: null, refused: false };
}
