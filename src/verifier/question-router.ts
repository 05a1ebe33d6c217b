// Combines verifiers for different kinds of questions into one and routes each job to the verifier that
// accepts its kind. Independent of protocols.
import type { Question } from "../core/asking/questions.ts";
import type { SessionStats } from "../core/wire/questions.ts";
import type { Verifier, VerifierCall, VerifierSession } from "../ports/ports.ts";
import { checkAll, totalStats } from "./fan-out/fallback.ts";

/** Kinds of questions that a verifier answers if it declares none. */
const CHAT: readonly Question["to"][] = ["chat"];

export const kindsTaken = ({ takes = CHAT }: Pick<Verifier, "takes">): readonly Question["to"][] => takes;

/**
 * A router with at most one verifier per kind of question. A single verifier is returned unchanged.
 * Ready only if all verifiers are, since each answers questions that no other does.
 */
export function questionRouter(verifiers: readonly [Verifier, ...Verifier[]]): Verifier {
  const [first, ...rest] = verifiers;
  if (rest.length === 0) return first;
  return {
    protocol: first.protocol,
    takes: verifiers.flatMap(kindsTaken),
    imageless: verifiers.flatMap(({ imageless = [] }) => imageless),
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
    probed: () => verifiers.flatMap((verifier) => verifier.probed?.() ?? []),
    check: () => checkAll(verifiers, "every"),
    session: (call) => routedSession(verifiers, call),
    requestCost: (job, lengths) => verifierFor(verifiers, job.to)?.requestCost?.(job, lengths) ?? {},
  };
}

const verifierFor = (verifiers: readonly Verifier[], to: Question["to"]) =>
  verifiers.find((verifier) => kindsTaken(verifier).includes(to));

function routedSession(verifiers: readonly Verifier[], call: VerifierCall): VerifierSession {
  const opened = new Map<Verifier, VerifierSession>();
  const open = (verifier: Verifier): VerifierSession => {
    const session = opened.get(verifier) ?? verifier.session(call);
    opened.set(verifier, session);
    return session;
  };
  return {
    judge(job, sink) {
      const verifier = verifierFor(verifiers, job.to);
      if (verifier === undefined) return Promise.reject(new TypeError(`no verifier accepts questions to ${job.to}`));
      return open(verifier).judge(job, sink);
    },
    get stats(): SessionStats {
      return totalStats([...opened.values()].map(({ stats }) => stats));
    },
  };
}
