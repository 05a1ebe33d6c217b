// Owns the table of signals by kind: a new kind is one file and one line here.
import { format } from "./format.ts";
import { overlong } from "./overlong.ts";
import type { Signal } from "./signal.ts";
import { tournament } from "./tournament.ts";

export const SIGNALS: readonly Signal[] = [tournament, format, overlong];
