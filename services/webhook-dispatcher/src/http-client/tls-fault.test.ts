import { expect, test } from "vitest";
import { tlsFault } from "./tls-fault.ts";

test.each([
  ["CERT_HAS_EXPIRED", "tls_expired"],
  ["CERT_NOT_YET_VALID", "tls_not_yet_valid"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_name"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_chain"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "tls_chain"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_self_signed"],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "tls"],
])("%s is %s, and nothing of the error's text is kept", (code, fault) => {
  expect(tlsFault(Object.assign(new Error("words of the receiver"), { code }))).toBe(fault);
});

test("a handshake that breaks off is a matter of TLS", () => {
  expect(tlsFault(undefined)).toBe("tls");
});
