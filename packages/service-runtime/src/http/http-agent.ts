import { Agent, type ClientRequest } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Duplex } from "node:stream";
import { proxyEnvironment } from "./proxy-environment.ts";

export type HttpAgentOptions = {
  connectionsMax?: number;
  /** PEM of the certificate authority, unless a public one signed the certificate. */
  ca?: string | undefined;
  /** Goes through the proxies that the environment names, if Node's own switch for them is on; never to loopback. */
  byProxy?: boolean;
};

/**
 * Warm connections, each with one request at a time. An idle connection on which bytes arrive is closed: they
 * would be read as the next answer.
 */
export function createHttpAgent(protocol: string, options: HttpAgentOptions = {}): Agent {
  const { connectionsMax = Infinity, ca, byProxy = false } = options;
  const pool = {
    keepAlive: true,
    maxSockets: connectionsMax,
    timeout: IDLE_MS,
    proxyEnv: byProxy ? proxyEnvironment(process.env) : undefined,
  };
  const agent = protocol === "https:" ? new TlsAgent({ ...pool, ca }) : new Agent(pool);
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const reuse = agent.reuseSocket.bind(agent);
  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex) {
      socket.on("data", destroy);
      return keep(socket);
    },
    reuseSocket(socket: Duplex, request: ClientRequest) {
      socket.off("data", destroy);
      reuse(socket, request);
    },
  });
}

/** Shorter than the 5 s after which servers close idle connections by default. */
const IDLE_MS = 4_000;

function destroy(this: Duplex): void {
  this.destroy();
}
