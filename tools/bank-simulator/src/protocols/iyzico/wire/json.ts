import { Decimal } from "./decimal.ts";

/**
 * Parses JSON and keeps each number as the text that was sent, so that an amount is never a float and `1.20`
 * and `"1.20"` mean the same.
 * @returns undefined for malformed JSON; the parser's own message would quote the body.
 */
export function parseJsonSource(text: string): { value: unknown } | undefined {
  try {
    return { value: parseWithSource(text, (_key, value, context) => sourceOf(value, context?.source)) };
  } catch {
    return undefined;
  }
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

function sourceOf(value: unknown, source: string | undefined): unknown {
  return typeof value === "number" ? source : value;
}

// TypeScript's library does not know the reviver's third argument yet.
const parseWithSource = (text: string, reviver: Reviver): unknown => JSON.parse(text, reviver as never);

/** A value of an answer; `Decimal` is written as a number or as text. An undefined one is left out. */
export type AnswerValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | Decimal
  | AnswerFields
  | readonly AnswerValue[];
export type AnswerFields = { [name: string]: AnswerValue };

export type AnswerForm = {
  /** `zeros`: eight decimals, as iyzico writes; `plain`: no zeros at the end. */
  decimals: "zeros" | "plain";
  /** `usual`: amounts and `systemTime` are numbers and `errorCode` is text; `swapped`: the opposite. */
  types: "usual" | "swapped";
};

/** Writes an answer's JSON. A number keeps its zeros, which a float would lose. */
export function writeAnswer(fields: AnswerFields, form: AnswerForm): string {
  const written = form.types === "swapped" ? swapTypes(fields) : fields;
  return JSON.stringify(valueToWrite(written, form));
}

function valueToWrite(value: AnswerValue, form: AnswerForm): unknown {
  if (value instanceof Decimal) {
    const text = form.decimals === "zeros" ? value.long : value.short;
    return form.types === "swapped" ? text : rawJson(text);
  }
  if (Array.isArray(value)) return value.map((each: AnswerValue) => valueToWrite(each, form));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, valueToWrite(each, form)]));
}

function swapTypes(fields: AnswerFields): AnswerFields {
  const { errorCode, systemTime } = fields;
  return {
    ...fields,
    ...(errorCode !== undefined && { errorCode: Number(errorCode) }),
    ...(typeof systemTime === "number" && { systemTime: String(systemTime) }),
  };
}

// TypeScript's library does not know JSON.rawJSON yet.
function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}
