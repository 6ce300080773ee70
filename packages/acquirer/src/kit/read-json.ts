/**
 * The JSON of an answer; undefined for bytes that are not JSON in UTF-8.
 * @param numbers `as_text` keeps numbers as they were written, so that amounts never become floats;
 * `as_numbers` is for a protocol with whole amounts.
 */
export function readJson(bytes: Uint8Array, numbers: "as_text" | "as_numbers" = "as_text"): unknown {
  try {
    return JSON.parse(utf8.decode(bytes), (_key, value: unknown, context?: { source?: string }) =>
      typeof value === "number" && numbers === "as_text" ? context!.source! : value,
    );
  } catch {
    // The parser's error is dropped, because its message quotes the answer.
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
