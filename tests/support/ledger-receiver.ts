import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ReceivedWebhook } from "../checker/index.ts";

/** The receiver's behaviour at a request. */
export type Behaviour =
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: string }
  /** Takes the request and says nothing. */
  | { kind: "hang" }
  /** Begins an answer and sends a byte of its headers, or of its body, each `everyMs`. */
  | { kind: "drip"; part: "headers" | "body"; everyMs: number }
  | { kind: "reset" }
  /** An endless body. */
  | { kind: "huge"; status: number; bytes: number }
  | { kind: "late"; status: number; afterMs: number };

export type LedgerReceiver = {
  url: string;
  port: number;
  ledger: ReceivedWebhook[];
  /** Requests that are not answered yet. */
  underway(): number;
  connections(): number;
  /** The number of connections that were ever opened. */
  handshakes(): number;
  behave(next: Behaviour | ((entry: ReceivedWebhook, index: number) => Behaviour)): void;
  /** Breaks all connections that are open. */
  dropConnections(): void;
  close(): Promise<void>;
};

/** A merchant's server over real HTTPS with a ledger of its own; it knows nothing of the gateway. */
export async function startLedgerReceiver(options: {
  cert: string | Buffer;
  key: string | Buffer;
  port?: number;
  /** Time of arrival, epoch milliseconds. */
  now?: () => number;
  keepAliveTimeoutMs?: number;
}): Promise<LedgerReceiver> {
  const { now = Date.now } = options;
  const ledger: ReceivedWebhook[] = [];
  const sockets = new Set<Socket>();
  let handshakes = 0;
  let underway = 0;
  let behave: (entry: ReceivedWebhook, index: number) => Behaviour = () => OK;

  const server = createServer({ cert: options.cert, key: options.key }, (request, response) => {
    const arrivedAt = now();
    underway++;
    response.once("close", () => underway--);
    const take = async () => {
      const entry = await readEntry(request, arrivedAt);
      const behaviour = behave(entry, ledger.push(entry) - 1);
      // A TLS socket cannot be reset; the connection below it can.
      if (behaviour.kind === "reset") reset(sockets, request.socket.remotePort);
      else act(behaviour, entry, response);
    };
    take().catch(() => response.destroy());
  });
  server.keepAliveTimeout = options.keepAliveTimeoutMs ?? 5_000;
  server.on("secureConnection", () => handshakes++);
  server.on("tlsClientError", () => {});
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const dropConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `https://localhost:${port}/webhooks`,
    port,
    ledger,
    underway: () => underway,
    connections: () => sockets.size,
    handshakes: () => handshakes,
    behave(next) {
      behave = typeof next === "function" ? next : () => next;
    },
    dropConnections,
    async close() {
      dropConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const OK: Behaviour = { kind: "status", status: 200 };

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
}

async function readEntry(request: IncomingMessage, arrivedAt: number): Promise<ReceivedWebhook> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { url: path = "", headersDistinct } = request;
  return {
    arrivedAt,
    path,
    headers: flatten(headersDistinct),
    body: Buffer.concat(chunks),
    answered: undefined,
  };
}

/** A header that came once as text, one that came more often as a list. */
function flatten(headers: NodeJS.Dict<string[]>): ReceivedWebhook["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values?.length === 1 ? values[0] : values]),
  );
}

function reset(sockets: Set<Socket>, remotePort: number | undefined): void {
  for (const socket of sockets) if (socket.remotePort === remotePort) socket.resetAndDestroy();
}

function act(
  behaviour: Exclude<Behaviour, { kind: "reset" }>,
  entry: ReceivedWebhook,
  response: ServerResponse,
): void {
  switch (behaviour.kind) {
    case "status":
      return answer(entry, response, behaviour);
    case "hang":
      return;
    case "late":
      setTimeout(() => answer(entry, response, behaviour), behaviour.afterMs).unref();
      return;
    case "huge":
      entry.answered = behaviour.status;
      response.writeHead(behaviour.status);
      return writeMuch(response, behaviour.bytes);
    case "drip":
      return drip(entry, response, behaviour);
    default:
      behaviour satisfies never;
  }
}

function answer(
  entry: ReceivedWebhook,
  response: ServerResponse,
  { status, headers = {}, body = "" }: { status: number; headers?: Record<string, string>; body?: string },
): void {
  if (response.destroyed) return;
  entry.answered = status;
  response.writeHead(status, headers).end(body);
}

function writeMuch(response: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(64 * 1_024, "x");
  let left = bytes;
  const write = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once("drain", write);
        return;
      }
    }
    response.end();
  };
  write();
}

function drip(
  entry: ReceivedWebhook,
  response: ServerResponse,
  { part, everyMs }: Extract<Behaviour, { kind: "drip" }>,
): void {
  const { socket } = response;
  if (part === "body") {
    entry.answered = 200;
    response.writeHead(200);
  }
  const bytes = "HTTP/1.1 200 OK\r\nX-Slow: yes";
  let at = 0;
  const timer = setInterval(() => {
    if (!socket || socket.destroyed) return clearInterval(timer);
    if (part === "body") response.write("x");
    else socket.write(bytes[at++ % bytes.length]!);
  }, everyMs);
  socket?.once("close", () => clearInterval(timer));
}
