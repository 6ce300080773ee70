/**
 * The merchants' server, a process of its own: HTTPS on `--ports` ports, each as if it were another merchant's, and a
 * ledger of event ids with the time each first came. It does as little as a server can, so that the sender is what is
 * measured. Another port gives its ledger over HTTP.
 */
import { readFileSync } from "node:fs";
import { createServer as createControlServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { parseArgs } from "node:util";
import { sharedClockUs } from "./figures.ts";
import type { ReceiverPorts, ReceiverState } from "./receiver-client.ts";

const { values } = parseArgs({
  options: { cert: { type: "string" }, key: { type: "string" }, ports: { type: "string", default: "1" } },
});

/** The first arrival of each event id, by path. */
const ledgers = new Map<string, Map<string, number>>();
let requests = 0;
let lastAtUs = 0;

const tls = { cert: readFileSync(values.cert ?? ""), key: readFileSync(values.key ?? "") };
const fronts = Array.from({ length: Number(values.ports) }, () =>
  createServer({ ...tls, keepAliveTimeout: 120_000 }, (request, response) => {
    request.resume();
    request.once("end", () => take(request, response));
  }).on("tlsClientError", () => {}),
);

function take({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
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

function stateOf(): ReceiverState {
  const distinct = Object.fromEntries([...ledgers].map(([path, ledger]) => [path, ledger.size]));
  return { requests, distinct, lastAtUs };
}

const control = createControlServer((request, response) => {
  if (request.url === "/forget") {
    ledgers.clear();
    requests = 0;
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(stateOf()));
});

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
