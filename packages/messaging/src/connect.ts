import { connect, type ConnectionOptions, type NatsConnection } from "@nats-io/transport-node";

/**
 * A NATS connection that reconnects for ever, together with what request-reply has to know of it: whether it is up now,
 * and a promise for the next time it breaks. The client buffers what is published while it is down, so callers ask
 * `connected` before they claim that nothing was sent.
 */
export type Bus = {
  readonly nats: NatsConnection;
  readonly connected: boolean;
  /** Resolves when the present connection breaks; when it is already down, at once. */
  disconnection(): Promise<void>;
  /** Resolves when the connection is up, at once if it is. */
  connection(): Promise<void>;
  /** Lets what is under way finish, within `timeoutMs`, then closes. */
  close(timeoutMs: number): Promise<void>;
};

export type BusOptions = {
  /** `nats://host:port`, several separated by commas. */
  url: string;
  /** Shown in the server's connection list. */
  name: string;
  user?: string | undefined;
  password?: string | undefined;
  onStatus?: (status: "disconnected" | "reconnected") => void;
};

export async function connectBus({ url, name, user, password, onStatus }: BusOptions): Promise<Bus> {
  const options: ConnectionOptions = {
    servers: url.split(","),
    name,
    reconnectTimeWait: 250,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    // A black-holed connection is noticed after two missed pings: 10 s.
    pingInterval: 5_000,
    maxPingOut: 2,
    noAsyncTraces: true,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { pass: password }),
  };
  const nats = await connect(options);
  let up = Promise.resolve();
  let markUp = () => {};
  let down = Promise.withResolvers<void>();
  let connected = true;

  const markDown = () => {
    if (!connected) return;
    connected = false;
    const next = Promise.withResolvers<void>();
    up = next.promise;
    markUp = next.resolve;
    down.resolve();
    onStatus?.("disconnected");
  };
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type === "disconnect" || type === "close") markDown();
      if (type === "reconnect" && !connected) {
        connected = true;
        down = Promise.withResolvers();
        markUp();
        onStatus?.("reconnected");
      }
    }
  })();

  return {
    nats,
    get connected() {
      return connected;
    },
    disconnection: () => down.promise,
    connection: () => up,
    async close(timeoutMs) {
      // While the server is down `drain()` waits for a reconnect that may never come.
      await Promise.race([connected ? nats.drain() : nats.close(), delay(timeoutMs)]);
      await nats.close();
    },
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
