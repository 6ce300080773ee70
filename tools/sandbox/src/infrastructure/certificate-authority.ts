// A certificate authority of this machine alone, and a certificate for one server signed by it, so that TLS between
// processes of the sandbox, or of compose, is real. Both are kept between runs, because clients trust the CA.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Paths of PEM files. */
export type LocalCertificates = { caFile: string; certFile: string; keyFile: string };

/**
 * Creates missing, broken or soon expiring certificates in `dir`, and keeps the rest.
 *
 * @param options.authority the CA's name
 * @param options.host the server's name; for `localhost` the certificate has all names and addresses of this
 * machine
 */
export async function localCertificates(
  dir: string,
  { authority = "Holdfast sandbox CA", host = "localhost" } = {},
): Promise<LocalCertificates> {
  const files = {
    caFile: join(dir, "ca.pem"),
    caKeyFile: join(dir, "ca-key.pem"),
    certFile: join(dir, `${host}.pem`),
    keyFile: join(dir, `${host}-key.pem`),
  };
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (!isValid(files.caFile, files.caKeyFile)) {
    // Loaded only when needed: the library takes a tenth of a second.
    const { issueAuthority } = await import("./issue-certificate.ts");
    write(files.caFile, files.caKeyFile, await issueAuthority(authority));
  }
  if (!isValid(files.certFile, files.keyFile, files.caFile)) {
    const { issueForLocalhost, issueServer } = await import("./issue-certificate.ts");
    const signer = {
      certificate: readFileSync(files.caFile, "utf8"),
      key: readFileSync(files.caKeyFile, "utf8"),
    };
    const issued = host === "localhost" ? issueForLocalhost(signer) : issueServer(signer, host);
    write(files.certFile, files.keyFile, await issued);
  }
  return { caFile: files.caFile, certFile: files.certFile, keyFile: files.keyFile };
}

/** True if the pair belongs together, is signed by the given authority, and lasts another month. */
function isValid(certFile: string, keyFile: string, issuerFile = certFile): boolean {
  if (!existsSync(certFile) || !existsSync(keyFile)) return false;
  try {
    const certificate = new X509Certificate(readFileSync(certFile));
    const issuer = new X509Certificate(readFileSync(issuerFile));
    const lasts = certificate.validToDate.getTime() - Date.now() > renewBeforeMs;
    const paired = certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)));
    return lasts && paired && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

const renewBeforeMs = 30 * 24 * 3600 * 1000;

/** The key goes first: a pair that was only half replaced does not belong together, and is made again. */
function write(certFile: string, keyFile: string, pair: { certificate: string; key: string }): void {
  for (const [file, pem, mode] of [
    [keyFile, pair.key, 0o600] as const,
    [certFile, pair.certificate, 0o644] as const,
  ]) {
    writeFileSync(`${file}.new`, pem, { mode });
    renameSync(`${file}.new`, file);
  }
}
