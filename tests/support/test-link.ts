import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A TCP link to a server that a test can cut. */
export type TestLink = {
  /** The server's URL by way of the link. */
  url: string;
  /** Resets all connections, and every new one until the link is mended. */
  cut(): void;
  mend(): void;
  /** Leads new connections to another server; open ones stay at the old one, as after a failover. */
  moveTo(serverUrl: string): void;
  close(): Promise<void>;
};

/** Puts a link before a server, for tests in which it cannot be reached. */
export async function startTestLink(serverUrl: string): Promise<TestLink> {
  let target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const reset = () => sockets.forEach((socket) => socket.resetAndDestroy());
  const server = createServer((client) => {
    if (isCut) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy()).on("close", () => sockets.delete(socket));
      socket.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut() {
      isCut = true;
      reset();
    },
    mend() {
      isCut = false;
    },
    moveTo(other) {
      target = new URL(other);
    },
    async close() {
      server.close();
      reset();
      await once(server, "close");
    },
  };
}
