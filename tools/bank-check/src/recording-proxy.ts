import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { httpFetch } from "@holdfast/service-runtime";

/** A request and its answer as they may be shown. `status` is undefined if the bank gave no answer. */
export type Exchange = { number: number; request: string; status: number | undefined; answer: string };

export type RecordingProxy = {
  url: string;
  exchanges: Exchange[];
  close(): Promise<void>;
};

/**
 * Stands between an adapter and a bank on this machine, and writes down what passes, so that the adapters
 * have no place at which a caller could look. It changes nothing but the host; headers, which have
 * signatures, are not written down.
 * @param origin of the bank.
 * @param mask what is written down goes through it first.
 */
export async function startRecordingProxy(
  origin: string,
  mask: (text: string) => string,
): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming);
    const { method = "GET", url: path = "/" } = incoming;
    const exchange: Exchange = {
      number: exchanges.length + 1,
      request: mask(`${method} ${path}`) + (body.length > 0 ? `\n${mask(body.toString("utf8"))}` : ""),
      status: undefined,
      answer: "no answer",
    };
    exchanges.push(exchange);
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers))
      if (!HOP_BY_HOP.has(name) && typeof value === "string") headers.set(name, value);
    const answer = await httpFetch(new URL(path, origin), {
      method,
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body.length > 0 && { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    exchange.status = answer.status;
    exchange.answer = mask(textOf(bytes, answer.headers.get("content-type")));
    const contentType = answer.headers.get("content-type");
    outgoing.writeHead(answer.status, contentType === null ? {} : { "content-type": contentType }).end(bytes);
  };
  const server = createServer((incoming, outgoing) => {
    // The adapter has to see what it would see without us: a connection that breaks.
    pass(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function textOf(bytes: Buffer, contentType: string | null): string {
  const isTurkish = /iso-8859-9|windows-1254/i.test(contentType ?? "");
  return new TextDecoder(isTurkish ? "windows-1254" : "utf-8").decode(bytes);
}

/** Headers of one connection only, or written again by the client. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
]);
/** Longer than any call of the walk. */
const PATIENCE_MS = 120_000;
