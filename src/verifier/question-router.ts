// One verifier out of several that answer different kinds of questions: each is routed to who takes it.
// Must not know any protocol.
import type { Question } from "../core/asking/questions.ts";
import type { SessionStats } from "../core/wire/questions.ts";
import type { Verifier, VerifierCall, VerifierSession } from "../ports/ports.ts";
import { checkAll, totalStats } from "./fan-out/fallback.ts";

/** The kinds that a verifier without a statement takes. */
const CHAT: readonly Question["to"][] = ["chat"];

export const kindsTaken = ({ takes = CHAT }: Pick<Verifier, "takes">): readonly Question["to"][] => takes;

/**
 * At most one verifier a kind of question. One alone is returned as it is. Ready when all are: each
 * has questions that no other answers.
 */
export function questionRouter(verifiers: readonly [Verifier, ...Verifier[]]): Verifier {
  const [first, ...rest] = verifiers;
  if (rest.length === 0) return first;
  return {
    protocol: first.protocol,
    takes: verifiers.flatMap(kindsTaken),
    programs_only: verifiers.some(({ programs_only }) => programs_only === true),
    simulated: verifiers.some(({ simulated }) => simulated === true),
    generations_max: Math.min(...verifiers.map(({ generations_max }) => generations_max)),
    addressFault(address) {
      for (const verifier of verifiers) {
        if (verifier.addressFault !== undefined) return verifier.addressFault(address);
      }
      return null;
    },
    backends: () => verifiers.flatMap((verifier) => verifier.backends?.() ?? []),
    check: () => checkAll(verifiers, "every"),
    session: (call) => routedSession(verifiers, call),
  };
}

function routedSession(verifiers: readonly Verifier[], call: VerifierCall): VerifierSession {
  const opened = new Map<Verifier, VerifierSession>();
  const open = (verifier: Verifier): VerifierSession => {
    const session = opened.get(verifier) ?? verifier.session(call);
    opened.set(verifier, session);
    return session;
  };
  return {
    judge(job, sink) {
      const verifier = verifiers.find((verifier) => kindsTaken(verifier).includes(job.to));
      if (verifier === undefined) return Promise.reject(new TypeError(`nobody takes questions to ${job.to}`));
      return open(verifier).judge(job, sink);
    },
    get stats(): SessionStats {
      return totalStats([...opened.values()].map(({ stats }) => stats));
    },
  };
}
