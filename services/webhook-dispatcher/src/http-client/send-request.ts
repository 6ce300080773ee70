import type { Connection } from "./connection-pool.ts";
import { startPatientTimer } from "./patient-timer.ts";

export type PostRequest = { path: string; headers: Record<string, string>; body: Buffer };

/** The result of one request on one connection. */
export type RequestResult =
  | {
      kind: "answered";
      statusCode: number;
      snippet: Buffer;
      /** True where the next request may use the connection. */ clean: boolean;
    }
  | { kind: "timeout" }
  /** The connection broke before the answer's headers. */
  | { kind: "broken" };

export type RequestBounds = { headersTimeoutMs: number };

/**
 * Writes the request and waits for the answer's headers, which decide. At most a KiB of the body is read, for a quarter
 * of a second; if there is more, or it does not end, the connection is dropped: a receiver cannot occupy us with its
 * answer.
 */
export async function sendRequest(
  { client }: Connection,
  { path, headers, body }: PostRequest,
  { headersTimeoutMs }: RequestBounds,
): Promise<RequestResult> {
  return await new Promise((resolve) => {
    let abort: ((reason: Error) => void) | undefined;
    let statusCode = 0;
    let received = 0;
    const chunks: Buffer[] = [];
    const finish = (result: RequestResult) => {
      callOff();
      resolve(result);
    };
    const answered = (clean: boolean) =>
      finish({ kind: "answered", statusCode, snippet: Buffer.concat(chunks), clean });
    const cutOff = () => {
      answered(false);
      abort?.(new Error("the answer is longer than what is read of it"));
    };
    let callOff = startPatientTimer(headersTimeoutMs, () => {
      finish({ kind: "timeout" });
      abort?.(new Error("no answer in time"));
    });

    client.dispatch(
      { path, method: "POST", headers, body, blocking: false, idempotent: false },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason);
        },
        onResponseStart(_controller, status) {
          // A 1xx is not the answer yet.
          if (status < 200) return;
          statusCode = status;
          callOff();
          callOff = startPatientTimer(BODY_TIMEOUT_MS, cutOff);
        },
        onResponseData(_controller, chunk) {
          const room = Math.max(0, BODY_BYTES_MAX - received);
          chunks.push(Buffer.from(chunk.subarray(0, room)));
          received += chunk.length;
          if (received > BODY_BYTES_MAX) cutOff();
        },
        onResponseEnd: () => answered(true),
        onResponseError: () => (statusCode === 0 ? finish({ kind: "broken" }) : answered(false)),
      },
    );
  });
}

const BODY_BYTES_MAX = 1_024;
const BODY_TIMEOUT_MS = 250;
