// Schema of a group's test cases, on which the programs of its rollouts are run.

import * as z from "zod";
import { said } from "#said";
import { anyText, someOf, someText } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { casesOf } from "./test-rows.ts";

const Text = anyText("test_case_chars");

/** Schema of a test's weight. */
export const TestWeightSchema = z
  .number()
  .min(0)
  .max(...bound("test_weight_max"))
  .default(1);
export const SubtaskSchema = someText("name_chars")
  .optional()
  .meta(said("name of the subtask that the test belongs to"));

/** Schema of an absolute or relative tolerance for numbers. */
export const ToleranceSchema = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .meta(said("maximum absolute or relative error of a printed or returned fraction; default 0.000001"));

const EXPECTATIONS = ["stdout", "assert", "fn_name"] as const;
const HAS_ONE = `a test must have exactly one of ${EXPECTATIONS.join(", ")}`;

const TestCaseSchema = z
  .strictObject({
    stdin: Text.optional().meta(said("standard input of the program; default: empty")),
    stdout: Text.optional().meta(
      said(
        "expected output, compared line by line; spaces at the end of a line and empty lines at the start and end are ignored, and numbers are compared by value",
      ),
    ),
    assert: Text.min(1)
      .optional()
      .meta(
        said(
          "code that runs after the program and throws an error if the program is wrong; only for Python and JavaScript",
        ),
      ),
    fn_name: z
      .string("a functional test requires fn_name, in the test case or in its row")
      .regex(/^[\p{L}_$][\p{L}\p{N}_$]*$/u, "must be a function name")
      .max(...bound("name_chars"))
      .optional()
      .meta(said("function to call, or method of the class Solution; only for Python and JavaScript")),
    args: Text.optional().meta(said("arguments for fn_name, as a JSON list or its JSON text; default: no arguments")),
    returns: Text.optional().meta(
      said("expected return value of fn_name, as JSON or JSON text; a tuple counts as a list; default null"),
    ),
    is_wrapped: z
      .literal(true)
      .optional()
      .meta(said("`returns` is a list of one element, and fn_name may also return only that element")),
    tolerance: ToleranceSchema,
    weight: TestWeightSchema,
    group: SubtaskSchema,
  })
  .refine((held) => EXPECTATIONS.filter((name) => held[name] !== undefined).length === 1, {
    path: ["stdout"],
    message: HAS_ONE,
  })
  .refine(({ fn_name, args, returns }) => fn_name !== undefined || (args ?? returns) === undefined, {
    path: ["fn_name"],
    message: "args and returns require fn_name",
  });
export type TestCase = z.output<typeof TestCaseSchema>;

export const TestCasesSchema = z
  .preprocess(
    (value, context) => {
      const { cases, faults } = casesOf(value);
      for (const { path, message } of faults) context.addIssue({ code: "custom", path, message, input: value });
      return cases;
    },
    someOf(TestCaseSchema, "test_cases_sent_max"),
  )
  .meta(
    said(
      "test cases that a sandbox runs the rollouts' programs on, for a signal of kind tests; also accepts lists of asserts and rows of code datasets (inputs, outputs, fn_name, testtype), as JSON or JSON text",
    ),
  );
