// The kind `format`: 0 if every rule holds, else minus the penalty. The rules are in ../candidate/format.ts.

import type * as z from "zod";
import { answeredAtOnce } from "../asking/plan.ts";
import type { Signal } from "../asking/signal.ts";
import { valued } from "../asking/signal-value.ts";
import { canonicalJson } from "../contract/canonical-json.ts";
import { FormatSchema } from "../contract/spec.ts";

export const format: Signal<z.output<typeof FormatSchema>> = {
  kind: "format",
  takesTooLong: () => true,
  schema: FormatSchema,
  relative: false,
  rules: ({ rules }) => rules,
  facts: () => [],
  range: ({ penalty }) => [0 - penalty + 0, 0],
  fromLogged({ rules, penalty }, was) {
    const rescalable = was.penalty > 0 && canonicalJson(rules) === canonicalJson(was.rules);
    return rescalable ? (value) => (value === 0 ? 0 : 0 - penalty + 0) : null;
  },
  open({ formats }, { rules, penalty }, { name, jams, refused }) {
    const [judgeable, fits] = [rules.includes("judgeable"), rules.includes("fits")];
    const broken = jams.map((jam, r) => (judgeable && jam) || (fits && refused[r] === true));
    const holds = formats[name] as readonly boolean[];
    return answeredAtOnce(() => holds.map((ok, r) => valued(ok && !broken[r] ? 0 : 0 - penalty + 0)));
  },
};
