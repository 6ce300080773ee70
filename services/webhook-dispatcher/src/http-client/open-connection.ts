import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";
import { startPatientTimer } from "./patient-timer.ts";
import { mayBeCalled } from "./public-address.ts";
import type { TargetRules, WebhookTarget } from "./webhook-target.ts";

export type ConnectError = "refused" | "tls" | "timeout" | "blocked";

export type OpenConnectionOptions = {
  target: WebhookTarget;
  /** Checked addresses, in the order in which they are tried. */
  addresses: string[];
  rules: TargetRules;
  secureContext: SecureContext;
  /** TLS session of an earlier connection to the same origin. */
  session: Buffer | undefined;
  timeoutMs: number;
  /** Called for each TLS handshake, the main cost of a delivery. */
  onHandshake: () => void;
};

/**
 * Opens a TLS connection to the first address that accepts one. The address that the socket is connected to is checked
 * once more, the certificate is verified against the name in the URL, and neither can be turned off.
 */
export async function openConnection(options: OpenConnectionOptions): Promise<TLSSocket | ConnectError> {
  const deadline = performance.now() + options.timeoutMs;
  const addresses = options.addresses.slice(0, ADDRESSES_MAX);
  let error: ConnectError = "refused";
  for (const [index, address] of addresses.entries()) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return "timeout";
    // Each address gets its share of the time left, so that a black-holed one does not use up the others' time.
    const connection = await connectTo(address, options, leftMs / (addresses.length - index));
    if (typeof connection !== "string") return connection;
    error = connection;
    // Another address would have the same certificate.
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

/** Waits for the event. @returns false where the socket breaks before; the cause is deliberately not reported. */
async function event(socket: Socket, name: "connect" | "secureConnect"): Promise<boolean> {
  return await new Promise((resolve) => {
    socket.once(name, () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
}
