import type { X509Certificate } from "node:crypto";
import { getCiphers, type SecureVersion } from "node:tls";
import { shakeHands, type TlsServer } from "@holdfast/service-runtime";

/** The protocols and cipher suites that a listener accepts, and its certificate. */
export type OfferedTls = {
  listener: string;
  address: string;
  /** Suites by version, in the order in which the listener prefers them. Empty if it has no TLS. */
  suites: Partial<Record<SecureVersion, string[]>>;
  /** Suites and versions that are not strong cryptography, each in a sentence. */
  faults: string[];
  certificate?: { subject: string; issuer: string; validTo: string; key: string };
};

/**
 * Asks a listener by handshakes: in each version it is offered all suites, and again without the one that it
 * chose, until it refuses. So there is one handshake for each suite that it accepts, and one more for each
 * version.
 */
export async function offeredTls(listener: string, server: TlsServer): Promise<OfferedTls> {
  const suites: OfferedTls["suites"] = {};
  let certificate: X509Certificate | undefined;
  for (const version of VERSIONS) {
    const accepted: string[] = [];
    let left = SUITES.filter((suite) => suite.startsWith("TLS_") === (version === "TLSv1.3"));
    while (left.length > 0) {
      const options = {
        minVersion: version,
        maxVersion: version,
        ciphers: left.join(":") + (version === "TLSv1.3" ? "" : ":@SECLEVEL=0"),
      };
      const agreed = await shakeHands(server, options, (socket) => {
        certificate = socket.getPeerX509Certificate() ?? certificate;
        return socket.getCipher().name;
      }).catch(() => undefined);
      if (agreed === undefined || !left.includes(agreed)) break;
      accepted.push(agreed);
      left = left.filter((suite) => suite !== agreed);
    }
    if (accepted.length > 0) suites[version] = accepted;
  }
  return {
    listener,
    address: `${server.host}:${server.port}`,
    suites,
    faults: faultsOf(suites),
    ...(certificate && { certificate: describeCertificate(certificate) }),
  };
}

const VERSIONS = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const;

/** OpenSSL's names, as it writes them itself. */
const SUITES = getCiphers().map((name) => name.toUpperCase());

function faultsOf(suites: OfferedTls["suites"]): string[] {
  return Object.entries(suites).flatMap(([version, accepted]) =>
    version === "TLSv1" || version === "TLSv1.1"
      ? [`it accepts ${version}`]
      : accepted.filter((suite) => !STRONG.test(suite)).map((suite) => `it accepts ${suite} in ${version}`),
  );
}

/** Forward secrecy and authenticated encryption; TLS 1.3 has nothing else. */
const STRONG = /^TLS_(?!.*CCM_8)|^(?:ECDHE|DHE)-(?:ECDSA|RSA)-(?:.*GCM-SHA\d+|CHACHA20-POLY1305)$/;

function describeCertificate(certificate: X509Certificate): OfferedTls["certificate"] & {} {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
  const size = details?.modulusLength ?? details?.namedCurve ?? "";
  return {
    subject: certificate.subject,
    issuer: certificate.issuer,
    validTo: certificate.validToDate.toISOString(),
    key: `${type} ${size}`.trim(),
  };
}
