import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook, type ReceivedWebhook, type WebhookVerdict } from "@holdfast/webhook-signature";
import { forwardWebhook, type Forwarded } from "./forward-webhook.ts";

/** One request and what was found out about it. */
export type Receipt = {
  received: ReceivedWebhook;
  verdict: WebhookVerdict;
  /** Seen before under its x-event-id. */ repeated: boolean;
  /** The answer of the merchant's own server, if the webhook was forwarded. */
  forwarded?: Forwarded | undefined;
};

export type Receiver = { url: string; port: number; close(): Promise<void> };

/**
 * A merchant's receiver in small: it keeps the raw bytes, verifies them, answers immediately, and recognizes a repeated
 * event. It answers a webhook that is not authentic with 401 and the reason, which a real receiver would not reveal. With
 * `forwardTo` it forwards every webhook, authentic or not, and answers with the status of the merchant's own server.
 */
export async function startReceiver(options: {
  cert: string | Buffer;
  key: string | Buffer;
  port: number;
  /** Default 127.0.0.1; 0.0.0.0 if webhooks come from containers. */
  host?: string;
  secret: string;
  /** The address of the merchant's own server, such as http://localhost:3000/webhooks. */
  forwardTo?: string | undefined;
  onReceipt: (receipt: Receipt) => void;
}): Promise<Receiver> {
  const seen = new Set<string>();
  const server = createServer({ cert: options.cert, key: options.key }, (request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST" }).end();
      return;
    }
    const body = await readBody(request);
    if (!body) {
      response.writeHead(413, { connection: "close" }).end();
      return;
    }
    const received = { headers: single(request.headersDistinct), body };
    const verdict = verifyWebhook(received, { secret: options.secret, now: Date.now() });
    const eventId = verdict.valid ? verdict.eventId : undefined;
    const repeated = eventId !== undefined && seen.has(eventId);
    if (eventId !== undefined) seen.add(eventId);
    const forwarded =
      options.forwardTo === undefined ? undefined : await forwardWebhook(options.forwardTo, received);
    if (forwarded) response.writeHead(forwarded.status ?? BAD_GATEWAY).end();
    else if (verdict.valid) response.writeHead(200).end();
    else response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify(verdict));
    options.onReceipt({ received, verdict, repeated, forwarded });
  };

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host ?? "127.0.0.1", () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/webhooks`,
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const BAD_GATEWAY = 502;
const BODY_BYTES_MAX = 262_144;

/** The bytes as they came: parsing and writing them again would change them. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function single(headers: NodeJS.Dict<string[]>): ReceivedWebhook["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values?.length === 1 ? values[0] : values]),
  );
}
