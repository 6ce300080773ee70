import { readFileSync } from "node:fs";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { WebhookError } from "@holdfast/contracts";
import { createConnectionPool, type Connection, type ConnectionPool } from "./connection-pool.ts";
import { sendRequest, type RequestResult } from "./send-request.ts";
import { openConnection } from "./open-connection.ts";
import { resolveTarget, type Lookup } from "./resolve-target.ts";
import { createTargetParser, type TargetRules, type WebhookTarget } from "./webhook-target.ts";

/** The result of a POST, with an `error` unless the answer was 2xx. */
export type PostResult = {
  statusCode?: number;
  error?: WebhookError;
  durationMs: number;
  remoteAddress?: string;
  /** The beginning of the answer's body. */
  snippet?: Buffer;
};

/** The request's headers and body, made when a connection is ready: the signature includes the time. */
export type MakeRequest = () => { headers: Record<string, string>; body: Buffer };

export type WebhookClient = {
  post(url: string, makeRequest: MakeRequest): Promise<PostResult>;
  close(): Promise<void>;
};

export type WebhookClientOptions = {
  rules: TargetRules;
  lookup: Lookup;
  /** The limit from the written request to the answer's headers. */
  attemptTimeoutMs: number;
  /** The limit of a whole attempt, from the look-up to the answer. */
  attemptBoundMs: number;
  /** The limit of the look-up of the name, and again of connecting with TLS. */
  connectTimeoutMs: number;
  caFile?: string | undefined;
  onHandshake?: () => void;
};

/**
 * The only way out to merchants: HTTPS only, only to addresses that may be called, bounded in every phase, without
 * redirects and without a proxy. A failure is reported as its class and nothing more.
 */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const pool = createConnectionPool({ idleMax: IDLE_CONNECTIONS_MAX });
  const secureContext = createSecureContext({ ca: trustedCertificates(options.caFile) });
  const targetOf = createTargetParser(options.rules);
  const deps = { ...options, pool, secureContext };
  return {
    async post(url, makeRequest) {
      const startedAt = performance.now();
      const target = targetOf(url);
      const result =
        typeof target === "string" ? blocked() : await postTo(deps, target, makeRequest, startedAt);
      return { ...result, durationMs: Math.round(performance.now() - startedAt) };
    },
    close: () => Promise.resolve(pool.close()),
  };
}

const IDLE_CONNECTIONS_MAX = 512;

type Deps = Omit<WebhookClientOptions, "caFile"> & { pool: ConnectionPool; secureContext: SecureContext };
type Result = Omit<PostResult, "durationMs">;

async function postTo(
  deps: Deps,
  target: WebhookTarget,
  makeRequest: MakeRequest,
  startedAt: number,
): Promise<Result> {
  const warm = deps.pool.takeIdle(target.authority);
  if (warm) {
    const result = await send(deps, target, warm, makeRequest, startedAt);
    // The peer closed the connection while the request was on its way, which is no answer. It gets the request again on
    // a new connection. Whoever has begun to answer has it already.
    if (result.kind !== "broken" || result.hasBegun) return outcomeOf(result, warm);
  }
  const connection = await open(deps, target);
  if (typeof connection === "string") return { error: connection };
  return outcomeOf(await send(deps, target, connection, makeRequest, startedAt), connection);
}

async function open(deps: Deps, target: WebhookTarget): Promise<Connection | WebhookError> {
  const { connectTimeoutMs } = deps;
  const addresses = await resolveTarget(target, deps.lookup, deps.rules);
  if (typeof addresses === "string") return addresses;
  const socket = await openConnection({
    target,
    addresses,
    rules: deps.rules,
    secureContext: deps.secureContext,
    session: deps.pool.session(target.authority),
    timeoutMs: connectTimeoutMs,
    onHandshake: deps.onHandshake ?? (() => {}),
  });
  return typeof socket === "string" ? socket : deps.pool.adopt(target.authority, socket);
}

async function send(
  { attemptTimeoutMs, attemptBoundMs, pool }: Deps,
  { authority, path }: WebhookTarget,
  connection: Connection,
  makeRequest: MakeRequest,
  startedAt: number,
): Promise<RequestResult> {
  const leftMs = attemptBoundMs - (performance.now() - startedAt);
  // The process stood still: by now another may have the lease, and what is sent here would be sent twice.
  if (leftMs <= 0) {
    pool.giveBack(connection, Infinity);
    return { kind: "timeout" };
  }
  const { headers, body } = makeRequest();
  const result = await sendRequest(
    connection,
    { path, headers: { host: authority, connection: "keep-alive", ...headers }, body },
    { headersTimeoutMs: Math.min(attemptTimeoutMs, leftMs) },
  );
  pool.giveBack(connection, result.kind === "answered" ? result.keepAliveMs : 0);
  return result;
}

function outcomeOf(result: RequestResult, { remoteAddress }: Connection): Result {
  const at = remoteAddress === undefined ? {} : { remoteAddress };
  switch (result.kind) {
    case "answered": {
      const { statusCode, snippet } = result;
      const isSuccess = statusCode >= 200 && statusCode < 300;
      return { statusCode, ...at, ...(!isSuccess && { error: "status" as const, snippet }) };
    }
    case "timeout":
      return { error: "timeout", ...at };
    case "malformed":
      return { error: "malformed", ...at };
    case "broken":
      return { error: "reset", ...at };
    default:
      return result satisfies never;
  }
}

function blocked(): Result {
  return { error: "blocked" };
}

/** The authorities that the system and Node trust, and the configured one. */
function trustedCertificates(caFile: string | undefined): string[] {
  const trusted = getCACertificates("default");
  return caFile === undefined ? trusted : [...trusted, readFileSync(caFile, "utf8")];
}
