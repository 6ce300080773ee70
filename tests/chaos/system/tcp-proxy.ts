import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { nextPort } from "./port-block.ts";

/**
 * The effect of a link on its connections. `blackhole`: nothing passes, neither side notices, and sent bytes
 * arrive once the link is healed, like TCP's retransmissions. `half_open`: requests pass and answers do not.
 * `reset`: all connections are reset, new ones too. `refuse`: connections are reset, and new ones are
 * refused.
 */
export type LinkFault =
  | { kind: "pass" }
  | { kind: "delay"; ms: number }
  | { kind: "blackhole" | "half_open" | "reset" | "refuse" };

type Direction = "request" | "answer";

/** A TCP link from one process to one server, which can be made to fail. */
export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #targetPort: () => number;
  readonly #sockets = new Set<Socket>();
  #fault: LinkFault = { kind: "pass" };
  #changed = Promise.withResolvers<void>();

  private constructor(server: Server, { port, targetPort }: { port: number; targetPort: () => number }) {
    this.port = port;
    this.#server = server;
    this.#targetPort = targetPort;
    server.on("connection", (client) => void this.#serve(client));
  }

  /** @param target the server's port, or a function that returns it once the server is there. */
  static async start(target: number | (() => number)): Promise<TcpProxy> {
    // A connection is half open after one side's orderly end, which has to be passed on unchanged.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const proxy = new TcpProxy(server, {
      port: await nextPort(),
      targetPort: typeof target === "number" ? () => target : target,
    });
    await proxy.#listen(true);
    return proxy;
  }

  /** Sets the fault from now on, for open connections, too. */
  async set(fault: LinkFault): Promise<void> {
    this.#fault = fault;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    if (fault.kind === "reset" || fault.kind === "refuse") this.#resetAll();
    await this.#listen(fault.kind !== "refuse");
  }

  async heal(): Promise<void> {
    await this.set({ kind: "pass" });
  }

  async close(): Promise<void> {
    await this.set({ kind: "refuse" });
  }

  async #listen(on: boolean): Promise<void> {
    if (this.#server.listening === on) return;
    if (on) this.#server.listen({ host: "127.0.0.1", port: this.port });
    else this.#server.close();
    await once(this.#server, on ? "listening" : "close");
  }

  async #serve(client: Socket): Promise<void> {
    this.#track(client);
    await this.#passage("request");
    if (this.#isReset()) return void client.resetAndDestroy();
    const server = connect({
      host: "127.0.0.1",
      port: this.#targetPort(),
      allowHalfOpen: true,
      noDelay: true,
    });
    this.#track(server);
    await Promise.all([this.#pump("request", client, server), this.#pump("answer", server, client)]);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    // Errors reach the other side through `#pump`.
    socket.on("error", () => undefined).once("close", () => this.#sockets.delete(socket));
  }

  async #pump(direction: Direction, from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from) {
        await this.#passage(direction);
        if (to.destroyed) throw new Error("the other side is gone");
        if (!to.write(chunk as Buffer)) await Promise.race([once(to, "drain"), once(to, "close")]);
      }
      await this.#passage(direction);
      to.end();
    } catch {
      // One side has gone without an orderly end: the other side notices as soon as the link allows it.
      await this.#passage(direction);
      to.resetAndDestroy();
    }
  }

  /** Resolves when a byte may continue in this direction. */
  async #passage(direction: Direction): Promise<void> {
    for (;;) {
      const fault = this.#fault;
      switch (fault.kind) {
        case "pass":
        case "reset":
        case "refuse":
          return;
        case "delay":
          await delay(fault.ms);
          return;
        case "half_open":
          if (direction === "request") return;
          await this.#changed.promise;
          break;
        case "blackhole":
          await this.#changed.promise;
          break;
        default:
          fault satisfies never;
      }
    }
  }

  #isReset(): boolean {
    return this.#fault.kind === "reset" || this.#fault.kind === "refuse";
  }

  #resetAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }
}
