import type { Settings } from "./options.ts";

/** The part of `fetch` that is used; the global one of Node, Bun, Deno and Workers fits. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: "manual";
    signal: AbortSignal;
  },
) => Promise<FetchAnswer>;

export type FetchAnswer = {
  status: number;
  headers: { get(name: string): string | null };
  body: {
    getReader(): {
      read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
      cancel(): Promise<void>;
    };
  } | null;
};

/** One request of the merchant API. A body has its amounts already in it as text. */
export type ApiRequest = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: string;
  idempotencyKey?: string;
};

/** The result of sending. `reached` is false only where it is certain that no connection was made. */
export type Sending =
  | { kind: "answered"; status: number; header: (name: string) => string | undefined; body: unknown }
  | { kind: "no_answer"; reached: boolean; cause: unknown };

/** Sends a request one time. Never rejects. A body that is no JSON, is cut off or is too long is undefined. */
export async function sendRequest(settings: Settings, request: ApiRequest): Promise<Sending> {
  const signal = AbortSignal.timeout(settings.timeoutMs);
  const accept = "application/json, application/problem+json";
  try {
    return await answeredOf(await fetchAnswer(settings, request, { accept, signal }));
  } catch (cause) {
    return silenceOf(cause);
  }
}

/** The answer's head; its body is still to be read. */
export async function fetchAnswer(
  { baseUrl, apiKey, apiSecret, fetch }: Settings,
  { method, path, body, idempotencyKey }: ApiRequest,
  { accept, signal }: { accept: string; signal: AbortSignal },
): Promise<FetchAnswer> {
  return await fetch(baseUrl + path, {
    method,
    headers: {
      Accept: accept,
      "X-API-KEY": apiKey,
      "X-API-SECRET": apiSecret,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
    },
    ...(body !== undefined && { body }),
    // A redirect that is followed would give the secret to another host.
    redirect: "manual",
    signal,
  });
}

export async function answeredOf(answer: FetchAnswer): Promise<Sending> {
  return {
    kind: "answered",
    status: answer.status,
    header: (name) => answer.headers.get(name) ?? undefined,
    body: await readJson(answer),
  };
}

export function silenceOf(cause: unknown): Sending {
  return { kind: "no_answer", reached: !isWithoutConnection(cause), cause };
}

async function readJson(answer: FetchAnswer): Promise<unknown> {
  const text = await readWhole(answer);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a body; undefined if it is not UTF-8, cut off or too long. */
export async function readWhole({ body }: FetchAnswer): Promise<string | undefined> {
  if (body === null) return undefined;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = body.getReader();
  try {
    let text = "";
    let length = 0;
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      length += chunk.value?.length ?? 0;
      if (length > ANSWER_BYTES_MAX) {
        await reader.cancel();
        return undefined;
      }
      text += decoder.decode(chunk.value, { stream: true });
    }
    return text + decoder.decode();
  } catch {
    return undefined;
  }
}

/** A hundred times the gateway's longest answer. */
const ANSWER_BYTES_MAX = 1_048_576;

/**
 * True for an error that says that the connection itself could not be made. An unlisted error counts as after
 * the connection: the opposite mistake would call a charged payment not started.
 */
function isWithoutConnection(error: unknown): boolean {
  for (let depth = 0, at = error; depth < 4 && at instanceof Error; depth++, at = at.cause) {
    // Several addresses were tried: each has to have failed in this way.
    if (at instanceof AggregateError) return at.errors.length > 0 && at.errors.every(isWithoutConnection);
    const { code } = at as { code?: unknown };
    if (typeof code === "string" && WITHOUT_CONNECTION.has(code)) return true;
  }
  return false;
}

/** Codes of Node (libuv, undici, OpenSSL) and Bun. A time-out or a reset of the socket is not among them. */
const WITHOUT_CONNECTION: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ConnectionRefused",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
