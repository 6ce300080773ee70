import { access } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { inboxPrefix } from "@holdfast/contracts";
import {
  AuthorizationError,
  connect,
  ConnectionError,
  InvalidArgumentError,
  PermissionViolationError,
  type ConnectionOptions,
  type NatsConnection,
} from "@nats-io/transport-node";
import { createSendByTurn, type SendByTurn } from "./by-turn.ts";
import { within } from "./within.ts";

/**
 * A NATS connection that reconnects forever, together with its state, which request-reply needs: whether it is up now,
 * and when it breaks. The client buffers messages while it is down, so callers ask `connected` before they claim that
 * nothing was sent.
 */
export type Bus = {
  readonly nats: NatsConnection;
  readonly connected: boolean;
  /** The subjects that this process should serve, and that the server refuses to it. */
  readonly unserved: Set<string>;
  /** Connected, and no subject is unserved. */
  readonly isReady: boolean;
  /**
   * Calls `listener` when the present connection breaks, or immediately when it is down already. This is no promise,
   * which would keep everything that ever waited for it in memory as long as the connection lasts.
   *
   * @returns a function that removes the listener.
   */
  onDisconnection(listener: () => void): () => void;
  /** Publishes, or asks, together with what else leaves in this turn of the event loop. */
  readonly byTurn: SendByTurn;
  /** Resolves when the connection is up, immediately if it is. */
  connection(): Promise<void>;
  /** Lets requests under way finish, within `timeoutMs`, then closes. */
  close(timeoutMs: number): Promise<void>;
};

export type BusOptions = {
  /**
   * `nats://host:port`, several separated by commas; `nats://user:password@host:port` if no `user` is given.
   * With `tls://` in any of them the connection uses TLS only.
   */
  url: string;
  /** Shown in the server's connection list. */
  name: string;
  /** Signs in as this user, who gets answers in inboxes under `_INBOX_<user>`. */
  user?: string | undefined;
  password?: string | undefined;
  /** PEM file of the authority that signed the server's certificate. When it is set, the connection uses TLS only. */
  caFile?: string | undefined;
  /**
   * PEM files of our own certificate and key, for a server that verifies its clients. They are read again at each
   * reconnect.
   */
  certFile?: string | undefined;
  keyFile?: string | undefined;
  onStatus?: (status: "disconnected" | "reconnected" | `refused: ${string}`) => void;
};

/** A service's settings of the bus. */
export type BusSettings = {
  NATS_URL: string;
  NATS_USER?: string | undefined;
  NATS_PASSWORD?: string | undefined;
  NATS_CA_FILE?: string | undefined;
  NATS_CERT_FILE?: string | undefined;
  NATS_KEY_FILE?: string | undefined;
};

export function busOptions(settings: BusSettings): Omit<BusOptions, "name" | "onStatus"> {
  return {
    url: settings.NATS_URL,
    user: settings.NATS_USER,
    password: settings.NATS_PASSWORD,
    caFile: settings.NATS_CA_FILE,
    certFile: settings.NATS_CERT_FILE,
    keyFile: settings.NATS_KEY_FILE,
  };
}

/** The server refuses us or we refuse it: trying again would not help, an operator has to look at the settings. */
export class BusRefusedError extends Error {
  override name = "BusRefusedError";
  readonly code = "bus_refused";
}

/**
 * Waits until a server answers.
 *
 * @throws BusRefusedError for a wrong password, a certificate that is not trusted, or a server without TLS where TLS is
 * required.
 */
export async function connectBus({ onStatus, ...options }: BusOptions): Promise<Bus> {
  const nats = await firstConnection(await connectionOptions(options));
  let up = Promise.resolve();
  let markUp = () => {};
  const listeners = new Set<() => void>();
  const byTurn = createSendByTurn();
  const unserved = new Set<string>();
  let connected = true;

  const markDown = () => {
    if (!connected) return;
    connected = false;
    const next = Promise.withResolvers<void>();
    up = next.promise;
    markUp = next.resolve;
    for (const listener of listeners) listener();
    listeners.clear();
    onStatus?.("disconnected");
  };
  void (async () => {
    for await (const status of nats.status()) {
      const { type } = status;
      if (type === "error" && isRefusedSubscription(status.error))
        onStatus?.(`refused: ${status.error.subject}`);
      if (type === "disconnect" || type === "close") markDown();
      if (type === "reconnect" && !connected) {
        connected = true;
        markUp();
        onStatus?.("reconnected");
      }
    }
  })();

  return {
    nats,
    byTurn,
    unserved,
    get connected() {
      return connected;
    },
    get isReady() {
      return connected && unserved.size === 0;
    },
    onDisconnection(listener) {
      if (connected) listeners.add(listener);
      else listener();
      return () => void listeners.delete(listener);
    },
    connection: () => up,
    async close(timeoutMs) {
      // Answers that were just given leave first.
      await byTurn(() => {});
      // While the server is down `drain()` waits for a reconnect that may never come. If the server goes away
      // during the drain, the drain fails, and there is no server left to tell.
      await within(timeoutMs, connected ? nats.drain().catch(() => {}) : nats.close());
      await nats.close();
    },
  };
}

async function connectionOptions({
  url,
  name,
  user,
  password,
  ...files
}: Omit<BusOptions, "onStatus">): Promise<ConnectionOptions> {
  const given = Object.entries(files).filter(([, file]) => file !== undefined);
  for (const [, file] of given) await access(file!);
  const isTls = given.length > 0 || /(^|,)tls:/.test(url);
  const login = user === undefined ? loginIn(url) : { user, password };
  return {
    servers: url.split(","),
    name,
    reconnectDelayHandler: createReconnectPause(),
    maxReconnectAttempts: -1,
    // A password that is changed on the server first must not lock us out forever.
    ignoreAuthErrorAbort: true,
    // A black-holed connection is noticed after two missed pings: 10 s.
    pingInterval: 5_000,
    maxPingOut: 2,
    noAsyncTraces: true,
    ...(isTls && { tls: Object.fromEntries(given) }),
    ...(login.user !== undefined && { user: login.user, inboxPrefix: inboxPrefix(login.user) }),
    ...(login.password !== undefined && { pass: login.password }),
  };
}

const RECONNECT_PAUSE_MS = 250;

/**
 * The client pauses until a quarter of a second after the last attempt at a server, by the time of the machine: one that
 * is set back by an hour would keep it off the bus for as long. Once that pause has passed by the monotonic clock, the
 * client's own is over.
 */
function createReconnectPause(): () => number {
  let attemptedAt = -Infinity;
  return () => {
    if (performance.now() - attemptedAt < RECONNECT_PAUSE_MS) return RECONNECT_PAUSE_MS;
    attemptedAt = performance.now();
    return -Infinity;
  };
}

/** User and password of the URL, which the client does not read. */
function loginIn(url: string): { user?: string; password?: string } {
  const { username, password } = new URL(url.split(",")[0]!);
  if (username === "") return {};
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

async function firstConnection(options: ConnectionOptions): Promise<NatsConnection> {
  for (;;) {
    try {
      return await connect(options);
    } catch (error) {
      if (isRefusal(error)) {
        throw new BusRefusedError(`the bus at first connect: ${(error as Error).message}`, { cause: error });
      }
      await delay(RECONNECT_PAUSE_MS);
    }
  }
}

function isRefusedSubscription(error: Error): error is PermissionViolationError {
  return error instanceof PermissionViolationError && error.operation === "subscription";
}

function isRefusal(error: unknown): boolean {
  // A machine that is busy with its start may be too slow to sign in; the next attempt may not be.
  if (error instanceof AuthorizationError && /authentication timeout/i.test(error.message)) return false;
  if (error instanceof AuthorizationError || error instanceof InvalidArgumentError) return true;
  // The client has no error class for this refusal.
  if (error instanceof ConnectionError && error.message.includes("does not support 'tls'")) return true;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && TLS_FAILURE.test(code);
}

/** Codes of OpenSSL's verification and of Node's TLS (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const TLS_FAILURE = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/;
