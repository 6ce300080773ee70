import { z } from "zod";
import type { FieldCode } from "./field-codes.ts";
import type { FieldFault } from "./problem.ts";

/** A schema's findings in our codes and words, which stay when the library's change. */

type Issue = z.core.$ZodIssue;

/**
 * Parses with our words for each fault that a schema has no words for: the library's own are never answered. A contract's
 * own rule says its `error` and, in `params`, its code.
 */
export function parseInOurWords<Schema extends z.ZodType>(schema: Schema, input: unknown) {
  return schema.safeParse(input, { error: (issue) => messageOf(issue as Issue) });
}

/**
 * One fault of a parsed input.
 * @param input the parsed input, in which a missing field differs from one of a wrong type.
 */
export function faultOfIssue(issue: Issue, input: unknown): Omit<FieldFault, "field"> {
  if (isMissing(issue, input)) return { code: "required", message: "is required" };
  return { code: codeOf(issue), message: issue.message };
}

function codeOf(issue: Issue): FieldCode {
  if (issue.code !== "custom") return CODES[issue.code];
  return (issue.params?.["code"] as FieldCode | undefined) ?? "invalid_type";
}

/** The compiler reports a code that the library adds. */
const CODES: Record<Exclude<Issue["code"], "custom">, FieldCode> = {
  invalid_type: "invalid_type",
  too_big: "too_big",
  too_small: "too_small",
  invalid_format: "invalid_format",
  invalid_value: "invalid_value",
  not_multiple_of: "invalid_value",
  unrecognized_keys: "unknown_field",
  invalid_union: "invalid_value",
  invalid_key: "invalid_value",
  invalid_element: "invalid_value",
};

function messageOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? "of another type"}`;
    case "too_small":
      return boundOf(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return boundOf(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "invalid_format":
      return `must be ${FORMATS[issue.format] ?? "written otherwise"}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `must not have ${issue.keys.length > 1 ? "fields" : "a field"} that nobody knows here`;
    case "invalid_union":
      return "has none of the forms that it may have";
    case "invalid_key":
      return "has a name that is not allowed";
    case "invalid_element":
      return "has an entry that is not valid";
    case "custom":
      return "is not valid";
  }
  return issue satisfies never;
}

function boundOf(origin: string, how: string, bound: number | bigint): string {
  const counted = COUNTED[origin];
  if (counted === undefined) return `must be ${how} ${bound}`;
  return `must have ${how} ${bound} ${counted[Number(bound) === 1 ? 0 : 1]}`;
}

/** The singular and the plural of each unit. */
const COUNTED: Partial<Record<string, readonly [string, string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
};

const TYPES: Partial<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "a boolean",
  object: "an object",
  record: "an object",
  array: "a list",
  null: "null",
};

const FORMATS: Partial<Record<string, string>> = {
  uuid: "a UUID",
  datetime: "a date and time such as 2026-11-23T09:30:00Z",
  date: "a date such as 2026-11-23",
  url: "a URL",
  email: "an e-mail address",
  base64: "base64",
};

function isMissing({ path }: Issue, input: unknown): boolean {
  let value = input;
  for (const name of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[name];
  return value === undefined;
}
