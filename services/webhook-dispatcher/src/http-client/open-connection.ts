import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";
import { startPatientTimer } from "./patient-timer.ts";
import { mayBeCalled } from "./public-address.ts";
import { tlsFault, type TlsFault } from "./tls-fault.ts";
import type { TargetRules, WebhookTarget } from "./webhook-target.ts";

export type ConnectError = "refused" | "timeout" | "blocked" | TlsFault;

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
  let error: ConnectError = "refused";
  for (const [index, address] of options.addresses.entries()) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return "timeout";
    // Each address gets its share of the time left, so that a black-holed one does not use up the others' time.
    const remaining = Math.min(options.addresses.length - index, SHARES_MAX);
    const connection = await connectTo(address, options, Math.max(leftMs / remaining, SHARE_MS_MIN));
    if (typeof connection !== "string") return connection;
    error = connection;
    // Another address would have the same certificate.
    if (error !== "refused" && error !== "timeout") return error;
  }
  return error;
}

const SHARES_MAX = 4;
/** Time alone ends the tries: an address that refuses costs next to none of it. */
const SHARE_MS_MIN = 100;

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
    if ((await event(socket, "connect")) !== true) return timedOut ? "timeout" : "refused";
    if (!mayBeCalled(socket.remoteAddress ?? "", rules.allowedCidrs)) {
      socket.destroy();
      return "blocked";
    }
    onHandshake();
    const secured = connectTls({
      socket,
      host: target.host,
      // RFC 6066, 3: without the dot of a name's root.
      ...(!target.isAddress && { servername: target.host.replace(/\.$/, "") }),
      secureContext,
      session,
      ALPNProtocols: ["http/1.1"],
    });
    socket = secured;
    const outcome = await event(secured, "secureConnect");
    if (outcome === true) return secured;
    return timedOut ? "timeout" : tlsFault(outcome);
  } finally {
    callOff();
  }
}

/** Waits for the event. @returns the socket's error, if it breaks before with one. */
async function event(socket: Socket, name: "connect" | "secureConnect"): Promise<true | Error | undefined> {
  return await new Promise((resolve) => {
    socket.once(name, () => resolve(true));
    socket.on("error", resolve);
    socket.once("close", () => resolve(undefined));
  });
}
