import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type BankFront = Awaited<ReturnType<typeof startBankFront>>;

/**
 * Stands before the bank, as a machine that can freeze, or that reports other amounts than the bank has in its ledger.
 * @param port 0 takes a free one.
 */
export async function startBankFront(bankUrl: string, port = 0) {
  let thawed = Promise.resolve();
  let thaw = () => {};
  const rewrite: Record<string, (answer: string) => string> = {};
  const waiting = new Set<string>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const asked = `${randomUUID()} ${request.url} ${body}`;
    waiting.add(asked);
    await thawed;
    waiting.delete(asked);
    const method = request.method!;
    try {
      const reply = await fetch(`${bankUrl}${request.url}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(method === "POST" && { body }),
      });
      const said = await reply.text();
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end(rewrite[method]?.(said) ?? said);
    } catch {
      // The bank has dropped the call that it never answers.
      request.socket.destroy();
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Holds all calls until `thaw`; calls that have arrived by then are carried out, however late. */
    freeze() {
      const frozen = Promise.withResolvers<void>();
      thawed = frozen.promise;
      thaw = frozen.resolve;
    },
    thaw: () => thaw(),
    /** The number of requests that wait for the thaw: all of them, or those about one payment or refund. */
    waiting: (id = "") => [...waiting].filter((asked) => asked.includes(id)).length,
    /** Rewrites the answers to inquiries. */
    answerInquiries(how: (answer: string) => string) {
      rewrite["GET"] = how;
    },
    /** Rewrites the answers to all other calls. */
    answerCalls(how: (answer: string) => string) {
      rewrite["POST"] = how;
    },
    async close() {
      thaw();
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
