/**
 * The merchants' server, a process of its own: HTTPS on `--ports` ports, each as if it were another merchant's, and a
 * ledger of event ids with the time each first came. It does as little as a server can, so that what is measured is who
 * posts. Over HTTP on another port it is asked for its ledger and told which ports fall silent.
 */
import { readFileSync } from "node:fs";
import { createServer as createControlServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { sharedClockUs } from "./figures.ts";
import type { Manner, ReceiverPorts, ReceiverState } from "./receiver-client.ts";

const { values } = parseArgs({
  options: { cert: { type: "string" }, key: { type: "string" }, ports: { type: "string", default: "1" } },
});

/** By path: when each event id came first. */
const ledgers = new Map<string, Map<string, number>>();
const manners = new Map<number, Manner>();
let requests = 0;
let lastAtUs = 0;

const https = createServer(
  { cert: readFileSync(values.cert ?? ""), key: readFileSync(values.key ?? ""), keepAliveTimeout: 120_000 },
  (request, response) => {
    request.resume();
    request.once("end", () => take(request, response));
  },
);
https.on("tlsClientError", () => {});

function take({ socket, url = "", headers }: IncomingMessage, response: ServerResponse): void {
  if ((manners.get(socket.localPort ?? 0) ?? "answers") !== "answers") return;
  requests++;
  const eventId = headers["x-event-id"] as string;
  let ledger = ledgers.get(url);
  if (!ledger) ledgers.set(url, (ledger = new Map()));
  if (!ledger.has(eventId)) {
    lastAtUs = sharedClockUs();
    ledger.set(eventId, lastAtUs);
  }
  response.writeHead(200, { "content-length": "0" }).end();
}

/** A server that is deaf takes the connection and never says a word of TLS. */
const fronts = Array.from({ length: Number(values.ports) }, () =>
  createTcpServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    if (manners.get(socket.localPort ?? 0) === "deaf") return;
    https.emit("connection", socket);
  }),
);

function stateOf(): ReceiverState {
  const distinct = Object.fromEntries([...ledgers].map(([path, ledger]) => [path, ledger.size]));
  return { requests, distinct, lastAtUs };
}

const control = createControlServer((request, response) => {
  response.setHeader("content-type", "application/json");
  text(request).then(
    (body) => response.end(JSON.stringify(handle(request.url ?? "", body))),
    () => response.destroy(),
  );
});

function handle(url: string, body: string): unknown {
  switch (url) {
    case "/state":
      return stateOf();
    case "/arrivals":
      return Object.fromEntries([...ledgers.values()].flatMap((ledger) => [...ledger]));
    case "/forget":
      ledgers.clear();
      requests = 0;
      return {};
    default: {
      const { ports, manner } = JSON.parse(body) as { ports: number[]; manner: Manner };
      for (const port of ports) manners.set(port, manner);
      return {};
    }
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve());
  });
  return (server.address() as AddressInfo).port;
}

const listening: ReceiverPorts = {
  controlPort: await listen(control),
  ports: await Promise.all(fronts.map((front) => listen(front))),
};
process.stdout.write(`${JSON.stringify(listening)}\n`);
