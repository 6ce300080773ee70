import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A server that answers with given bytes, for answers that no library would send. */
export type RawServer = {
  port: number;
  /** The origin, with the scheme and a name. */
  url: string;
  /** Whole requests, in the order of their arrival. */
  requests: string[];
  /** The number of connections that were ever opened. */
  connections(): number;
  /** The number of open connections. */
  open(): number;
  /** Writes to all open connections, asked or not. */
  write(bytes: string): void;
  /** Ends all open connections. */
  endAll(): void;
  close(): Promise<void>;
};

/**
 * @param answerOf the bytes that answer a request, by its number from 0 on; several are written one after
 * another.
 * @param tls makes it a TLS server.
 */
export async function startRawServer(
  answerOf: (number: number) => string | readonly string[],
  tls?: { cert: string | Buffer; key: string | Buffer; host?: string },
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const serve = (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      for (let end = endOf(received); end !== undefined; end = endOf(received)) {
        const number = requests.push(received.slice(0, end)) - 1;
        received = received.slice(end);
        void writeAll(socket, [answerOf(number)].flat());
      }
    });
  };
  const server: Server = tls ? createTlsServer(tls, serve) : createServer(serve);
  server.listen(0, tls?.host ?? "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    write: (bytes) => sockets.forEach((socket) => socket.write(bytes, "latin1")),
    endAll: () => sockets.forEach((socket) => socket.end()),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/** @returns the length of the first whole request in the text. */
function endOf(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return undefined;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= head + 4 + length ? head + 4 + length : undefined;
}

/** Each part is a packet of its own. */
async function writeAll(socket: Socket, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => socket.write(part, "latin1", () => resolve()));
    await new Promise(setImmediate);
  }
}
