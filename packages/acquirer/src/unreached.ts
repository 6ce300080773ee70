import { AsyncLocalStorage } from "node:async_hooks";

/** The reason why no connection to a bank came about, for people. No decision depends on it. */
export type Unreached = {
  cause: UnreachedCause;
  /** The system's or the verifier's own words. */
  detail: string;
};

/** The values of a label. A time-out names the phase that it ended. */
export const UNREACHED_CAUSES = [
  "dns",
  "refused",
  "no_route",
  "reset",
  "tls",
  "dns_or_connect_timeout",
  "tls_timeout",
  "no_free_connection",
  "other",
] as const;
export type UnreachedCause = (typeof UNREACHED_CAUSES)[number];

type Note = { unreached: Unreached | undefined };

const underWay = new AsyncLocalStorage<Note>();

/** Runs a call, and returns its outcome, with the reason if the latest attempt was not sent. */
export async function noting<Outcome>(
  call: () => Promise<Outcome>,
): Promise<{ outcome: Outcome; unreached: Unreached | undefined }> {
  const note: Note = { unreached: undefined };
  const outcome = await underWay.run(note, call);
  return { outcome, unreached: note.unreached };
}

/** Notes for the call under way that its latest attempt was sent, or why it was not. */
export function noteUnreached(unreached: Unreached | undefined): void {
  const note = underWay.getStore();
  if (note) note.unreached = unreached;
}

export function unreachedBy(error: NodeJS.ErrnoException): Unreached {
  const { code = "" } = error;
  // An attempt at several addresses has a message for each.
  const messages = error instanceof AggregateError ? error.errors.map(String) : [error.message];
  return {
    cause: CAUSES[code] ?? (isOfTls(code) ? "tls" : "other"),
    detail: detailOf(code, messages.join("; ")),
  };
}

const CAUSES: Readonly<Record<string, UnreachedCause>> = {
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  EAI_FAIL: "dns",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "no_route",
  ENETUNREACH: "no_route",
  ECONNRESET: "reset",
  EPIPE: "reset",
  ETIMEDOUT: "dns_or_connect_timeout",
};

/** OpenSSL's verifier has codes of its own, such as `CERT_HAS_EXPIRED`. */
function isOfTls(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|HOSTNAME_|ERROR_IN_)|^EPROTO$/.test(
    code,
  );
}

function detailOf(code: string, message: string): string {
  const words = message.replaceAll(/\s+/g, " ").trim().slice(0, DETAIL_LENGTH_MAX);
  return code === "" || words.includes(code) ? words : `${code}: ${words}`;
}

/** Room for a verifier's sentence with the names of a certificate. */
const DETAIL_LENGTH_MAX = 200;
