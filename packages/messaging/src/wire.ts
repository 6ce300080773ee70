/** The form of a command on the wire: a JSON body `{context, payload}` and the trace context as a header. */

/** W3C trace context. */
export const TRACEPARENT_HEADER = "traceparent";

/** Set on an answer without a body: `rejected` (unreadable, nothing started) or `failed` (threw, outcome unknown). */
export const FAILURE_HEADER = "Holdfast-Failure";

export function encodeMessage(context: object, payload: unknown): string {
  return JSON.stringify({ context, payload });
}

/** The sender's message, unchecked; broken JSON decodes to nothing, which no schema accepts. */
export function decodeMessage(message: { json(): unknown }): { context?: unknown; payload?: unknown } {
  const content = contentOf(message);
  return content === undefined ? {} : (content as { context?: unknown; payload?: unknown });
}

/** The content of a message, unchecked; undefined when it is not JSON. */
export function contentOf(message: { json(): unknown }): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
