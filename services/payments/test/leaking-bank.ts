import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Card = { pan: string; cvv: string };
type Answer = Record<string, unknown>;

/**
 * The simulator behind an adapter that puts the card into the challenge, as the form of some banks has it: a
 * proxy that changes the answers of enrolments. @param leak changes such an answer.
 */
export async function startLeakingBank(url: string, leak: { now: (answer: Answer, card: Card) => void }) {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const answered = await fetch(new URL(request.url ?? "/", url), {
        method: request.method ?? "GET",
        headers: { "content-type": "application/json" },
        ...(request.method === "POST" && { body }),
      });
      const answer = (await answered.json()) as Answer;
      if (isEnrolment(request)) leak.now(answer, (JSON.parse(body) as { card: Card }).card);
      response.writeHead(answered.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<unknown>((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

function isEnrolment({ url }: IncomingMessage): boolean {
  return url === "/v1/3ds/enrol";
}
