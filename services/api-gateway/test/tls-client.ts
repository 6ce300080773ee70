import { once } from "node:events";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";

/** A connection over TLS to a listener of this machine, once its handshake is over. */
export async function connectTls(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ...options });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  socket.on("error", () => {});
  return socket;
}

/** Writes bytes to a connection of its own and resolves to all bytes until the server closes it. */
export async function sendOverTls(
  port: number,
  options: ConnectionOptions,
  ...parts: (string | Buffer)[]
): Promise<string> {
  const socket = await connectTls(port, options);
  for (const part of parts) socket.write(part);
  return await readAll(socket);
}

/** All that comes until the connection is closed, however that happens. */
export async function readAll(socket: TLSSocket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => (text += String(chunk)));
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return text;
}
