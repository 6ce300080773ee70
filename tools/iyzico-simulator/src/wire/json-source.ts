/**
 * Parses JSON and keeps each number as the text that was sent, so that an amount is never a float and `1.20` and
 * `"1.20"` mean the same. @returns undefined where it is no JSON; the parser's own message would quote the body.
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
