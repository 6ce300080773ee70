import { expect, test } from "vitest";
import { z } from "zod";
import { faultOfIssue, parseInOurWords } from "./fault-of-issue.ts";

test.each([
  [z.array(z.string()).min(1), [], "must have at least 1 entry"],
  [z.array(z.string()).min(2), [], "must have at least 2 entries"],
  [z.string().max(1), "ab", "must have at most 1 character"],
  [z.string().max(2), "abc", "must have at most 2 characters"],
  [z.number().min(1), 0, "must be at least 1"],
])("what is counted is said in one and in many: %#", (schema, input, message) => {
  const [issue] = parseInOurWords(schema as z.ZodType, input).error!.issues;
  expect(faultOfIssue(issue!, input)).toMatchObject({ message });
});
