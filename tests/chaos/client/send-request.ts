import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

export type Outgoing = {
  port: number;
  method: "GET" | "POST" | "PUT";
  path: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  /** The authority of the listener's certificate, as PEM; without it plain HTTP is used. */
  ca?: string | undefined;
};

/** The result of a request. `bytesSent` is false only if no connection was made. */
export type Incoming = { bytesSent: boolean } & (
  | { kind: "answered"; status: number; headers: Record<string, string | string[] | undefined>; body: string }
  | { kind: "no_answer"; error: string }
);

/** One request on a connection of its own, so that it is known whether any of it can have arrived. Never rejects. */
export async function sendRequest({
  port,
  method,
  path,
  headers,
  body,
  timeoutMs,
  ca,
}: Outgoing): Promise<Incoming> {
  return await new Promise((resolve) => {
    let bytesSent = false;
    const options = { host: "127.0.0.1", port, method, path, headers, agent: false };
    const request = ca === undefined ? httpRequest(options) : httpsRequest({ ...options, ca });
    const fail = (error: Error) => resolve({ kind: "no_answer", bytesSent, error: error.message });
    const timer = setTimeout(() => request.destroy(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    request.once("socket", (socket) => socket.once("connect", () => (bytesSent = true)));
    request.once("close", () => clearTimeout(timer));
    request.on("error", fail);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.once("end", () =>
        resolve({
          kind: "answered",
          bytesSent,
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    request.end(body);
  });
}
