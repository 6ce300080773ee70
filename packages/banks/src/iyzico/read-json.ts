/**
 * The JSON text of an answer, with every number as the text that it was written as: amounts must not become floats, and
 * iyzico writes one field now as a number and now as text. Undefined for bytes that are not JSON in UTF-8.
 */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes), (_key, value: unknown, context?: { source?: string }) =>
      typeof value === "number" ? context!.source! : value,
    );
  } catch {
    // The parser's error is dropped, because its message quotes the answer.
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
