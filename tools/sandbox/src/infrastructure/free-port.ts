// Ports are drawn below the range from which systems take the ports of outgoing connections, so that nothing grabs one
// between the draw and its use except another program that draws the same way; the servers started here are retried then.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** A TCP port on 127.0.0.1 that nothing listens on, never the same one twice from one process. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const port = randomInt(lowestPort, highestPort + 1);
    if (drawn.has(port)) continue;
    drawn.add(port);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free TCP port found between ${lowestPort} and ${highestPort}`);
}

/** Whether a server could listen on this port of 127.0.0.1 now; throws where the system forbids it (EACCES). */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen({ port, host: "127.0.0.1", exclusive: true });
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}

const drawn = new Set<number>();
const attemptsMax = 1000;
const lowestPort = 20_000;
// Linux draws outgoing ports from 32768 upwards, macOS from 49152.
const highestPort = 32_000;
