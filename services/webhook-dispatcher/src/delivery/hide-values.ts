import { BODY_BYTES_MAX } from "../http-client/read-answer.ts";

/**
 * Replaces the values of added headers in an answer by an ellipsis. A receiver that repeats its request would otherwise
 * have them kept in the log of attempts and shown.
 */
export function hideValues(snippet: Buffer, headers: Record<string, string>): Buffer {
  const values = Object.values(headers)
    .flatMap((value) => [value, credentialOf(value) ?? value])
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .toSorted((a, b) => b.length - a.length);
  // One character for each byte: values are ASCII, and an answer may be anything.
  const whole = values.reduce((text, value) => text.replaceAll(value, ELLIPSIS), snippet.toString("latin1"));
  const shown = snippet.length < BODY_BYTES_MAX ? whole : withoutBeginning(whole, values);
  return Buffer.from(shown, "latin1");
}

/** The password alone, which a receiver may repeat without its scheme. */
const credentialOf = (value: string) => /^(?:basic|bearer) +(.+)$/i.exec(value)?.[1];

/** An answer is cut off after so many bytes, perhaps within a value. */
function withoutBeginning(text: string, values: readonly string[]): string {
  const cuts = values.map((value) => {
    let length = Math.min(value.length, text.length);
    while (!text.endsWith(value.slice(0, length))) length--;
    return length;
  });
  const cut = Math.max(0, ...cuts);
  return cut === 0 ? text : text.slice(0, -cut) + ELLIPSIS;
}

const ELLIPSIS = Buffer.from("…").toString("latin1");
