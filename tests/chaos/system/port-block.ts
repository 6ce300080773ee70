import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Ports for the servers of this process, which no other test process takes: a block of a hundred belongs to the process
 * that listens on its first one, which claims another when it has used one up. Random ports would be free at first and taken when a killed server is started again.
 * Below the range of other random ports (tools/sandbox/src/infrastructure/free-port.ts).
 */
export async function nextPort(): Promise<number> {
  if (block === undefined || used === BLOCK_SIZE - 1) {
    block = claimBlock();
    used = 0;
  }
  used += 1;
  const place = used;
  return (await block) + place;
}

let block: Promise<number> | undefined;
let used = 0;

async function claimBlock(): Promise<number> {
  for (let first = LOWEST_PORT; first < HIGHEST_PORT; first += BLOCK_SIZE) {
    if (await claim(first)) return first;
  }
  throw new Error(`every block of ports between ${LOWEST_PORT} and ${HIGHEST_PORT} is taken`);
}

/** Held until the process ends, however it ends. */
async function claim(port: number): Promise<boolean> {
  const server = createServer((socket) => socket.destroy());
  server.unref().listen({ port, host: "127.0.0.1", exclusive: true });
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  }
}

const BLOCK_SIZE = 100;
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 20_000;
