import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { LoggedChild } from "@holdfast/sandbox/infrastructure";
import { eventually, type TestSystem } from "../support/index.ts";

/** Gateways behind one address, as behind a load balancer: one serves, others are starting to take its place. */
export type KilledGateways = {
  url: string;
  /**
   * Kills the serving gateway with SIGKILL as soon as so many pieces of requests and answers have passed, or
   * when `over` resolves. The next one serves when it has started; until then connections are refused.
   */
  killAfter(pieces: number, over: Promise<unknown>): Promise<void>;
  close(): Promise<void>;
};

/** @param standby how many start ahead. */
export async function startKilledGateways(system: TestSystem, standby: number): Promise<KilledGateways> {
  const starting: Promise<Gateway>[] = [];
  const next = async () => {
    while (starting.length <= standby) starting.push(startGateway(system));
    return await starting.shift()!;
  };
  let serving = await next();
  let onPiece = () => {};
  const open = async (port: number): Promise<Server> => {
    const front = createServer((client) => forward(client, serving.port, () => onPiece()));
    front.listen(port, "127.0.0.1");
    await once(front, "listening");
    return front;
  };
  let front = await open(0);
  const { port } = front.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async killAfter(pieces, over) {
      const { promise: passed, resolve } = Promise.withResolvers<void>();
      let left = pieces;
      onPiece = () => {
        if (--left > 0) return;
        serving.child.kill("SIGKILL");
        resolve();
      };
      await Promise.race([passed, over]);
      onPiece = () => {};
      serving.child.kill("SIGKILL");
      front.close();
      await serving.child.exited;
      serving = await next();
      front = await open(port);
    },
    async close() {
      front.close();
      await Promise.allSettled(starting);
    },
  };
}

type Gateway = { child: LoggedChild; port: number };

async function startGateway(system: TestSystem): Promise<Gateway> {
  const child = await system.spawn("gateway-merchant");
  const port = await eventually(() => /"port":(\d+)[^\n]*"listening"/.exec(child.logTail())?.[1] ?? false);
  return { child, port: Number(port) };
}

/** A client's connection ends with the gateway's: with a reset, as a dead process leaves it. */
function forward(client: Socket, port: number, onPiece: () => void): void {
  const gateway = connect(port, "127.0.0.1");
  for (const [socket, other] of [
    [client, gateway],
    [gateway, client],
  ] as const) {
    socket
      .on("data", onPiece)
      .on("error", () => other.resetAndDestroy())
      .on("close", () => other.destroy());
    socket.pipe(other);
  }
}
