/**
 * Full TLS handshakes, as many as the server lets this process have, with `connections` at the same time for `seconds`.
 * A process of its own; prints what came of them as one JSON line. No session is resumed: each is that of a new client.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { parseArgs } from "node:util";
import { sharedClockUs } from "./figures.ts";

/** Times are of the shared clock. */
export type HandshakesResult = {
  done: number;
  failed: number;
  /** Of which version they were. */
  protocols: string[];
  startedAtUs: number;
  endedAtUs: number;
};

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    ca: { type: "string", default: "" },
    connections: { type: "string", default: "16" },
    seconds: { type: "string", default: "5" },
  },
});

const options = { host: "127.0.0.1", port: Number(values.port), ca: readFileSync(values.ca) };
const end = performance.now() + Number(values.seconds) * 1_000;
const protocols = new Set<string>();
let [done, failed] = [0, 0];

const startedAtUs = sharedClockUs();
await Promise.all(Array.from({ length: Number(values.connections) }, client));
const endedAtUs = sharedClockUs();
const result: HandshakesResult = { done, failed, protocols: [...protocols], startedAtUs, endedAtUs };
process.stdout.write(`${JSON.stringify(result)}\n`);

async function client(): Promise<void> {
  while (performance.now() < end) {
    const protocol = await handshake();
    if (protocol === undefined) failed++;
    else {
      done++;
      protocols.add(protocol);
    }
  }
}

/** Resolves when the connection is closed. @returns undefined where the server closed it before the handshake was over. */
async function handshake(): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let protocol: string | undefined;
  const socket = connect(options, () => {
    protocol = socket.getProtocol() ?? "unknown";
    socket.resume().end();
  });
  // What is wrong shows in the close that follows.
  socket.on("error", () => {}).on("close", () => resolve(protocol));
  return await promise;
}
