import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";

/** The address of a server with TLS, and the way to ask for its certificate. */
export type TlsServer = {
  host: string;
  port: number;
  /** The exchange before the handshake: nothing, PostgreSQL's request for it, or NATS's greeting. */
  preamble?: "postgres" | "nats" | undefined;
  /** PEM files of our own certificate, for a server that asks for one. */
  certFile?: string | undefined;
  keyFile?: string | undefined;
  /** Receives our own port before the handshake begins. @returns a function to call when the connection is over */
  onConnected?: (localPort: number) => () => void;
};

/**
 * Reads the certificate that a server serves, of any date or authority: only the date is read.
 *
 * @throws when there is no handshake
 */
export async function readPeerCertificate(server: TlsServer): Promise<X509Certificate> {
  const certificate = await shakeHands(server, {}, (socket) => socket.getPeerX509Certificate());
  if (!certificate) throw new Error("the server showed no certificate");
  return certificate;
}

/**
 * Makes one handshake with a server, whatever its certificate, and reads what was agreed. Nothing is sent after it. It
 * takes five seconds at most.
 *
 * @throws when there is no handshake
 */
export async function shakeHands<Result>(
  server: TlsServer,
  options: ConnectionOptions,
  read: (socket: TLSSocket) => Result,
): Promise<Result> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const cert = server.certFile === undefined ? undefined : await readFile(server.certFile);
  const key = server.keyFile === undefined ? undefined : await readFile(server.keyFile);
  const socket = connect({ host: server.host, port: server.port });
  let onOver: (() => void) | undefined;
  try {
    await once(socket, "connect", { signal });
    onOver = server.onConnected?.(socket.localPort!);
    if (server.preamble) await PREAMBLES[server.preamble](socket, signal);
    const secured = connectTls({ ...options, socket, rejectUnauthorized: false, cert, key });
    await once(secured, "secureConnect", { signal });
    secured.on("error", () => {});
    const result = read(secured);
    secured.destroy();
    return result;
  } finally {
    // The server may answer with a reset.
    socket.on("error", () => {});
    socket.once("close", () => onOver?.());
    socket.destroy();
  }
}

const TIMEOUT_MS = 5_000;

const PREAMBLES = {
  /** SSLRequest (https://www.postgresql.org/docs/current/protocol-message-formats.html); the answer is one letter. */
  async postgres(socket: Socket, signal: AbortSignal): Promise<void> {
    socket.write(Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]));
    const [answer] = (await once(socket, "data", { signal })) as [Buffer];
    if (answer.toString("latin1") !== "S") throw new Error("PostgreSQL has no TLS");
    socket.removeAllListeners("data");
  },
  /** Reads the INFO line; an answer of more than a few kilobytes is invalid. */
  async nats(socket: Socket, signal: AbortSignal): Promise<void> {
    let greeting = "";
    while (!greeting.includes("\r\n")) {
      const [chunk] = (await once(socket, "data", { signal })) as [Buffer];
      greeting += chunk.toString("latin1");
      if (!greeting.startsWith("INFO ") || greeting.length > GREETING_MAX) {
        throw new Error("this is no greeting of NATS");
      }
    }
  },
};

const GREETING_MAX = 64 * 1_024;
