// Issues certificates of the sandbox, of compose's bus and of tests: ECDSA P-256 keys, from Node's own Web Crypto.
import "./reflect-metadata.ts";
import { randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

/** A certificate and its private key, both PEM. */
export type CertificatePair = { certificate: string; key: string };

/** A self-signed authority that can sign certificates of servers, and nothing below them. */
export async function issueAuthority(name = "Holdfast sandbox CA"): Promise<CertificatePair> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(10 * 365),
    name: `CN=${name}`,
    keys,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await toPem(keys.privateKey) };
}

/** A server certificate for this machine, under its names and loopback addresses. */
export async function issueForLocalhost(authority: CertificatePair): Promise<CertificatePair> {
  return await issue(authority, "localhost", [x509.ExtendedKeyUsage.serverAuth], [localhostNames()]);
}

/** A server certificate under one name in DNS. */
export async function issueServer(authority: CertificatePair, host: string): Promise<CertificatePair> {
  const name = new x509.SubjectAlternativeNameExtension([{ type: "dns", value: host }]);
  return await issue(authority, host, [x509.ExtendedKeyUsage.serverAuth], [name]);
}

/** Issues a certificate for servers on localhost that connect to each other, as server and as client. */
export async function issuePeer(authority: CertificatePair): Promise<CertificatePair> {
  const usages = [x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth];
  return await issue(authority, "localhost", usages, [localhostNames()]);
}

function localhostNames(): x509.Extension {
  return new x509.SubjectAlternativeNameExtension([
    { type: "dns", value: "localhost" },
    // The name of this machine in containers that run on it.
    { type: "dns", value: "host.docker.internal" },
    { type: "ip", value: "127.0.0.1" },
    { type: "ip", value: "::1" },
  ]);
}

/** A certificate with which a client shows a server who it is. */
export async function issueClient(authority: CertificatePair, name: string): Promise<CertificatePair> {
  return await issue(authority, name, [x509.ExtendedKeyUsage.clientAuth], []);
}

async function issue(
  authority: CertificatePair,
  name: string,
  usages: x509.ExtendedKeyUsage[],
  extensions: x509.Extension[],
): Promise<CertificatePair> {
  const keys = await generateKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    // Clients of Apple refuse server certificates that last longer than 825 days.
    ...validity(397),
    subject: `CN=${name}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await fromPem(authority.key),
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usages),
      ...extensions,
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await toPem(keys.privateKey) };
}

const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
}

/** A validity that begins a day early, for machines whose clocks differ. */
function validity(days: number): { serialNumber: string; notBefore: Date; notAfter: Date } {
  const now = Date.now();
  const dayMs = 24 * 3600 * 1000;
  return {
    // A leading 01 keeps the number positive and of full length.
    serialNumber: `01${randomBytes(15).toString("hex")}`,
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + days * dayMs),
  };
}

async function toPem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(
    await webcrypto.subtle.exportKey("pkcs8", key),
    x509.PemConverter.PrivateKeyTag,
  );
}

function fromPem(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(pem), signingAlgorithm, false, [
    "sign",
  ]);
}
