import { request } from "node:https";
import type { Client } from "../e2e/running-sandbox.ts";

/** A request to Caddy under a name that no DNS has. */
export function overTls(options: {
  ca: Buffer;
  host: string;
  port: number;
  method: string;
  path: string;
  headers?: object;
  body?: string;
}): ReturnType<Client> {
  const { ca, host, port, method, path, headers, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ca,
        host: "127.0.0.1",
        port,
        servername: host,
        method,
        path,
        headers: { host, ...headers },
        timeout: 30_000,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("error", reject);
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = /json/.test(answer.headers["content-type"] ?? "");
          const status = answer.statusCode ?? 0;
          resolve({ status, headers: new Headers(), text, body: isJson ? JSON.parse(text) : undefined });
        });
      },
    );
    sent.on("timeout", () => sent.destroy(new Error("no answer within 30 s")));
    sent.on("error", reject);
    sent.end(body);
  });
}
