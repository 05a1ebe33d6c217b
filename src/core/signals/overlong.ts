// The kind `overlong`: a soft penalty for overlong rollouts, by their length in tokens. The formula is in
// ../candidate/overlong.ts.

import { answeredAtOnce } from "../asking/plan.ts";
import type { Signal } from "../asking/signal.ts";
import { valued } from "../asking/signal-value.ts";
import { softOverlong } from "../candidate/overlong.ts";
import { type Overlong, OverlongSchema } from "../contract/spec.ts";

export const overlong: Signal<Overlong> = {
  kind: "overlong",
  takesTooLong: () => true,
  schema: OverlongSchema,
  relative: false,
  facts: () => ["length_tokens"],
  fromLengths: () => true,
  range: ({ clamp }) => [clamp ? -1 : Number.NEGATIVE_INFINITY, 0],
  open: ({ group }, settings) =>
    answeredAtOnce(() =>
      group.rollouts.map(({ length_tokens }) => valued(softOverlong(length_tokens as number, settings))),
    ),
};
