import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { SandboxFile } from "@holdfast/sandbox";

export type Received = { eventId: string; time: string; signature: string; next: string; body: string };

/** A merchant's receiver of webhooks, which answers as the test sets it. */
export type WebhookReceiver = {
  url: string;
  received: Received[];
  /** Answers in this way from now on. */
  answer(status: number, words: string): void;
  /** Removes the receiver and the default endpoint of the sandbox's merchant, which the next file needs. */
  stop(): Promise<void>;
};

export async function startWebhookReceiver(file: SandboxFile): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let reply = { status: 204, words: "" };
  const { certFile, keyFile } = file.receiver;
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const server: Server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const header = (name: string) => String(request.headers[name] ?? "");
      received.push({
        eventId: header("x-event-id"),
        time: header("x-request-time"),
        signature: header("x-request-signature"),
        next: header("x-request-signature-next"),
        body: Buffer.concat(chunks).toString(),
      });
      response.writeHead(reply.status).end(reply.words);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    answer(status, words) {
      reply = { status, words };
    },
    async stop() {
      await turnOffDefaultEndpoint(file);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function turnOffDefaultEndpoint({ operatorUrl, operators, merchants }: SandboxFile): Promise<void> {
  const answer = await fetch(`${operatorUrl}/operator/merchants/${merchants[0]!.merchantId}/webhook`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${operators[0]!.token}` },
  });
  if (!answer.ok && answer.status !== 404)
    throw new Error(`turning off an endpoint is answered with ${answer.status}`);
}

/** The signature by the merchants' guide. */
export function signatureOf({ time, body }: Received, secret: string): string {
  return createHmac("sha256", secret).update(`${time}:${body}`).digest("hex");
}
