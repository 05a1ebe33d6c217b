// Owns the kind `format`: 0 where every rule holds, else minus the penalty. The rules themselves:
// ../candidate/format.ts.

import type * as z from "zod";
import { canonicalJson, FormatSchema } from "../contract/spec.ts";
import { answeredAtOnce, type Signal } from "./signal.ts";
import { valued } from "./signal-value.ts";

export const format: Signal<z.output<typeof FormatSchema>> = {
  kind: "format",
  takesTooLong: () => true,
  schema: FormatSchema,
  relative: false,
  rules: ({ rules }) => rules,
  facts: () => [],
  range: ({ penalty }) => [0 - penalty + 0, 0],
  fromLogged({ rules, penalty }, was) {
    const told = was.penalty > 0 && canonicalJson(rules) === canonicalJson(was.rules);
    return told ? (value) => (value === 0 ? 0 : 0 - penalty + 0) : null;
  },
  open({ formats }, { rules, penalty }, { name, jams, refused }) {
    const [judgeable, fits] = [rules.includes("judgeable"), rules.includes("fits")];
    const broken = jams.map((jam, r) => (judgeable && jam) || (fits && refused[r] === true));
    const holds = formats[name] as readonly boolean[];
    return answeredAtOnce(() => holds.map((ok, r) => valued(ok && !broken[r] ? 0 : 0 - penalty + 0)));
  },
};
