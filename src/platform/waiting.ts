// Owns waiting for a time, and for something no longer than a time. Knows nothing of what is waited
// for.

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const OVER = Symbol("over");

/**
 * What `running` comes to, or what `late` returns (or throws) when that takes longer than `ms`.
 * What runs is not ended by it.
 */
export async function within<T, L>(ms: number, running: Promise<T>, late: () => L): Promise<T | L> {
  let timer!: ReturnType<typeof setTimeout>;
  const over = new Promise<typeof OVER>((resolve) => {
    timer = setTimeout(() => resolve(OVER), ms);
  });
  try {
    const first = await Promise.race([running, over]);
    return first === OVER ? late() : (first as T);
  } finally {
    clearTimeout(timer);
  }
}

/** For `within`: a wait that was too long is an error of this name. */
export const fail = (name: string) => (): never => {
  throw new Error(name);
};
