// The test cases that a group brings for its rollouts' programs to be run on.

import * as z from "zod";
import { said } from "#said";
import { anyText, someOf, someText } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { casesOf } from "./test-rows.ts";

const Text = anyText("test_case_chars");

/** The weight of a test. */
export const TestWeightSchema = z
  .number()
  .min(0)
  .max(...bound("test_weight_max"))
  .default(1);
export const SubtaskSchema = someText("name_chars").optional().meta(said("the subtask that it belongs to"));

/** Absolute or relative error of numbers. */
export const ToleranceSchema = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .meta(said("absolute or relative error that a printed or returned fraction may have; default 0.000001"));

const EXPECTATIONS = ["stdout", "assert", "fn_name"] as const;
const HAS_ONE = `a test has exactly one of ${EXPECTATIONS.join(", ")}`;

const TestCaseSchema = z
  .strictObject({
    stdin: Text.optional().meta(said("what the program reads; default nothing")),
    stdout: Text.optional().meta(
      said(
        "what it must write, line by line but for blanks at a line's end and empty lines at both ends; numbers compare by value",
      ),
    ),
    assert: Text.min(1)
      .optional()
      .meta(said("code behind the program that ends in an error where it is wrong; Python and JavaScript")),
    fn_name: z
      .string("a functional test needs its function's name: fn_name, of the case or of its row")
      .regex(/^[\p{L}_$][\p{L}\p{N}_$]*$/u, "not a function's name")
      .max(...bound("name_chars"))
      .optional()
      .meta(said("the function that is called, or the method of the class Solution; Python and JavaScript")),
    args: Text.optional().meta(said("of fn_name: its arguments, a list as JSON or as JSON text; default none")),
    returns: Text.optional().meta(
      said("of fn_name: what it must return, as JSON or as JSON text; a tuple is a list; default null"),
    ),
    is_wrapped: z
      .literal(true)
      .optional()
      .meta(said("of fn_name: `returns` is a list of one element, which may also be returned alone")),
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
    message: "args and returns need the function's name",
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
      "what a sandbox runs the rollouts' programs on, for a signal of the kind tests; also lists of asserts, and rows of code datasets (inputs, outputs, fn_name, testtype), as JSON text too",
    ),
  );
