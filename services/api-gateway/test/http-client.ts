import { request } from "node:http";
import { connect } from "node:net";

export type HttpAnswer = {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
  /** The body as JSON. */
  body: Record<string, unknown>;
};

export type HttpRequest = {
  method?: string;
  path: string;
  /** A list sends the header more than once. */
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** The address to send from: any of 127.0.0.0/8. */
  localAddress?: string;
  /** Sends the head and never the body. */
  withoutBody?: boolean;
};

/** Sends one request unchanged, without the corrections and prohibitions of `fetch`. */
export async function http(
  port: number,
  { method = "GET", path, headers = {}, body, localAddress, withoutBody }: HttpRequest,
): Promise<HttpAnswer> {
  return await new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers, localAddress, agent: false });
    outgoing.on("error", reject);
    outgoing.on("response", (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        outgoing.destroy();
        resolve({
          status: answer.statusCode!,
          headers: answer.headers as HttpAnswer["headers"],
          text,
          body: text.startsWith("{") ? JSON.parse(text) : {},
        });
      });
    });
    if (withoutBody) outgoing.flushHeaders();
    else outgoing.end(body);
  });
}

/** Writes bytes to a connection of its own and resolves to all bytes until the server closes it. */
export async function sendRaw(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk) => (text += String(chunk)));
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
    for (const part of parts) socket.write(part);
  });
}

/** One answer as it came over the wire. */
export function parseRaw(text: string): HttpAnswer {
  const [head = "", content = ""] = text.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(": ")[0]!.toLowerCase(), line.split(": ")[1]]),
  );
  const body = content.startsWith("{") ? (JSON.parse(content) as Record<string, unknown>) : {};
  return { status: Number(statusLine.split(" ")[1]), headers, text: content, body };
}
