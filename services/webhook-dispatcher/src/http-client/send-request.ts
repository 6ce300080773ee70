import type { Connection } from "./connection-pool.ts";
import { startPatientTimer } from "./patient-timer.ts";
import { AnswerReader } from "./read-answer.ts";

export type PostRequest = { path: string; headers: Record<string, string>; body: Buffer };

/** The result of one request on one connection. */
export type RequestResult =
  | {
      kind: "answered";
      statusCode: number;
      snippet: Buffer;
      /** The time for which the connection may be kept for the next request; 0 if it cannot be used again. */
      keepAliveMs: number;
    }
  | { kind: "timeout" }
  /** An answer came that is not one of HTTP/1.1. */
  | { kind: "malformed" }
  /** The connection broke before the answer's headers. `hasBegun`: something of the answer had arrived. */
  | { kind: "broken"; hasBegun: boolean };

export type RequestBounds = { headersTimeoutMs: number };

/**
 * Writes the request and waits for the answer's headers, which decide. At most a KiB of the body is read, for a quarter
 * of a second; if there is more, or it does not end, the connection is dropped: a receiver cannot occupy us with its
 * answer.
 */
export async function sendRequest(
  connection: Pick<Connection, "socket" | "use">,
  request: PostRequest,
  { headersTimeoutMs }: RequestBounds,
): Promise<RequestResult> {
  const bytes = bytesOf(request);
  return await new Promise((resolve) => {
    const reader = new AnswerReader();
    const finish = (result: RequestResult) => {
      callOff();
      connection.use(undefined);
      resolve(result);
    };
    const answered = (keepAliveMs: number) =>
      finish({ kind: "answered", statusCode: reader.statusCode, snippet: reader.body, keepAliveMs });
    let callOff = startPatientTimer(headersTimeoutMs, () => finish({ kind: "timeout" }));
    let isWaiting = true;
    connection.use({
      data(chunk) {
        reader.push(chunk);
        if (reader.state === "broken") finish({ kind: "malformed" });
        else if (reader.state === "whole") answered(reader.keepAliveMs);
        else if (reader.state === "body" && reader.isTooLong) answered(0);
        else if (reader.state === "body" && isWaiting) {
          isWaiting = false;
          callOff();
          callOff = startPatientTimer(BODY_TIMEOUT_MS, () => answered(0));
        }
      },
      closed: () =>
        reader.state === "head" ? finish({ kind: "broken", hasBegun: reader.hasBegun }) : answered(0),
    });
    connection.socket.write(bytes);
  });
}

const BODY_TIMEOUT_MS = 250;

/** The request in one piece, which is one TLS record and one packet. */
function bytesOf({ path, headers, body }: PostRequest): Buffer {
  let head = `POST ${path} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    if (NOT_PRINTABLE.test(value)) throw new TypeError("a header of a webhook is not printable ASCII");
    head += `${name}: ${value}\r\n`;
  }
  return Buffer.concat([Buffer.from(`${head}\r\n`, "latin1"), body]);
}

const NOT_PRINTABLE = /[^\x20-\x7e]/;
