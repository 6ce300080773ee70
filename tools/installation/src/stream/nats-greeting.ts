import { once } from "node:events";
import { connect } from "node:net";

export type NatsGreeting = { version: string; jetstream?: boolean };

/**
 * The INFO line that a NATS server sends to every new connection, before TLS and sign-in; `undefined` if none
 * comes within a second.
 */
export async function natsGreeting(url: string): Promise<NatsGreeting | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port || DEFAULT_PORT), timeout: 1_000 });
  socket.on("timeout", () => socket.destroy(new Error("silent")));
  // A proxy before a server that is starting accepts connections and closes them.
  socket.on("end", () => socket.destroy(new Error("closed")));
  try {
    const [first] = (await once(socket, "data")) as [Buffer];
    const info = /^INFO (\{.*\})/.exec(first.toString("utf8"))?.[1];
    return info ? (JSON.parse(info) as NatsGreeting) : undefined;
  } catch {
    return undefined;
  } finally {
    socket.on("error", () => undefined);
    socket.destroy();
  }
}

const DEFAULT_PORT = "4222";
