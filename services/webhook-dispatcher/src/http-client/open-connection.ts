import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";
import { startPatientTimer } from "./patient-timer.ts";
import { mayBeCalled } from "./public-address.ts";
import type { TargetRules, WebhookTarget } from "./webhook-target.ts";

export type ConnectError = "refused" | "tls" | "timeout" | "blocked";

export type OpenConnectionOptions = {
  target: WebhookTarget;
  /** Checked ones, in the order of trying. */
  addresses: string[];
  rules: TargetRules;
  secureContext: SecureContext;
  /** Of an earlier connection to the same place. */
  session: Buffer | undefined;
  timeoutMs: number;
  /** TLS handshakes are what deliveries cost. */
  onHandshake: () => void;
};

/**
 * A TLS connection to the first address that takes one. What the socket says it is connected to is checked once more,
 * the certificate is verified against the name in the URL, and there is no way to turn that off.
 */
export async function openConnection(options: OpenConnectionOptions): Promise<TLSSocket | ConnectError> {
  const deadline = performance.now() + options.timeoutMs;
  const addresses = options.addresses.slice(0, ADDRESSES_MAX);
  let error: ConnectError = "refused";
  for (const [index, address] of addresses.entries()) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return "timeout";
    // Each address gets its share of what is left, so that one that is black-holed does not use up the others' time.
    const connection = await connectTo(address, options, leftMs / (addresses.length - index));
    if (typeof connection !== "string") return connection;
    error = connection;
    // The certificate would be no better at another address.
    if (error === "tls" || error === "blocked") return error;
  }
  return error;
}

const ADDRESSES_MAX = 4;

async function connectTo(
  address: string,
  { target, rules, secureContext, session, onHandshake }: OpenConnectionOptions,
  timeoutMs: number,
): Promise<TLSSocket | ConnectError> {
  let socket: Socket = connectTcp({
    host: address,
    port: target.port,
    noDelay: true,
    autoSelectFamily: false,
  });
  let timedOut = false;
  const callOff = startPatientTimer(timeoutMs, () => {
    timedOut = true;
    socket.destroy();
  });
  try {
    if (!(await event(socket, "connect"))) return timedOut ? "timeout" : "refused";
    if (!mayBeCalled(socket.remoteAddress ?? "", rules.allowedCidrs)) {
      socket.destroy();
      return "blocked";
    }
    onHandshake();
    const secured = connectTls({
      socket,
      host: target.host,
      ...(!target.isAddress && { servername: target.host }),
      secureContext,
      session,
      ALPNProtocols: ["http/1.1"],
    });
    socket = secured;
    if (!(await event(secured, "secureConnect"))) return timedOut ? "timeout" : "tls";
    return secured;
  } finally {
    callOff();
  }
}

/** Whether it happens before the socket breaks. What broke it is nobody's business. */
async function event(socket: Socket, name: "connect" | "secureConnect"): Promise<boolean> {
  return await new Promise((resolve) => {
    socket.once(name, () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
}
