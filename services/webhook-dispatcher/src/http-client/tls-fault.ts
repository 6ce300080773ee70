import type { WebhookError } from "@holdfast/contracts";

export type TlsFault = Extract<WebhookError, `tls${string}`>;

/**
 * The class of a handshake's failure. Of a certificate it says which fault it has, which anybody sees who connects; no
 * word of the receiver's is repeated.
 */
export function tlsFault(error: Error | undefined): TlsFault {
  const code = error && "code" in error ? String(error.code) : "";
  return FAULTS.get(code) ?? "tls";
}

/** Faults by the codes of OpenSSL's verification and of Node's check of the name. */
const FAULTS: ReadonlyMap<string, TlsFault> = new Map([
  ["CERT_HAS_EXPIRED", "tls_expired"],
  ["CERT_NOT_YET_VALID", "tls_not_yet_valid"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_name"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_chain"],
  ["UNABLE_TO_GET_ISSUER_CERT", "tls_chain"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "tls_chain"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "tls_chain"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_self_signed"],
]);
