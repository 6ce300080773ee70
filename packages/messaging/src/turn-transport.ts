import { NatsConnectionImpl, setTransportFactory } from "@nats-io/nats-core/internal";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { NodeTransport, nodeResolveHost } from "@nats-io/transport-node/lib/node_transport.js";

/**
 * The client's own transport, with one write to the socket for all frames of a turn of the event loop: the client hands
 * a frame over for each microtask that sends, and each would be a write of its own, and a read at the server. A frame
 * waits no longer than for the end of its turn.
 */
class TurnTransport extends NodeTransport {
  #gathered: Uint8Array[] = [];
  #bytes = 0;

  override send(frame: Uint8Array): void {
    this.#bytes += frame.length;
    if (this.#gathered.push(frame) === 1) setImmediate(() => this.#write());
    else if (this.#bytes >= GATHERED_MAX) this.#write();
  }

  override async close(error?: Error): Promise<void> {
    this.#write();
    await super.close(error);
  }

  override disconnect(): void {
    this.#write();
    super.disconnect();
  }

  #write(): void {
    const frames = this.#gathered;
    if (frames.length === 0) return;
    this.#gathered = [];
    this.#bytes = 0;
    super.send(frames.length === 1 ? frames[0]! : Buffer.concat(frames));
  }
}

/** Bytes that are written without waiting for the end of the turn. */
const GATHERED_MAX = 256 * 1_024;

/** The client's own `connect` with {@link TurnTransport} for this connection and its reconnects. */
export async function connectByTurns(options: NodeConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new TurnTransport(), dnsResolveFn: nodeResolveHost });
  return await NatsConnectionImpl.connect(options);
}

/**
 * The client pauses until a quarter of a second after the last connection to a server, by the time of the machine: one
 * that is set back by an hour would keep it off the bus for as long. A time ahead counts as now. The servers are those
 * of the client's list: for each address of a name it connects to a copy, which has no part in the pause.
 *
 * @param connection a lost one of {@link connectByTurns}.
 */
export function keepPausesShort(connection: NatsConnection): void {
  (connection as NatsConnectionImpl).protocol.servers.getServers().forEach(keepPauseShort);
}

function keepPauseShort(server: { lastConnect: number }): void {
  let last = server.lastConnect;
  Object.defineProperty(server, "lastConnect", {
    configurable: true,
    get: () => (last = Math.min(last, Date.now())),
    set(at: number) {
      last = at;
    },
  });
}
