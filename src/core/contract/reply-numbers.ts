// Schemas of the numbers in replies.
import * as z from "zod";

export const count = z.int().min(0);

export const numberOrNull = z.number().nullable();

export const share = z.number().min(0).max(1);
