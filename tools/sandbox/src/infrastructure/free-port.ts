// Ports are chosen below the range that systems use for outgoing connections, so only another program that
// chooses in the same way can take one before its use. Programs of one user announce their choices by empty
// files in the directory for temporary files, and remove them at their end.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, rmSync, statSync, utimesSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A TCP port on 127.0.0.1 that nothing listens on, and that no program of this user has chosen in the last minutes. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const port = randomInt(lowestPort, highestPort + 1);
    if (drawn.has(port)) continue;
    if (!isReserved(port)) continue;
    drawn.add(port);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free TCP port found between ${lowestPort} and ${highestPort}`);
}

/** True if a server could listen on this port of 127.0.0.1 now; throws where the system forbids it (EACCES). */
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

/** Reserves the port for this process. In a directory that cannot be written to, every port counts as reserved. */
function isReserved(port: number): boolean {
  const file = reservationOf(port);
  try {
    mkdirSync(reservations, { recursive: true, mode: 0o700 });
    closeSync(openSync(file, "wx"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return true;
    return takesOver(file);
  }
  return true;
}

/** Takes an old reservation: its process listens on the port by now, or never will. */
function takesOver(file: string): boolean {
  try {
    if (Date.now() - statSync(file).mtimeMs < reservedForMs) return false;
    utimesSync(file, new Date(), new Date());
  } catch {
    return false;
  }
  return true;
}

function reservationOf(port: number): string {
  return join(reservations, `${port}`);
}

const reservations = join(tmpdir(), `holdfast-ports-${process.getuid?.() ?? "of-this-user"}`);
const reservedForMs = 10 * 60_000;
const drawn = new Set<number>();
process.once("exit", () => {
  for (const port of drawn) rmSync(reservationOf(port), { force: true });
});
const attemptsMax = 1000;
const lowestPort = 20_000;
// Linux draws outgoing ports from 32768 upwards, macOS from 49152.
const highestPort = 32_000;
