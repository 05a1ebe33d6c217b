// Table of backends by protocol. To add a kind, write one file and add one line here. The first kind is the
// default.

import { checker } from "./checker/adapter.ts";
import { decision } from "./decision/adapter.ts";
import type { BackendKind } from "./fan-out/backend-kind.ts";
import { gateway } from "./gateway/adapter.ts";
import { openAi } from "./openai/adapter.ts";
import { piston, sandboxFusion } from "./sandbox/adapter.ts";
import { scalar } from "./scalar/adapter.ts";

export const BACKENDS: readonly BackendKind[] = [openAi, gateway, scalar, decision, sandboxFusion, piston, checker];
